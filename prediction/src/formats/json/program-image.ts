import type { CellMemory } from '../cells/cell-memory.js';
import type { AnswerPiece, AnswerProgram } from './answer-program.js';

/** The kinds of parts as the kernel knows them: see `kernel/assembly/json/answers.ts`. */
const KIND = { literal: 0, echo: 1, number: 2, choice: 3, escaped: 4, set: 5 } as const;

/** Words of a part, and of a text in a list of texts. */
const PART = 4;
const TEXT = 2;

/** The kernel copies by vectors, so it reads this much beyond a text. */
const SLACK = 16;

/** Puts a program into the memory, and returns the addresses of its parts and their end. */
export function layProgram(
  lent: CellMemory,
  { pieces }: AnswerProgram,
): { readonly parts: number; readonly partsEnd: number } {
  const texts = new Texts(lent, pieces);
  const parts = lent.memory.allocate(4 * PART * pieces.length);
  const { words } = lent.memory;
  for (const [index, piece] of pieces.entries()) {
    words.set([KIND[piece.kind], ...wordsOf(piece, texts)], parts / 4 + PART * index);
  }
  return { parts, partsEnd: parts + 4 * PART * pieces.length };
}

function wordsOf(piece: AnswerPiece, texts: Texts): readonly number[] {
  switch (piece.kind) {
    case 'literal':
      return texts.add(piece.before);
    case 'echo':
      return [piece.column, ...texts.add(piece.before)];
    case 'number':
      return [piece.place, ...texts.add(piece.before)];
    case 'escaped':
      return [piece.column];
    default:
      return [piece.place, texts.addList(piece.texts)];
  }
}

/** The texts of a program, in one stretch of memory. */
class Texts {
  readonly #lent: CellMemory;
  /** The places of the next list of texts, and of the next text. */
  #list: number;
  #end: number;

  constructor(lent: CellMemory, pieces: readonly AnswerPiece[]) {
    const lists = pieces.flatMap((piece) => ('texts' in piece ? piece.texts : []));
    const all = pieces.map((piece) => ('before' in piece ? piece.before : '')).concat(lists);
    const length = all.reduce((sum, text) => sum + Buffer.byteLength(text), SLACK);
    this.#lent = lent;
    this.#list = lent.memory.allocate(4 * TEXT * lists.length);
    this.#end = lent.memory.allocate(length);
  }

  /** Returns the address and the length of a text. */
  add(text: string): [number, number] {
    const bytes = Buffer.from(text);
    const at = this.#end;
    this.#lent.memory.bytes.set(bytes, at);
    this.#end += bytes.length;
    return [at, bytes.length];
  }

  /** Returns the address of a list of texts. */
  addList(texts: readonly string[]): number {
    const list = this.#list;
    for (const text of texts) {
      this.#lent.memory.words.set(this.add(text), this.#list / 4);
      this.#list += 4 * TEXT;
    }
    return list;
  }
}

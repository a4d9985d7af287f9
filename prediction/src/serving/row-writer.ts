import { Cell, type RowObject } from '../table/cells.js';
import type { Steps } from '../trees/steps.js';
import {
  type AnswerLayout,
  type Member,
  type PredictedBlock,
  type RowOptions,
  selectColumns,
} from './answer-layout.js';
import { escapeJson, JSON_FORM, jsonPieces, type MakeText, type RowPiece, type TextForm } from './row-pieces.js';
import { type Literal, literal, TextBuffer } from './text-buffer.js';

/** About what a value takes; too little only costs a larger buffer. */
const VALUE_BYTES = 12;

const NOTHING = literal('');
const COMMA = literal(',');
const NULL = literal('null');

/** A piece, made ready for writing. */
interface Step {
  /** A number that a row was given before is written as `again`. */
  readonly kind: RowPiece['kind'] | 'again';
  readonly at: number;
  readonly before: Literal;
  readonly texts: readonly Literal[];
  readonly make: MakeText;
}

/** The columns of an answer, and what writes its rows as JSON. */
interface RowForm {
  readonly layout: AnswerLayout;
  readonly writer: RowWriter;
}

/** The forms that answer rows of a model have, by the columns that are asked for. */
export class RowForms {
  readonly #layout: AnswerLayout;
  readonly #echoes: readonly EchoCell[];
  readonly #forms: RowForm[] = [];

  /** @param texts by index of `sent`, those that rows most often send. */
  static *create(layout: AnswerLayout, texts: readonly (readonly string[] | null)[] = []): Steps<RowForms> {
    return new RowForms(layout, yield* createEchoes(layout, texts));
  }

  private constructor(layout: AnswerLayout, echoes: readonly EchoCell[]) {
    this.#layout = layout;
    this.#echoes = echoes;
  }

  /** @throws {InvalidRowsError} as `selectColumns` */
  get(options: RowOptions): RowForm {
    // Each answer has an id of its own in them.
    if (options.remember) return this.#create(options);
    const isLean = options.rows === 'lean';
    const at =
      Number(options.probabilities ?? false) +
      2 * Number(options.warnings ?? false) +
      4 * Number(isLean) * (1 + Number(options.explain ?? false));
    const known = this.#forms[at];
    if (known) return known;
    const form = this.#create(options);
    this.#forms[at] = form;
    return form;
  }

  #create(options: RowOptions): RowForm {
    const layout = selectColumns(this.#layout, options);
    return { layout, writer: new RowWriter(layout, JSON_FORM.pieces(layout), JSON_FORM, this.#echoes) };
  }
}

function* createEchoes({ sent }: AnswerLayout, texts: readonly (readonly string[] | null)[]): Steps<EchoCell[]> {
  const echoes: EchoCell[] = [];
  for (const [index, name] of sent.entries()) {
    echoes.push(new EchoCell(name, texts[index] ?? [], JSON_FORM));
    yield;
  }
  return echoes;
}

/** Writes answer rows as text, from rows that are objects. */
export class RowWriter {
  readonly #steps: readonly Step[];
  readonly #echoes: readonly EchoCell[];
  readonly #target: Cell;
  readonly #choices: Uint8Array;
  /** The places of the numbers that were written of the row at hand. */
  readonly #starts: number[];
  readonly #ends: number[];
  /** About what a row takes, in bytes. */
  readonly rowBytes: number;

  constructor(
    { numberCount, choiceCount, target, sent }: AnswerLayout,
    readonly pieces: readonly RowPiece[],
    readonly form: TextForm,
    echoes: readonly EchoCell[] = sent.map((name) => new EchoCell(name, [], form)),
  ) {
    this.#echoes = echoes;
    this.#target = new Cell(sent[target] ?? '');
    this.#choices = new Uint8Array(choiceCount);
    this.#starts = Array.from({ length: numberCount }, () => 0);
    this.#ends = [...this.#starts];
    const written = new Set<number>();
    this.#steps = pieces.map((piece): Step => {
      const isAgain = piece.kind === 'number' && written.has(piece.at);
      if (piece.kind === 'number') written.add(piece.at);
      return {
        kind: isAgain ? 'again' : piece.kind,
        at: 'at' in piece ? piece.at : 0,
        before: 'before' in piece ? literal(piece.before) : NOTHING,
        texts: 'texts' in piece ? piece.texts.map(literal) : [],
        make: 'make' in piece ? piece.make : () => null,
      };
    });
    this.rowBytes = this.#steps.reduce((sum, { before, texts }) => {
      return sum + before.length + (texts[0]?.length ?? 0) + VALUE_BYTES;
    }, 0);
  }

  write(out: TextBuffer, row: RowObject, predicted: PredictedBlock, index: number): void {
    const choices = this.#choices;
    const echoes = this.#echoes;
    const starts = this.#starts;
    const ends = this.#ends;
    const first = index * starts.length;
    predicted.writeChoices(index, this.#target.of(row), choices, 0);
    for (const { kind, at, before, texts, make } of this.#steps) {
      switch (kind) {
        case 'literal':
          out.literal(before);
          break;
        case 'echo':
          out.literal(before);
          echoes[at]?.write(out, row);
          break;
        case 'number':
          out.literal(before);
          starts[at] = out.length;
          out.number(predicted.numbers[first + at] ?? 0);
          ends[at] = out.length;
          break;
        case 'row':
          out.literal(before);
          out.number((predicted.first ?? 0) + index);
          break;
        case 'again':
          out.literal(before);
          out.again(starts[at] ?? 0, ends[at] ?? 0);
          break;
        case 'choice':
          out.literal(texts[choices[at] ?? 0] ?? NULL);
          break;
        case 'escaped':
          echoes[at]?.writeEscaped(out, row);
          break;
        case 'made':
          out.literal(before);
          writeValue(out, make(row, predicted, index), this.form);
          break;
        case 'list':
          for (let place = 1; place <= (choices[at] ?? 0); place++) {
            if (place > 1) out.literal(COMMA);
            out.literal(texts[choices[at + place] ?? 0] ?? NULL);
          }
      }
    }
  }
}

/** Returns what writes a column of objects as text of JSON. */
export function createObjectText(layout: AnswerLayout, members: readonly Member[]): MakeText {
  const out = new TextBuffer(1024);
  const writer = new RowWriter(layout, jsonPieces(members, true), JSON_FORM);
  return (row, predicted, index) => {
    writer.write(out, row, predicted, index);
    return out.takeText();
  };
}

/** Repeats what rows sent under a name. */
class EchoCell extends Cell {
  /** The forms of the texts that rows most often send; null, until a row sends it. */
  readonly #known: Map<string, Literal | null>;
  readonly #form: TextForm;

  constructor(name: string, texts: readonly string[], form: TextForm) {
    super(name);
    this.#form = form;
    this.#known = new Map(texts.map((text) => [text, null]));
  }

  write(out: TextBuffer, row: RowObject): void {
    const value = this.of(row);
    const known = typeof value === 'string' ? this.#known.get(value) : undefined;
    if (known) out.literal(known);
    else if (known === null) out.literal(this.#know(String(value)));
    else writeValue(out, value, this.#form);
  }

  /** Writes the JSON of the value within a string. */
  writeEscaped(out: TextBuffer, row: RowObject): void {
    const value = this.of(row);
    if (typeof value === 'number' || value === null) writeValue(out, value, this.#form);
    else out.raw(escapeJson(JSON.stringify(value)));
  }

  #know(text: string): Literal {
    const known = literal(this.#form.valueText(text));
    this.#known.set(text, known);
    return known;
  }
}

/** Writes a value of JSON in a form. */
function writeValue(out: TextBuffer, value: unknown, form: TextForm): void {
  if (typeof value === 'number' && Number.isFinite(value)) out.number(value);
  else if (typeof value === 'string' && !form.isCsv) out.string(value);
  else out.raw(form.valueText(value));
}

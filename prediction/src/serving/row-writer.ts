import { Cell, type RowObject } from '../table/cells.js';
import { finish, type Steps } from '../trees/steps.js';
import {
  type AnswerLayout,
  escapeJson,
  type JsonPiece,
  jsonPieces,
  type Member,
  type PredictedBlock,
  type RowLayout,
  type RowOptions,
  selectColumns,
} from './answer-layout.js';
import { type Literal, literal, TextBuffer } from './text-buffer.js';

/** About what a value takes; too little only costs a larger buffer. */
const VALUE_BYTES = 12;

const NOTHING = literal('');
const COMMA = literal(',');
const NULL = literal('null');
const TRUE = literal('true');
const FALSE = literal('false');

/** A piece, made ready for writing. */
interface Step {
  /** A number that a row was given before is written as `again`. */
  readonly kind: JsonPiece['kind'] | 'again';
  readonly at: number;
  readonly before: Literal;
  readonly texts: readonly Literal[];
  readonly make: (row: RowObject) => string | null;
}

/** The columns of an answer, and what writes its rows as JSON. */
interface RowForm {
  readonly layout: RowLayout;
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
    return { layout, writer: new RowWriter(layout, this.#echoes) };
  }
}

function* createEchoes({ sent }: AnswerLayout, texts: readonly (readonly string[] | null)[]): Steps<EchoCell[]> {
  const echoes: EchoCell[] = [];
  for (const [index, name] of sent.entries()) {
    echoes.push(new EchoCell(name, texts[index] ?? []));
    yield;
  }
  return echoes;
}

/** Writes answer rows as JSON. */
export class RowWriter {
  readonly #steps: readonly Step[];
  readonly #echoes: readonly EchoCell[];
  readonly #target: EchoCell;
  readonly #choices: Uint8Array;
  /** The places of the numbers that were written of the row at hand. */
  readonly #starts: number[];
  readonly #ends: number[];
  /** About what a row takes, in bytes. */
  readonly rowBytes: number;

  constructor({ numberCount, choiceCount, target, sent, json }: RowLayout, echoes: readonly EchoCell[]) {
    this.#echoes = echoes;
    this.#target = echoes[target] ?? new EchoCell(sent[target] ?? '', []);
    this.#choices = new Uint8Array(choiceCount);
    this.#starts = Array.from({ length: numberCount }, () => 0);
    this.#ends = [...this.#starts];
    const written = new Set<number>();
    this.#steps = json.map((piece): Step => {
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
          writeValue(out, make(row));
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

/** Writes columns that are objects, as the text that JSON answers have of them. */
export class ObjectText {
  readonly #out = new TextBuffer(1024);
  readonly #writer: RowWriter;

  constructor(layout: AnswerLayout, members: readonly Member[]) {
    const json = jsonPieces(members, true);
    this.#writer = new RowWriter({ ...layout, json }, finish(createEchoes(layout, [])));
  }

  write(row: RowObject, predicted: PredictedBlock, index: number): string {
    this.#writer.write(this.#out, row, predicted, index);
    return this.#out.takeText();
  }
}

/** Repeats what rows sent under a name. */
class EchoCell extends Cell {
  /** The JSON of the texts that rows most often send; null, until a row sends it. */
  readonly #known: Map<string, Literal | null>;

  constructor(name: string, texts: readonly string[]) {
    super(name);
    this.#known = new Map(texts.map((text) => [text, null]));
  }

  write(out: TextBuffer, row: RowObject): void {
    const value = this.of(row);
    const known = typeof value === 'string' ? this.#known.get(value) : undefined;
    if (known) out.literal(known);
    else if (known === null) out.literal(this.#know(String(value)));
    else writeValue(out, value);
  }

  /** Writes the JSON of the value within a string. */
  writeEscaped(out: TextBuffer, row: RowObject): void {
    const value = this.of(row);
    if (typeof value === 'number' || value === null) writeValue(out, value);
    else out.raw(escapeJson(JSON.stringify(value)));
  }

  #know(text: string): Literal {
    const known = literal(JSON.stringify(text));
    this.#known.set(text, known);
    return known;
  }
}

/** Writes a value that came from JSON, as JSON.stringify does. */
function writeValue(out: TextBuffer, value: unknown): void {
  if (typeof value === 'number') out.number(value);
  else if (typeof value === 'string') out.string(value);
  else if (value === null) out.literal(NULL);
  else if (typeof value === 'boolean') out.literal(value ? TRUE : FALSE);
  else out.raw(JSON.stringify(value) ?? 'null');
}

import { Cell, type RowObject } from '../table/cells.js';
import {
  type AnswerLayout,
  type Member,
  type PredictedBlock,
  type RowOptions,
  selectColumns,
} from './answer-layout.js';
import { escapeJson, JSON_FORM, jsonPieces, type MakeText, type RowPiece, type TextForm } from './row-pieces.js';

/** About what a value takes; too little only costs a larger buffer. */
const VALUE_BYTES = 12;

/** The columns of an answer, and what writes its rows as JSON. */
export interface RowForm {
  readonly layout: AnswerLayout;
  readonly writer: RowWriter;
}

/** The forms that answer rows of a model have, by the columns that are asked for. */
export class RowForms {
  readonly #layout: AnswerLayout;
  readonly #cells: readonly Cell[];
  readonly #forms: RowForm[] = [];

  constructor(layout: AnswerLayout) {
    this.#layout = layout;
    this.#cells = layout.sent.map((name) => new Cell(name));
  }

  /** @throws {InvalidRowsError} as `selectColumns` */
  get(options: RowOptions): RowForm {
    // Each answer has its own id in them.
    if (options.remember) return this.#create(options);
    const isLean = options.rows === 'lean';
    const at =
      Number(options.probabilities ?? false) +
      2 * Number(options.warnings ?? false) +
      4 * Number(options.contributions ?? false) +
      8 * Number(isLean) * (1 + Number(options.explain ?? false));
    const known = this.#forms[at];
    if (known) return known;
    const form = this.#create(options);
    this.#forms[at] = form;
    return form;
  }

  #create(options: RowOptions): RowForm {
    const layout = selectColumns(this.#layout, options);
    return { layout, writer: new RowWriter(layout, JSON_FORM.pieces(layout), JSON_FORM, this.#cells) };
  }
}

/** A piece of a row. All have one shape, so that the loop over them is compiled for it. */
interface Step {
  readonly kind: RowPiece['kind'];
  readonly at: number;
  readonly before: string;
  readonly texts: readonly string[];
  readonly make: MakeText;
}

/** Writes answer rows as text, from rows that are objects. */
export class RowWriter {
  readonly #steps: readonly Step[];
  readonly #cells: readonly Cell[];
  readonly #target: Cell;
  readonly #choices: Uint8Array;
  /** The texts of the numbers of the row at hand, as full rows have them twice; empty until they are needed. */
  readonly #numbers: string[];
  /** About what a row takes, in bytes. */
  readonly rowBytes: number;

  constructor(
    { numberCount, choiceCount, target, sent }: AnswerLayout,
    readonly pieces: readonly RowPiece[],
    readonly form: TextForm,
    cells: readonly Cell[] = sent.map((name) => new Cell(name)),
  ) {
    this.#cells = cells;
    this.#target = cells[target] ?? new Cell(sent[target] ?? '');
    this.#choices = new Uint8Array(choiceCount);
    this.#numbers = Array.from({ length: numberCount }, () => '');
    this.#steps = pieces.map((piece) => ({
      kind: piece.kind,
      at: 'at' in piece ? piece.at : 0,
      before: 'before' in piece ? piece.before : '',
      texts: 'texts' in piece ? piece.texts : [],
      make: 'make' in piece ? piece.make : () => null,
    }));
    this.rowBytes = this.#steps.reduce((sum, { before, texts }) => {
      return sum + Buffer.byteLength(before) + Buffer.byteLength(texts[0] ?? '') + VALUE_BYTES;
    }, 0);
  }

  write(row: RowObject, predicted: PredictedBlock, index: number): string {
    const choices = this.#choices;
    const cells = this.#cells;
    const { valueText, numberText } = this.form;
    const numbers = this.#numbers.fill('');
    const first = index * numbers.length;
    predicted.writeChoices(index, this.#target.of(row), choices, 0);
    let text = '';
    for (const { kind, at, before, texts, make } of this.#steps) {
      switch (kind) {
        case 'literal':
          text += before;
          break;
        case 'echo':
          text += before + valueText(cells[at]?.of(row));
          break;
        case 'number':
          numbers[at] ||= numberText(predicted.numbers[first + at] ?? 0);
          text += before + numbers[at];
          break;
        case 'row':
          text += before + ((predicted.first ?? 0) + index);
          break;
        case 'choice':
          text += texts[choices[at] ?? 0] ?? '';
          break;
        case 'escaped':
          text += escapedText(cells[at]?.of(row));
          break;
        case 'made':
          text += before + valueText(make(row, predicted, index));
          break;
        case 'list':
          for (let place = 1; place <= (choices[at] ?? 0); place++) {
            if (place > 1) text += ',';
            text += texts[choices[at + place] ?? 0] ?? '';
          }
      }
    }
    return text;
  }
}

/** Returns the JSON of a value within a string of JSON. */
function escapedText(value: unknown): string {
  const json = JSON_FORM.valueText(value);
  return typeof value === 'string' || (typeof value === 'object' && value !== null) ? escapeJson(json) : json;
}

/** Returns what writes a column of objects as text of JSON. */
export function createObjectText(layout: AnswerLayout, members: readonly Member[]): MakeText {
  const writer = new RowWriter(layout, jsonPieces(members, true), JSON_FORM);
  return (row, predicted, index) => writer.write(row, predicted, index);
}

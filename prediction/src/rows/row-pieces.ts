import type { RowObject } from '../table/cells.js';
import {
  type AnswerLayout,
  FLAGS,
  type Member,
  type ObjectColumn,
  type PredictedBlock,
  type WarningsColumn,
} from './answer-layout.js';

/**
 * A piece of an answer row as text, behind the text before it. All text that does not differ from row to row is made with the
 * model, so that no object is made for a row. As text keeps the order that it is written in, names like "2019" stay in
 * their place, where an object would put them first.
 */
export type RowPiece =
  | { readonly kind: 'literal'; readonly before: string }
  /** The value that the row sent. */
  | { readonly kind: 'echo'; readonly before: string; readonly at: number }
  | { readonly kind: 'number'; readonly before: string; readonly at: number }
  /** The number of the row in the answer. */
  | { readonly kind: 'row'; readonly before: string }
  /** One of the texts, which have what stands around them. */
  | { readonly kind: 'choice'; readonly at: number; readonly texts: readonly string[] }
  /** The value that the row sent, as JSON within a string of JSON. JSON alone has it. */
  | { readonly kind: 'escaped'; readonly at: number }
  /** Some of the texts, with commas between them. */
  | { readonly kind: 'list'; readonly at: number; readonly texts: readonly string[] }
  /** A text that is made of the row, or null. */
  | { readonly kind: 'made'; readonly before: string; readonly make: MakeText };

/** Makes a text of a row and what is predicted of it, at an index of its block. */
export type MakeText = (row: RowObject, predicted: PredictedBlock, index: number) => string | null;

/** A format of text: what it makes of answer rows. */
export interface TextForm {
  /** Returns the pieces of a row of the columns. */
  readonly pieces: (layout: AnswerLayout) => RowPiece[];
  /** Returns what the format has for a value of JSON. */
  readonly valueText: (value: unknown) => string;
  readonly numberText: (value: number) => string;
  readonly isCsv: boolean;
}

export const JSON_FORM: TextForm = {
  pieces: ({ columns, isNestedText }) => jsonPieces(columns, isNestedText),
  valueText: jsonText,
  numberText: jsonText,
  isCsv: false,
};

/** A character that JSON may escape; halves of a pair of surrogates are left to it, too. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

function jsonText(value: unknown): string {
  if (value === null) return 'null';
  // Both are faster than the general way.
  if (typeof value === 'number' && Number.isFinite(value)) return numberText(value);
  if (typeof value === 'string' && !ESCAPED.test(value)) return `"${value}"`;
  return JSON.stringify(value) ?? 'null';
}

const THOUSAND = Array.from({ length: 1000 }, (_, value) => String(value));
const THREE_DIGITS = THOUSAND.map((digits) => digits.padStart(3, '0'));
const HUNDREDTHS = Array.from({ length: 100 }, (_, value) => String(value / 100).slice(1));

/**
 * Returns the text of a number as `String` does. Numbers of up to two decimals, which most are, take a third of the
 * time: c ÷ 100 is the double that is nearest to a decimal of up to 15 digits, so the decimal, without zeros at its
 * end, is the shortest text of that double (ECMA-262, Number::toString).
 */
function numberText(value: number): string {
  const size = Math.abs(value);
  const hundredths = Math.round(size * 100);
  if (!(size < 1e6) || hundredths / 100 !== size) return String(value);
  const whole = Math.floor(hundredths / 100);
  const thousands = Math.floor(whole / 1000);
  const digits = thousands === 0 ? THOUSAND[whole] : `${THOUSAND[thousands]}${THREE_DIGITS[whole % 1000]}`;
  return `${value < 0 ? '-' : ''}${digits}${HUNDREDTHS[hundredths % 100]}`;
}

/**
 * Returns the pieces of an object that has the columns as its members.
 *
 * @param isNestedText whether objects within it are texts of JSON
 */
export function jsonPieces(columns: readonly JsonColumn[], isNestedText: boolean): RowPiece[] {
  const builder = new PieceBuilder(isNestedText);
  builder.addObject(columns, false);
  return builder.end();
}

type JsonColumn = Member | ObjectColumn | WarningsColumn;

/** The text of a JSON string that holds JSON, without its quotes. */
export function escapeJson(json: string): string {
  return JSON.stringify(json).slice(1, -1);
}

class PieceBuilder {
  readonly #isNestedText: boolean;
  readonly #pieces: RowPiece[] = [];
  /** Text that is not in a piece. */
  #text = '';

  constructor(isNestedText: boolean) {
    this.#isNestedText = isNestedText;
  }

  /** @param isText whether the object stands within a string of JSON */
  addObject(columns: readonly JsonColumn[], isText: boolean): void {
    for (const [index, column] of columns.entries()) {
      this.#text += `${index === 0 ? '{' : ','}${quote(column.name, isText)}:`;
      this.#addValue(column, isText);
    }
    this.#text += '}';
  }

  end(): RowPiece[] {
    this.#endText();
    return this.#pieces;
  }

  #addValue(column: JsonColumn, isText: boolean): void {
    switch (column.kind) {
      case 'echo':
        if (isText) {
          this.#endText();
          this.#pieces.push({ kind: 'escaped', at: column.at });
        } else {
          this.#pieces.push({ kind: 'echo', before: this.#takeText(), at: column.at });
        }
        break;
      case 'number':
        this.#pieces.push({ kind: 'number', before: this.#takeText(), at: column.at });
        break;
      case 'row-id':
        this.#text += `"${column.prefix}`;
        this.#pieces.push({ kind: 'row', before: this.#takeText() });
        this.#text += '"';
        break;
      case 'flag':
        this.#addChoice(column.at, FLAGS.map(String));
        break;
      case 'text':
        this.#addChoice(column.at, quoteAll(column.texts, isText));
        break;
      case 'list':
        this.#text += '[';
        this.#endText();
        this.#pieces.push({ kind: 'list', at: column.at, texts: quoteAll(column.texts, isText) });
        this.#text += ']';
        break;
      case 'object':
        if (!this.#isNestedText) this.addObject(column.members, false);
        else {
          this.#text += '"';
          this.addObject(column.members, true);
          this.#text += '"';
        }
        break;
      case 'warnings':
        this.#pieces.push({ kind: 'made', before: this.#takeText(), make: column.describe });
        break;
      case 'null':
        this.#text += 'null';
    }
  }

  #addChoice(at: number, texts: readonly string[]): void {
    const before = this.#takeText();
    this.#pieces.push({ kind: 'choice', at, texts: texts.map((text) => before + text) });
  }

  #takeText(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** Puts the text into the choice before it, or into a separate piece. */
  #endText(): void {
    const behind = this.#takeText();
    const last = this.#pieces.at(-1);
    if (last?.kind === 'choice') {
      this.#pieces.pop();
      this.#addChoice(
        last.at,
        last.texts.map((text) => text + behind),
      );
    } else if (behind !== '') {
      this.#pieces.push({ kind: 'literal', before: behind });
    }
  }
}

/** Returns a text as a string of JSON, which may stand within another. */
function quote(text: string, isText: boolean): string {
  const json = JSON.stringify(text);
  return isText ? escapeJson(json) : json;
}

function quoteAll(texts: readonly string[], isText: boolean): string[] {
  return texts.map((text) => quote(text, isText));
}

import { quote } from '../../table/table-error.js';
import { type ByteBudget, MAX_ROW_BYTES, rowBytes } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import { dateText, momentText } from '../columns/times.js';
import { copyText, decodeEscapes, RichText, tooLong, type Workbook } from './workbook.js';
import { type Attributes, type ElementSink, readXml } from './xml.js';
import type { ZipArchive } from './zip.js';

/** A row of a sheet that has values. */
export interface SheetRow {
  /** The number of the row, as the sheet shows it. */
  readonly line: number;
  /** Numbers, texts, truth values and dates of ISO 8601, by column; undefined where there is no value. */
  readonly cells: readonly (string | number | boolean | undefined)[];
  /** True if no value is a number, a date or a truth value. */
  readonly isText: boolean;
  /** The columns of numbers that the sheet shows as percentages, 0.45 as 45 %. */
  readonly percents: readonly number[];
}

const NONE: readonly number[] = [];

/** The size of a sheet of Excel. */
const MAX_LINES = 1_048_576;
const MAX_PLACES = 16_384;

/** Yields the rows of a sheet that have values, some at a time. @throws {FormatError} at the first fault of the file. */
export async function* readRows(zip: ZipArchive, workbook: Workbook, budget: ByteBudget): AsyncGenerator<SheetRow[]> {
  const reader = new RowsOfSheet(workbook, budget);
  for await (const _ of readXml(zip.read(workbook.path), workbook.path, reader)) {
    const rows = reader.take();
    if (rows.length > 0) yield rows;
  }
}

/** The name of a sheet in messages. */
export function sheetName(sheet: string): string {
  return `Sheet ${quote(sheet)}`;
}

/** The letters of a column, from 0. */
export function columnLetters(place: number): string {
  const [rest, last] = [Math.floor(place / 26), String.fromCharCode(0x41 + (place % 26))];
  return rest === 0 ? last : columnLetters(rest - 1) + last;
}

class RowsOfSheet implements ElementSink {
  isDone = false;
  readonly #workbook: Workbook;
  readonly #budget: ByteBudget;
  #rows: SheetRow[] = [];
  #line = 0;
  #cells: SheetRow['cells'][number][] = [];
  #isText = true;
  #percents: number[] | undefined;
  #textBytes = 0;
  /** The column, type and style of the cell that is read. */
  #place = -1;
  #type = 'n';
  #style = 0;
  #value = '';
  #hasValue = false;
  #hasFormula = false;
  #isInValue = false;
  readonly #inline = new RichText();

  constructor(workbook: Workbook, budget: ByteBudget) {
    this.#workbook = workbook;
    this.#budget = budget;
  }

  /** Returns the rows since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'c') this.#openCell(attributes);
    else if (name === 'v') {
      this.#isInValue = true;
      this.#hasValue = true;
    } else if (name === 'row') this.#openRow(attributes('r'));
    else if (name === 'f') this.#hasFormula = true;
    else this.#inline.open(name);
  }

  text(text: string): void {
    if (this.#isInValue) this.#value += text;
    else this.#inline.text(text);
    if (this.#value.length + this.#inline.length > MAX_ROW_BYTES) {
      throw this.#fault(tooLong('A cell'));
    }
  }

  close(name: string): void {
    if (name === 'c') this.#closeCell();
    else if (name === 'v') this.#isInValue = false;
    else if (name === 'row') this.#closeRow();
    else if (name === 'sheetData') this.isDone = true;
    else this.#inline.close(name);
  }

  #openRow(sent: string | undefined): void {
    const line = sent === undefined ? this.#line + 1 : Number(sent);
    if (!Number.isInteger(line) || line <= this.#line || line > MAX_LINES) {
      const what = `is followed by a row numbered ${String(sent).slice(0, 20)}`;
      throw new FormatError(
        `${sheetName(this.#workbook.sheet)}, row ${this.#line}: it ${what}. Rows are numbered from 1 to 1,048,576, in their order. Save the workbook again.`,
      );
    }
    this.#line = line;
    this.#cells = [];
    this.#isText = true;
    this.#percents = undefined;
    this.#textBytes = 0;
    this.#place = -1;
  }

  #openCell(attributes: Attributes): void {
    const reference = attributes('r');
    const place = reference === undefined ? this.#place + 1 : parseColumn(reference);
    if (!(place > this.#place && place < MAX_PLACES)) {
      throw this.#fault(
        `The cell ${JSON.stringify((reference ?? '').slice(0, 20))} is out of its order. Save the workbook again.`,
      );
    }
    this.#place = place;
    this.#type = attributes('t') ?? 'n';
    this.#style = Number(attributes('s') ?? 0);
    this.#value = '';
    this.#hasValue = false;
    this.#hasFormula = false;
  }

  #closeCell(): void {
    const inline = this.#inline.take();
    // An empty text is a value. Other formulas without a value come from a program that does not compute them.
    const hasValue = this.#value !== '' || (this.#hasValue && this.#type === 'str');
    if (this.#hasFormula && !hasValue && inline === '') {
      throw this.#fault(
        'The formula has no value beside it. Open the workbook in a spreadsheet program, which computes it, and save it.',
      );
    }
    const value = this.#readCell(inline);
    if (value === undefined || value === '') return;
    this.#cells[this.#place] = value;
    if (typeof value !== 'string' || this.#type === 'n' || this.#type === 'd') this.#isText = false;
    else this.#textBytes += 2 * value.length;
    if (this.#textBytes > 2 * MAX_ROW_BYTES) throw this.#fault(tooLong('The row'));
  }

  #readCell(inline: string): SheetRow['cells'][number] {
    const value = this.#value;
    switch (this.#type) {
      case 'inlineStr':
        return inline;
      case 's': {
        if (value === '') return undefined;
        const text = this.#workbook.texts[Number(value)];
        if (text !== undefined) return text;
        throw this.#fault(
          `It refers to text ${value.slice(0, 20)} of the workbook, which has ${this.#workbook.texts.length}. Save the workbook again.`,
        );
      }
      case 'str':
        return decodeEscapes(value);
      case 'd':
        return copyText(value);
      case 'b':
        return value === '' ? undefined : value.trim() === '1' || value.trim() === 'true';
      case 'e':
        return undefined;
      default:
        return this.#readNumber(value);
    }
  }

  #readNumber(value: string): SheetRow['cells'][number] {
    if (value === '') return undefined;
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (Number.isNaN(number)) {
      throw this.#fault(`${JSON.stringify(value.slice(0, 20))} is not a number. Save it again.`);
    }
    const style = this.#workbook.styles[this.#style];
    if (style === 'percent') {
      this.#percents ??= [];
      this.#percents.push(this.#place);
    }
    if (style !== 'date') return number;
    return toDate(number, this.#workbook.from1904) ?? number;
  }

  #closeRow(): void {
    const { length } = this.#cells;
    if (length === 0) return;
    const place = `${sheetName(this.#workbook.sheet)}, row ${this.#line},`;
    this.#budget.expand(rowBytes(1, length) + this.#textBytes, place);
    const percents = this.#percents ?? NONE;
    this.#rows.push({ line: this.#line, cells: this.#cells, isText: this.#isText, percents });
  }

  #fault(message: string): FormatError {
    const cell = `${columnLetters(Math.max(this.#place, 0))}${this.#line}`;
    return new FormatError(`${sheetName(this.#workbook.sheet)}, cell ${cell}: ${message}`, Math.max(this.#line, 1));
  }
}

/** Returns the column of a reference such as `BC12`, from 0; −1 if it is none. */
function parseColumn(reference: string): number {
  let place = 0;
  for (let at = 0; at < Math.min(reference.length, 4); at++) {
    const letter = reference.charCodeAt(at) - 0x40;
    if (letter < 1 || letter > 26) return place - 1;
    place = 26 * place + letter;
  }
  return -1;
}

const DAY_MS = 86_400_000;
const FIRST_1904 = Date.UTC(1904, 0, 1);
const FIRST_1900 = Date.UTC(1899, 11, 30);

/** The day that Excel counts though 1900 had no 29 February: those before it are counted from a day later. */
const LEAP_DAY = 60;

/** Serial numbers up to the year 9999. */
const MAX_SERIAL = 2_958_466;

/** Returns the date of a serial number in ISO 8601; undefined where the calendar has none. */
function toDate(serial: number, from1904: boolean): string | undefined {
  if (serial < 0 || serial >= MAX_SERIAL) return undefined;
  const shift = !from1904 && serial < LEAP_DAY ? DAY_MS : 0;
  const time = (from1904 ? FIRST_1904 : FIRST_1900) + shift + Math.round(serial * DAY_MS);
  return (Number.isInteger(serial) ? dateText(time) : momentText(time)) ?? undefined;
}

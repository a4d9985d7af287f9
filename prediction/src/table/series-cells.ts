import { cellText, nameText, parseDate, type TextReader, wholeName } from './cells.js';
import { type Chunked, largeCodesByRow, valuesByRow } from './chunked-array.js';
import type { CellColumn } from './column-builder.js';
import {
  describeForm,
  ISO,
  localTime,
  type MomentForm,
  momentHint,
  type OrderReading,
  readMomentText,
} from './moments.js';
import { type DateOrder, PLAIN_NUMBERS, type Place, type ReadingMarks } from './reading/column-reading.js';
import { looksLike } from './reading/create-reader.js';
import { DAY } from './reading/date-forms.js';
import { DATE_ORDERS, DateOrders } from './reading/date-order.js';
import { quote, TableError } from './table-error.js';
import { detached } from './text-column.js';
import type { TimeGrid } from './time-grid.js';

/** The most distinct values of a group column, and the characters of one. */
const MAX_GROUPS = 1_000_000;
const MAX_GROUP_LENGTH = 1000;

/** Takes cells of a column. */
export interface CellSink {
  /** @param place of the row in the sender's own text, where it is known. */
  put(row: number, cell: unknown, place?: Place): void;
  /**
   * @param rows the index of each cell's row, negative where it is left out.
   * @param first the index of the first of them in the sender's table.
   */
  putColumn(rows: Int32Array, cells: CellColumn, first: number): void;
}

/** Cells that are put one by one, however they came. */
abstract class EachCell implements CellSink {
  constructor(
    protected readonly name: string,
    protected readonly placeOf: (row: number) => Place,
  ) {}

  abstract put(row: number, cell: unknown): void;

  putColumn(rows: Int32Array, cells: CellColumn): void {
    if (cells.kind === 'missing') return;
    for (const [index, row] of rows.entries()) {
      if (row >= 0) this.put(row, cells.value(index));
    }
  }

  protected fail(row: number, message: string): never {
    throw new TableError([{ message, column: this.name, ...this.placeOf(row) }]);
  }
}

/** Gathers the moments of rows, all of one form. The order of the numbers in dates is decided after the last row. */
export class OrderCells extends EachCell {
  readonly #marks: ReadingMarks;
  readonly #values = valuesByRow();
  readonly #orders = new DateOrders();
  readonly #byOrder = new Map<DateOrder, Chunked<Float64Array<ArrayBuffer>>>();
  /** For times with an offset, the local clock time, in milliseconds since 1970. */
  #clock: Chunked<Float64Array<ArrayBuffer>> | undefined;
  #hasOffsets = false;
  #form: MomentForm | undefined;
  #firstOfForm: Place | undefined;
  #isIso = true;

  /** @param readText of cells; without it, only the default words count as missing. */
  constructor(
    name: string,
    placeOf: (row: number) => Place,
    marks: ReadingMarks = {},
    private readonly readText: TextReader = cellText,
  ) {
    super(name, placeOf);
    this.#marks = marks;
  }

  override put(row: number, cell: unknown): void {
    const text = this.readText(cell);
    const moment = readMomentText(text);
    if (moment === undefined) this.#refuseText(row, text);
    this.#checkForm(row, text, moment.form);
    if (moment.byOrder === undefined) {
      if (moment.form !== 'number') this.#addDate(row, text);
      this.#values.set(row, moment.value);
      if (typeof moment.form === 'number') {
        this.#clock ??= valuesByRow();
        this.#clock.set(row, localTime(moment.form, moment.value));
      }
      return;
    }
    if (!this.#orders.add(moment, text, this.placeOf(row), false)) this.#refuseText(row, text);
    for (const order of DATE_ORDERS) {
      let values = this.#byOrder.get(order);
      if (values === undefined) {
        values = valuesByRow();
        this.#byOrder.set(order, values);
      }
      values.set(row, moment.byOrder[order]);
    }
  }

  #addDate(row: number, text: string): void {
    const isIso = ISO.test(text);
    this.#isIso &&= isIso;
    if (!Number.isNaN(parseDate(text))) this.#orders.addIso(text, this.placeOf(row));
  }

  /** Returns the moments of all rows, and how their texts are read. */
  take(rowCount: number) {
    const moments = this.#values.take(rowCount);
    const reading = this.#decide();
    if (reading.kind === 'date' && reading.order !== 'iso' && reading.order !== 'unambiguous') {
      const ordered = this.#byOrder.get(reading.order)?.take(rowCount) ?? [];
      for (const [row, value] of ordered.entries()) {
        if (!Number.isNaN(value)) moments[row] = value;
      }
    }
    const missing = moments.findIndex(Number.isNaN);
    if (missing >= 0) this.put(missing, null);
    const days = this.#takeDays(rowCount);
    if (days && reading.kind === 'date') {
      return { form: 'local' as const, moments: days, reading: { ...reading, by_clock: true as const } };
    }
    return { form: this.#form ?? 'number', moments, reading };
  }

  /** Returns days whose offset changes with the season as a clock showed them, if it always showed the same hour. */
  #takeDays(rowCount: number): Float64Array | undefined {
    const clock = this.#hasOffsets ? this.#clock?.take(rowCount) : undefined;
    const hourOf = (time = 0) => ((time % DAY) + DAY) % DAY;
    const hour = hourOf(clock?.[0]);
    return clock?.every((time) => hourOf(time) === hour) ? clock : undefined;
  }

  #decide(): OrderReading {
    if (this.#form === 'number') return PLAIN_NUMBERS;
    const reading = this.#orders.decide(this.#marks);
    if (reading.kind === 'undecided') {
      const message = `The column ${quote(this.name)} cannot be read: ${reading.reason}.`;
      throw new TableError([{ message, column: this.name }]);
    }
    return reading.order === 'iso' && !this.#isIso ? { ...reading, order: 'unambiguous' } : reading;
  }

  #checkForm(row: number, text: string, form: MomentForm): void {
    const first = this.#form;
    if (first === undefined) {
      this.#form = form;
      this.#firstOfForm = this.placeOf(row);
      return;
    }
    if (form === first) return;
    // Local times whose offset changes with the season are moments.
    if (typeof form === 'number' && typeof first === 'number') {
      this.#form = UTC;
      this.#hasOffsets = true;
    } else this.#refuseForm(row, text, form, first);
  }

  #refuseText(row: number, text: string): never {
    const what = text === '' ? 'no value' : `${quote(text)}, which is ${describeUnread(text)}`;
    this.fail(row, `The row has ${what} in the column ${quote(this.name)}. ${momentHint(this.name)}.`);
  }

  #refuseForm(row: number, text: string, form: MomentForm, first: MomentForm): never {
    const place = this.#firstOfForm ?? { row: 0 };
    const where = 'line' in place ? `line ${place.line}` : `row ${place.row}`;
    this.fail(
      row,
      `The column ${quote(this.name)} has two forms: ${describeForm(first)} in ${where}, and ${describeForm(form)} here, ${quote(text)}. Write all in one form.`,
    );
  }
}

function describeUnread(text: string): string {
  return looksLike('date', text) ? 'no day of the calendar' : 'neither a number nor a date';
}

/** The offset under which moments with several offsets are written. */
const UTC = 0;

/** Gathers the values of a group column, each once. */
export class GroupCells extends EachCell {
  readonly #codes = largeCodesByRow();
  readonly #codeOf = new Map<string, number>([['', 0]]);

  /**
   * @param parameter that names the column.
   * @param readText of cells; without it, no word counts as missing.
   */
  constructor(
    name: string,
    placeOf: (row: number) => Place,
    private readonly parameter: 'group_by' | 'validate_by',
    private readonly readText: TextReader = nameText,
  ) {
    super(name, placeOf);
  }

  override put(row: number, cell: unknown): void {
    const text = wholeName(this.readText(cell));
    let code = this.#codeOf.get(text);
    if (code === undefined) {
      code = this.#codeOf.size;
      if (code > MAX_GROUPS || text.length > MAX_GROUP_LENGTH) this.#refuse(row, text);
      this.#codeOf.set(detached(text), code);
    }
    this.#codes.set(row, code);
  }

  take(rowCount: number): { texts: string[]; codes: Uint32Array } {
    return { texts: [...this.#codeOf.keys()], codes: this.#codes.take(rowCount) };
  }

  #refuse(row: number, text: string): never {
    const fault =
      text.length > MAX_GROUP_LENGTH
        ? `a value of more than ${MAX_GROUP_LENGTH} characters`
        : `more than ${MAX_GROUPS.toLocaleString('en')} different values`;
    const message = `The column ${quote(this.name)}, which ${this.parameter} names, has ${fault}. Name a column of fewer and shorter values.`;
    this.fail(row, message);
  }
}

/** The smallest double that has all of its digits. */
const MIN_STEP = 2 ** -1022;

/** @throws {TableError} if moments that are numbers are too far apart or too close for doubles to count steps between them. */
export function refuseExtremes(name: string, moments: Float64Array, { origin, step }: TimeGrid): void {
  let last = origin;
  for (const moment of moments) last = Math.max(last, moment);
  if (Number.isFinite(last - origin) && step.count >= MIN_STEP) return;
  const message = `The values of the column ${quote(name)}, ${origin} to ${last}, are too far apart or too close to count steps between them. Write smaller or larger numbers, such as 1, 2, 3.`;
  throw new TableError([{ message, column: name }]);
}

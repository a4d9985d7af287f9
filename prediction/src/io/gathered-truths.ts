import {
  hashId,
  type IdColumns,
  listIdColumns,
  parseRowId,
  refuseUnusedIds,
  writeEarlierId,
  writeId,
} from '../promises/ids.js';
import { matchIds, type PromisedIds } from '../promises/match-ids.js';
import type { RowBlock } from '../rows/row-binner.js';
import type { SchemaCheck } from '../rows/row-check.js';
import { nameText, type RowObject, type TextReader, textReader } from '../table/cells.js';
import { listNames, ROW_ID_COLUMN } from '../table/column-names.js';
import { InvalidRowsError } from '../table/invalid-rows.js';
import type { NumberReading } from '../table/reading/column-reading.js';
import { readClearNumber } from '../table/reading/number-forms.js';
import { quote } from '../table/table-error.js';
import { FormatError } from './columns/format-error.js';

/** The most rows of a body, which are all held until they are in the order of their promises. */
const MAX_TRUTHS = 1_000_000;

/** Truths that are handed over together. */
const CHUNK = 16_384;

/** The longest text of a truth; no class has a longer name. */
const MAX_TEXT = 1000;

/** Names of other columns that are reported where none is the target. */
const MAX_UNKNOWN = 100;

/** The columns of a body of truths. */
export interface TruthColumns {
  readonly target: string;
  /** How its texts are read, as a model has it. */
  readonly reading: NumberReading | null;
  /** The words that count as missing in it, as for `textReader`. */
  readonly missingWords: readonly string[] | undefined;
  /** The columns that name a row which has no id of the answer's; none where all rows have one. */
  readonly ids: IdColumns | undefined;
}

/** The reason why a row of truths is left out before it is compared with promises. */
export type UnreadTruth = 'id-missing' | 'target-missing' | 'repeated' | 'unreadable' | 'unknown-id';

/** A truth that came. */
export interface SentTruth {
  /** The number of its row in the body, from 1. */
  readonly line: number;
  readonly value: string | number;
  /** The row whose truth it is, in the answer or the batch of promises. */
  readonly row: number;
  /** False for an earlier forecast of the same moment, which the latest one is counted for. */
  readonly isLatest: boolean;
}

/** Truths of one answer, or of one batch of promises, by row. */
export interface TruthGroup {
  readonly kind: 'answer' | 'batch';
  readonly id: string;
  readonly truths: SentTruth[];
}

/** Truths in the order of their promises, and rows that are none. */
export interface TruthChunk {
  /** Those of answers first. */
  readonly groups: readonly TruthGroup[];
  readonly unread: readonly (readonly [line: number, why: UnreadTruth])[];
  /** Rows that say again what an earlier one said. */
  readonly repeats: number;
}

type Value = Pick<SentTruth, 'line' | 'value'>;

/** A truth of a row of an answer. */
interface RowTruth extends Value {
  readonly answer: string;
  readonly row: number;
}

/** The id of a row: its row of an answer, or a hash; `unknown` for a text that no answer has given. */
type Key = { readonly answer: string; readonly row: number } | number | 'unknown';

/** The truths of one body. */
export class GatheredTruths {
  readonly #columns: TruthColumns;
  readonly #readText: TextReader;
  readonly #ofRows: RowTruth[] = [];
  readonly #ofIds: Value[] = [];
  /** By row of an answer, and by the hash of an id, the place of its truth. */
  readonly #rowPlaces = new Map<string, number>();
  readonly #idPlaces = new Map<number, number>();
  readonly #unread: [number, UnreadTruth][] = [];
  #answer = '';
  #line = 0;
  #repeats = 0;
  /** Rows that were read, and those of them that have no id. */
  #read = 0;
  #nameless = 0;
  /** True if a row has the column of the target, with a value or without. */
  #hasTarget = false;
  /** The columns that the rows were found to have, as long as none has the target. */
  readonly #names = new Set<string>();

  constructor(columns: TruthColumns) {
    this.#columns = columns;
    this.#readText = textReader(columns.missingWords);
  }

  /** @throws {FormatError} if there are too many rows */
  add(item: RowBlock | 'unreadable'): void {
    if (item === 'unreadable') {
      this.#countLine();
      this.#unread.push([this.#line, 'unreadable']);
      return;
    }
    const { ids, target } = this.#columns;
    const rowId = item.readColumn(ROW_ID_COLUMN);
    const cells = ids ? listIdColumns(ids).map((name) => item.readColumn(name)) : [];
    const truthAt = item.readColumn(target);
    for (let row = 0; row < item.rowCount; row++) {
      this.#countLine();
      const values = cells.map((cell) => cell(row));
      const key = this.#readKey(nameText(rowId(row)), ids, values);
      const place = this.#addTruth(key, truthAt(row));
      if (ids && place !== undefined) this.#addEarlierId(ids, values, place);
      if (!this.#hasTarget) this.#findTarget(item.row(row));
    }
  }

  /**
   * Refuses rows of which none can meet a promise, for lack of a column.
   *
   * @param check knows the names of the rows that are neither the target nor of ids
   * @throws {InvalidRowsError} if no row has a value in the column of ids, or none has the column of the target
   */
  refuseAbsent(check: SchemaCheck): void {
    if (this.#read === 0) return;
    const { ids, target } = this.#columns;
    if (this.#nameless === this.#read) refuseUnusedIds(ids, this.#read);
    if (this.#hasTarget) return;
    const others = check.unknownNames(MAX_UNKNOWN).map(({ name }) => name);
    const names = [...new Set([...this.#names, ...others])];
    const message = `has no column ${quote(target)}, which is the target of the model; name it as the table of the training did. The columns are: ${listNames(names)}`;
    throw new InvalidRowsError([{ message }]);
  }

  /**
   * Yields what was gathered, and finds the promises of ids.
   *
   * @param promised as for `matchIds`
   */
  async *chunks(promised: AsyncIterable<PromisedIds>): AsyncGenerator<TruthChunk, undefined> {
    const { matches, isMet } = await matchIds(this.#idPlaces, promised);
    for (const [place, { line }] of this.#ofIds.entries()) {
      if (isMet[place] === 0) this.#unread.push([line, 'unknown-id']);
    }
    for (let at = 0; at < this.#unread.length; at += CHUNK) {
      yield { groups: [], unread: this.#unread.slice(at, at + CHUNK), repeats: 0 };
    }
    let groups: TruthGroup[] = [];
    let count = 0;
    const add = (kind: TruthGroup['kind'], id: string, truth: SentTruth) => {
      const last = groups.at(-1);
      if (last?.id === id) last.truths.push(truth);
      else groups.push({ kind, id, truths: [truth] });
      count++;
    };
    const take = () => {
      const taken = groups;
      groups = [];
      count = 0;
      return taken;
    };
    for (const { answer, ...truth } of this.#ofRows.sort(compareRows)) {
      add('answer', answer, { ...truth, isLatest: true });
      if (count === CHUNK) yield { groups: take(), unread: [], repeats: 0 };
    }
    for (const { truth, batch, row, isLatest } of matches) {
      const value = this.#ofIds[truth];
      if (value) add('batch', batch, { ...value, row, isLatest });
      if (count === CHUNK) yield { groups: take(), unread: [], repeats: 0 };
    }
    yield { groups: take(), unread: [], repeats: this.#repeats };
  }

  #countLine(): void {
    if (this.#line++ < MAX_TRUTHS) return;
    const limit = MAX_TRUTHS.toLocaleString('en');
    throw new FormatError(`The body has more than ${limit} rows. Send them in several requests.`);
  }

  #findTarget(row: RowObject): void {
    this.#hasTarget = Object.hasOwn(row, this.#columns.target);
    for (const name of Object.keys(row)) this.#names.add(name);
  }

  #readKey(rowId: string, ids: IdColumns | undefined, cells: readonly unknown[]): Key | null {
    if (ids === undefined || (ids.kind === 'series' && rowId !== '')) {
      if (rowId === '') return null;
      const { answer, row } = parseRowId(rowId) ?? {};
      if (answer === undefined || row === undefined) return 'unknown';
      // Most rows are of the answer of the row before.
      if (answer !== this.#answer) this.#answer = flatten(answer);
      return { answer: this.#answer, row };
    }
    const id = writeId(ids, cells);
    return id === '' ? null : hashId(id);
  }

  /** Lets a truth match promises that an earlier release stored under another text of its id. */
  #addEarlierId(ids: IdColumns, cells: readonly unknown[], place: number): void {
    const id = writeEarlierId(ids, cells);
    if (id !== '') this.#idPlaces.set(hashId(id), place);
  }

  /** Returns the place of a truth, if it is the first with its id. */
  #addTruth(key: Key | null, sent: unknown): number | undefined {
    const line = this.#line;
    const text = this.#readText(sent);
    this.#read++;
    if (key === null) this.#nameless++;
    if (key === null || text === '' || key === 'unknown') {
      const why = key === null ? 'id-missing' : text === '' ? 'target-missing' : 'unknown-id';
      this.#unread.push([line, why]);
      return undefined;
    }
    const earlier = this.#find(key);
    if (earlier) {
      if (isSame(earlier.value, text)) this.#repeats++;
      else this.#unread.push([line, 'repeated']);
      return undefined;
    }
    const value = typeof sent === 'number' ? sent : flatten(text.slice(0, MAX_TEXT));
    if (typeof key === 'number') {
      this.#idPlaces.set(key, this.#ofIds.length);
      return this.#ofIds.push({ line, value }) - 1;
    }
    this.#rowPlaces.set(`${key.answer}-${key.row}`, this.#ofRows.length);
    this.#ofRows.push({ line, value, ...key });
    return undefined;
  }

  /** Returns the truth of the same row. */
  #find(key: Exclude<Key, 'unknown'>): Value | undefined {
    return typeof key === 'number'
      ? this.#ofIds[this.#idPlaces.get(key) ?? -1]
      : this.#ofRows[this.#rowPlaces.get(`${key.answer}-${key.row}`) ?? -1];
  }
}

function compareRows(one: RowTruth, other: RowTruth): number {
  if (one.answer !== other.answer) return one.answer < other.answer ? -1 : 1;
  return one.row - other.row;
}

function isSame(earlier: string | number, text: string): boolean {
  const before = String(earlier);
  return before === text || readClearNumber(before) === readClearNumber(text);
}

/** A copy, as a part of a text would keep all of it in memory. */
function flatten(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

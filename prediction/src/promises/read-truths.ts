import { DeclinedError, type ReadOptions } from '../io/answer-part.js';
import { openReader } from '../io/answer-rows.js';
import { ByteBudget } from '../io/columns/byte-budget.js';
import { FormatError, JsonShapeError } from '../io/columns/format-error.js';
import { layOutAnswer } from '../serving/answer-layout.js';
import { RowBinner, type RowBlock } from '../serving/row-binner.js';
import { SchemaChecks } from '../serving/row-check.js';
import { objectBlocks, type RowColumns } from '../serving/row-server.js';
import { cellText, groupText, parseNumber } from '../table/cells.js';
import { ROW_ID_COLUMN } from '../table/column-names.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { finish } from '../trees/steps.js';
import { hashId, type IdColumns, idOf, listIdColumns, parseRowId, refuseUnusedIds } from './ids.js';

/** The most rows of a body, which are all held until they are in the order of their promises. */
const MAX_TRUTHS = 1_000_000;

/** Truths that are handed over together. */
const CHUNK = 16_384;

/** Rows that are read together. */
const MAX_ROWS = 256;

/** The longest text of a truth; no class has a longer name. */
const MAX_TEXT = 1000;

/** The columns of a body of truths. */
export interface TruthColumns {
  readonly target: string;
  /** The columns that name a row which has no id of the answer's; none where all rows have one. */
  readonly ids: IdColumns | undefined;
}

/** The row whose truth it is: a row of an answer, or the hash of an id. */
export type TruthKey = readonly [answer: string, row: number] | number;

/** A truth that came: the number of its row in the body, from 1; of which row it is; and its value. */
export type SentTruth = readonly [line: number, key: TruthKey, value: string | number];

/** The reason why a row of truths is left out before it is compared with promises. */
export type UnreadTruth = 'id-missing' | 'target-missing' | 'repeated' | 'unreadable';

/** Truths in the order of the rows of their answers, or as they came, and rows that are none. */
export interface TruthChunk {
  readonly truths: readonly SentTruth[];
  readonly unread: readonly (readonly [line: number, why: UnreadTruth])[];
  /** Rows that say again what an earlier one said. */
  readonly repeats: number;
}

/**
 * Reads a body of truths in any format as a whole, and yields them in chunks.
 *
 * @throws {FormatError} at a fault of the body that ends its reading, or if it has too many rows
 * @throws {InvalidRowsError} if no row has a value in the column of ids
 * @throws {JsonShapeError} if it is JSON, and not an array
 * @throws {SyntaxError} if it is JSON that cannot be parsed
 * @throws the error of the body
 */
export async function* readTruths(
  body: AsyncIterable<Uint8Array>,
  columns: TruthColumns,
  options: ReadOptions,
): AsyncGenerator<TruthChunk> {
  const gathered = new GatheredTruths(columns);
  for await (const item of readBlocks(body, describeColumns(columns), options)) gathered.add(item);
  yield* gathered.chunks();
}

async function* readBlocks(
  body: AsyncIterable<Uint8Array>,
  blocks: RowColumns,
  options: ReadOptions,
): AsyncGenerator<RowBlock | 'unreadable'> {
  const budget = new ByteBudget();
  const pieces: Uint8Array[] = [];
  async function* kept() {
    for await (const piece of body) {
      // JSON may have to be read again.
      if (options.from === 'json') pieces.push(piece);
      yield piece;
    }
  }
  try {
    const reader = await openReader(blocks, options, blocks.check(), budget);
    for await (const read of reader.read(kept())) {
      for (const item of read) yield 'kind' in item ? 'unreadable' : item;
    }
  } catch (error) {
    if (!(error instanceof DeclinedError)) throw error;
    const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString());
    if (!Array.isArray(parsed)) throw new JsonShapeError('must be an array of rows');
    yield* objectBlocks(parsed, blocks);
  }
}

/** Returns the columns of truths as a reader of rows knows those of a model, which has no features of them. */
function describeColumns({ target, ids }: TruthColumns): RowColumns {
  const columns = (ids ? listIdColumns(ids) : []).map((name): ColumnSummary => {
    return {
      ...{ name, kind: 'category', used: false, reason: null, missing_share: 0, min: null },
      ...{ max: null, categories: null, reading: null, importance: null },
    };
  });
  const model = { columns, target, features: [], partial_rows: null };
  const checks = finish(SchemaChecks.create(model, () => false));
  return {
    columns,
    layout: layOutAnswer(model, false, () => []),
    names: checks.names,
    binner: finish(RowBinner.create(model)),
    maxRows: MAX_ROWS,
    check: () => checks.begin(),
  };
}

/** The truths of one body. */
class GatheredTruths {
  readonly #columns: TruthColumns;
  readonly #truths: SentTruth[] = [];
  readonly #unread: [number, UnreadTruth][] = [];
  /** By the text of a key, the place of its truth. */
  readonly #places = new Map<string, number>();
  #answer = '';
  #line = 0;
  #repeats = 0;
  /** Rows that were read, and those of them that have no id. */
  #read = 0;
  #nameless = 0;

  constructor(columns: TruthColumns) {
    this.#columns = columns;
  }

  /** @throws {FormatError} if there are too many rows */
  add(item: RowBlock | 'unreadable'): void {
    if (item === 'unreadable') {
      this.#countLine();
      this.#unread.push([this.#line, 'unreadable']);
      return;
    }
    const { ids, target } = this.#columns;
    const rowId = item.valuesOf(ROW_ID_COLUMN);
    const cells = ids ? listIdColumns(ids).map((name) => item.valuesOf(name)) : [];
    const truthAt = item.valuesOf(target);
    for (let row = 0; row < item.rowCount; row++) {
      this.#countLine();
      const values = cells.map((cell) => cell(row));
      const key = this.#readKey(groupText(rowId(row)), ids, values);
      this.#addTruth(key, truthAt(row));
    }
  }

  /** @throws {InvalidRowsError} if no row has a value in the column of ids. */
  *chunks(): Generator<TruthChunk> {
    if (this.#nameless === this.#read) refuseUnusedIds(this.#columns.ids, this.#read);
    this.#sort();
    const truths = this.#truths;
    const unread = this.#unread;
    let repeats = this.#repeats;
    for (let at = 0; at < Math.max(truths.length, unread.length, 1); at += CHUNK) {
      yield {
        truths: truths.slice(at, at + CHUNK),
        unread: unread.slice(at, at + CHUNK),
        repeats,
      };
      repeats = 0;
    }
  }

  #countLine(): void {
    if (this.#line++ < MAX_TRUTHS) return;
    const limit = MAX_TRUTHS.toLocaleString('en');
    throw new FormatError(`The body has more than ${limit} rows. Send them in several requests.`);
  }

  #readKey(rowId: string, ids: IdColumns | undefined, cells: readonly unknown[]): TruthKey | null {
    // A text that is no id of an answer names no row, so it is told as unknown.
    const { answer, row } = parseRowId(rowId) ?? { answer: '', row: 0 };
    if (ids === undefined || (ids.kind === 'series' && rowId !== '')) {
      return rowId === '' ? null : [this.#keepAnswer(answer), row];
    }
    const id = idOf(ids, cells);
    return id === '' ? null : hashId(id);
  }

  /** Most rows are of the answer of the row before. */
  #keepAnswer(answer: string): string {
    if (answer !== this.#answer) this.#answer = flatten(answer);
    return this.#answer;
  }

  #addTruth(key: TruthKey | null, value: unknown): void {
    const line = this.#line;
    const text = cellText(value);
    this.#read++;
    if (key === null) {
      this.#nameless++;
      this.#unread.push([line, 'id-missing']);
    } else if (text === '') this.#unread.push([line, 'target-missing']);
    else {
      const name = typeof key === 'number' ? String(key) : `${key[0]}-${key[1]}`;
      const earlier = this.#truths[this.#places.get(name) ?? -1];
      if (earlier === undefined || name === '-0') {
        this.#places.set(name, this.#truths.length);
        const kept = typeof value === 'number' ? value : flatten(text.slice(0, MAX_TEXT));
        this.#truths.push([line, key, kept]);
      } else if (isSame(earlier[2], text)) this.#repeats++;
      else this.#unread.push([line, 'repeated']);
    }
  }

  /** Sorts truths by the rows of their answers; those of ids stay in the order in which they came. */
  #sort(): void {
    this.#truths.sort(([line, one], [otherLine, other]) => {
      if (typeof one === 'number' || typeof other === 'number') {
        return (
          Number(typeof one === 'number') - Number(typeof other === 'number') || line - otherLine
        );
      }
      if (one[0] !== other[0]) return one[0] < other[0] ? -1 : 1;
      return one[1] - other[1] || line - otherLine;
    });
  }
}

function isSame(earlier: string | number, text: string): boolean {
  const before = String(earlier);
  return before === text || parseNumber(before) === parseNumber(text);
}

/** A copy, as a part of a text would keep all of it in memory. */
function flatten(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

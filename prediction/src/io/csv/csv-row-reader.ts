import type { RowColumns } from '../../rows/blocks.js';
import { ObjectBlock, type RowBlock } from '../../rows/row-binner.js';
import type { SchemaCheck } from '../../rows/row-check.js';
import type { RowObject } from '../../table/cells.js';
import { columnName, nameIndex } from '../../table/column-names.js';
import { quote } from '../../table/table-error.js';
import { type ReadOptions, type RowReader, refuseUnknown } from '../answer-part.js';
import { CellBinner } from '../cells/cell-binner.js';
import type { BlockPlace } from '../cells/cell-block.js';
import { CellMemory } from '../cells/cell-memory.js';
import { FormatError } from '../columns/format-error.js';
import { type CsvRecord, CsvScanner } from './csv-scanner.js';
import { type Charset, toUtf8 } from './csv-text.js';

/**
 * Reads rows of CSV as they arrive. The first line has the names of the columns, in any order; without it (`header:
 * false`) the fields are the model's input columns in their order. A cell is the text of its field, an empty one is
 * missing, and so are the cells that a row is short of.
 */
export class CsvRowReader implements RowReader {
  readonly isWhole = false;
  readonly #blocks: RowColumns;
  readonly #unknown: ReadOptions['unknown'];
  readonly #charset: Charset | undefined;
  readonly #check: SchemaCheck;
  readonly #scanner: CsvScanner;
  /** Undefined until the header has been read. */
  #rows: ObjectRows | CellRows | undefined;

  constructor(blocks: RowColumns, { unknown, form = {} }: ReadOptions, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#charset = form.charset;
    this.#check = check;
    this.#scanner = new CsvScanner(form);
    if (form.header === false) this.#begin(new CsvHeader(blocks.names.inputs));
  }

  /**
   * Yields the rows of each piece of the body.
   *
   * @throws {FormatError} as `CsvScanner` does, and at a header with a doubled name, and a row that is longer than it
   * @throws {UnknownNamesError} if the header has unknown names that are to be refused
   */
  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<RowBlock>> {
    try {
      for await (const piece of toUtf8(body, this.#charset)) {
        yield this.#readRecords(this.#scanner.add(piece));
      }
      yield this.#readRecords(this.#scanner.end());
      if (this.#rows === undefined) {
        throw new FormatError('The body is empty. Send a header line and a line for each row.');
      }
    } finally {
      if (this.#rows instanceof CellRows) this.#rows.close();
    }
  }

  *#readRecords(parts: Iterable<Buffer>): Generator<RowBlock> {
    for (const records of parts) {
      const rest = this.#rows === undefined ? this.#readHeader(records) : records;
      if (this.#rows !== undefined && rest.length > 0) yield* this.#rows.read(this.#scanner, rest);
    }
  }

  /** Reads the first record, if there is one, and returns the bytes behind it. */
  #readHeader(bytes: Buffer): Buffer {
    const [record] = this.#scanner.parse(bytes);
    if (record === undefined) return bytes.subarray(bytes.length);
    const header = CsvHeader.of(record);
    if (this.#unknown === 'refuse') header.refuseUnknown(this.#blocks.check());
    this.#begin(header);
    return bytes.subarray(Buffer.byteLength(bytes.toString().slice(0, this.#scanner.at)));
  }

  #begin(header: CsvHeader): void {
    const objects = new ObjectRows(this.#blocks, header, this.#check);
    this.#rows = CellRows.open(this.#blocks, header, this.#check, objects) ?? objects;
  }
}

/** The names of the fields of each row. */
class CsvHeader {
  /** By field, without blanks at their ends. */
  readonly names: readonly string[];
  /** True if a field has no name: its values are reported under an unknown name. */
  readonly hasUnnamed: boolean;
  readonly #isPlain: boolean;

  /**
   * Reads the record of a header. A first field without a name is an index; any number of others may lack a name.
   *
   * @throws {FormatError} if it has a name twice.
   */
  static of({ fields, line }: CsvRecord): CsvHeader {
    const names = nameIndex(fields.map(columnName));
    const seen = new Set<string>();
    for (const name of names) {
      if (name !== '' && seen.has(name)) {
        throw new FormatError(
          `The header on line ${line} names two columns ${quote(name)}. Give each column a name of its own.`,
        );
      }
      seen.add(name);
    }
    return new CsvHeader(names);
  }

  constructor(names: readonly string[]) {
    this.names = names;
    this.hasUnnamed = names.includes('');
    this.#isPlain = !names.includes('__proto__');
  }

  /** @throws {UnknownNamesError} if a fresh check does not know a name */
  refuseUnknown(check: SchemaCheck): void {
    check.add([this.emptyRow()]);
    refuseUnknown(check);
  }

  /** Returns a row without values. */
  emptyRow(): RowObject {
    return this.row({ fields: [], line: 0 });
  }

  /** @throws {FormatError} if the record has more fields than there are names. */
  row({ fields, line }: CsvRecord): RowObject {
    const { names } = this;
    if (fields.length > names.length) {
      throw new FormatError(
        `The row that begins on line ${line} has ${fields.length} fields, and there are ${names.length} columns. Put a field that holds the delimiter in quotes.`,
      );
    }
    // Without a prototype, `__proto__` is a key as any other; objects with one are read faster.
    const row: Record<string, unknown> = this.#isPlain ? {} : Object.create(null);
    for (let index = 0; index < names.length; index++) {
      const name = names[index] ?? '';
      if (name !== '') row[name] = fields[index] || null;
      else if (fields[index]) row[''] = fields[index];
    }
    return row;
  }
}

/** Reads records as objects, in plain TypeScript. */
class ObjectRows {
  readonly #blocks: RowColumns;
  readonly #header: CsvHeader;
  readonly #check: SchemaCheck;

  constructor(blocks: RowColumns, header: CsvHeader, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#header = header;
    this.#check = check;
  }

  /**
   * Yields the rows of whole records.
   *
   * @throws {FormatError} at a faulty record.
   */
  *read(scanner: CsvScanner, bytes: Buffer): Generator<ObjectBlock> {
    const { maxRows, binner } = this.#blocks;
    let rows: RowObject[] = [];
    for (const record of scanner.parse(bytes)) {
      rows.push(this.#header.row(record));
      if (rows.length < maxRows) continue;
      this.#check.add(rows);
      yield new ObjectBlock(rows, binner);
      rows = [];
    }
    if (rows.length === 0) return;
    this.#check.add(rows);
    yield new ObjectBlock(rows, binner);
  }
}

/** The end of a scan by the kernel: see `kernel/assembly/csv/records.ts`. */
const [DONE, DECLINED] = [1, 2];

/** The column of a field that is not read. */
const NONE = 0xffff_ffff;

/** The memory that is lent for one body, and what is where in it. */
interface Layout {
  readonly lent: CellMemory;
  readonly binner: CellBinner;
  readonly place: BlockPlace;
  /** The number of cells of a row. */
  readonly width: number;
  /** By field, the column of its cells. */
  readonly columns: number;
}

/**
 * Reads records as cells, in the kernel. A faulty record, and those behind it, are left to the way of objects. Close it
 * when all is read, or nothing more is to be.
 */
class CellRows {
  readonly #blocks: RowColumns;
  readonly #header: CsvHeader;
  readonly #check: SchemaCheck;
  readonly #objects: ObjectRows;
  readonly #layout: Layout;
  #rows = 0;

  /**
   * Returns nothing if there is no memory of the kernel, or there are fields without a name: the kernel does not report
   * which of these have values.
   */
  static open(blocks: RowColumns, header: CsvHeader, check: SchemaCheck, objects: ObjectRows): CellRows | undefined {
    const lent = header.hasUnnamed ? undefined : CellMemory.tryAcquire(blocks);
    return lent && new CellRows(lent, blocks, header, check, objects);
  }

  private constructor(
    lent: CellMemory,
    blocks: RowColumns,
    header: CsvHeader,
    check: SchemaCheck,
    objects: ObjectRows,
  ) {
    this.#blocks = blocks;
    this.#header = header;
    this.#check = check;
    this.#objects = objects;
    this.#layout = layOut(lent, blocks, header);
  }

  /**
   * Yields the rows of whole records. Each block holds until the next one is asked for.
   *
   * @throws {FormatError} at a faulty record.
   */
  *read(scanner: CsvScanner, bytes: Buffer): Generator<RowBlock> {
    const { lent, binner, place, columns } = this.#layout;
    const { maxRows } = this.#blocks;
    const { kernel } = lent.memory;
    const start = lent.put([bytes]);
    const end = start + bytes.length;
    const width = this.#layout.width;
    const fields = this.#header.names.length;
    for (let at = start, code = -1; code !== DONE; ) {
      const { memory } = lent;
      binner.clear(place, end - at);
      const ofScan = [at, end, scanner.delimiter, columns, fields] as const;
      code = kernel.scanRecords(...ofScan, place.cells, width, maxRows);
      const state = kernel.recordStateAddress() / 4;
      const [next = 0, count = 0, lines = 0] = memory.words.subarray(state, state + 3);
      at = next;
      scanner.passOver(lines);
      this.#rows += count;
      if (count > 0) yield binner.block(place, count);
      if (code === DECLINED) {
        yield* this.#objects.read(scanner, bytes.subarray(at - start));
        return;
      }
    }
  }

  /** Adds the counts to the check, and gives the memory back. */
  close(): void {
    const { lent, binner } = this.#layout;
    binner.report(this.#check);
    this.#count(this.#rows);
    lent.release();
  }

  /** Counts rows that have the names of the header. Their values were counted by the kernel. */
  #count(rows: number): void {
    if (rows === 0) return;
    const empty = this.#header.emptyRow();
    const { unknown, hasInput } = this.#blocks.names.findLayout(empty);
    this.#check.add([empty]);
    this.#check.skip(rows - 1);
    for (const name of unknown) this.#check.addUnknown(name, rows - 1);
    if (!hasInput) this.#check.addWithoutColumn(rows - 1);
  }
}

function layOut(lent: CellMemory, blocks: RowColumns, { names }: CsvHeader): Layout {
  const { memory, plan } = lent;
  const columnOf = new Map(plan.columns.map((name, index) => [name, index]));
  const known = names.filter((name) => columnOf.has(name));
  const empty = Object.fromEntries(known.map((name) => [name, null]));
  const binner = new CellBinner(lent, blocks, readText, empty);
  const place = binner.room();
  const columns = memory.allocate(4 * names.length);
  for (const [field, name] of names.entries()) {
    memory.words[columns / 4 + field] = columnOf.get(name) ?? NONE;
  }
  return { lent, binner, place, width: plan.columns.length, columns };
}

/** Returns the text of a field, given the bytes within its quotes. */
function readText(bytes: Buffer): string {
  return bytes.toString().replaceAll('""', '"');
}

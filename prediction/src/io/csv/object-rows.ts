import type { RowCheck } from '../../row-check/row-check.js';
import { ObjectBlock } from '../../serving/row-binner.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { RowObject } from '../../table/cells.js';
import { columnName } from '../../table/column-names.js';
import { quote } from '../../table/table-error.js';
import { refuseUnknown } from '../answer-part.js';
import { FormatError } from '../columns/format-error.js';
import type { CsvRecord, CsvScanner } from './csv-scanner.js';

/** The names of the fields of each row. */
export class CsvHeader {
  /** By field, without blanks at their ends. */
  readonly names: readonly string[];
  readonly #isPlain: boolean;

  /**
   * Reads the record of a header.
   *
   * @throws {FormatError} if it has a name twice. Fields without a name may be many; they are not read.
   */
  static of({ fields, line }: CsvRecord): CsvHeader {
    const names = fields.map(columnName);
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
    this.#isPlain = !names.includes('__proto__');
  }

  /** @throws {UnknownNamesError} if a fresh check does not know a name */
  refuseUnknown(check: RowCheck): void {
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
      row[names[index] ?? ''] = fields[index] || null;
    }
    return row;
  }
}

/** Reads records as objects, in plain TypeScript. */
export class ObjectRows {
  readonly #blocks: BlockPredictor;
  readonly #header: CsvHeader;
  readonly #check: RowCheck;

  constructor(blocks: BlockPredictor, header: CsvHeader, check: RowCheck) {
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

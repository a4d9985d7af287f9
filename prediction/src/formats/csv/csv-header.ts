import type { SchemaCheck } from '../../serving/row-check.js';
import type { RowObject } from '../../table/cells.js';
import { columnName } from '../../table/column-names.js';
import { quote } from '../../table/table-error.js';
import { RowsError, refuseUnknown } from '../answer-part.js';
import type { CsvRecord } from './record-parser.js';

/** The names of the fields of each row. */
export class CsvHeader {
  /** By field, without blanks at their ends. */
  readonly names: readonly string[];
  readonly #isPlain: boolean;

  /**
   * Reads the record of a header.
   *
   * @throws {RowsError} if it has a name twice. Fields without a name may be many; they are not read.
   */
  static of({ fields, line }: CsvRecord): CsvHeader {
    const names = fields.map(columnName);
    const seen = new Set<string>();
    for (const name of names) {
      if (name !== '' && seen.has(name)) {
        throw new RowsError(
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
  refuseUnknown(check: SchemaCheck): void {
    check.add([this.emptyRow()]);
    refuseUnknown(check);
  }

  /** Returns a row without values. */
  emptyRow(): RowObject {
    return this.row({ fields: [], line: 0 });
  }

  /** @throws {RowsError} if the record has more fields than there are names. */
  row({ fields, line }: CsvRecord): RowObject {
    const { names } = this;
    if (fields.length > names.length) throw longRow(line, fields.length, names.length);
    // Without a prototype, `__proto__` is a key as any other; objects with one are read faster.
    const row: Record<string, unknown> = this.#isPlain ? {} : Object.create(null);
    for (let index = 0; index < names.length; index++) {
      row[names[index] ?? ''] = fields[index] || null;
    }
    return row;
  }
}

function longRow(line: number, fields: number, names: number): RowsError {
  return new RowsError(
    `The row that begins on line ${line} has ${fields} fields, and there are ${names} columns. Put a field that holds the delimiter in quotes.`,
  );
}

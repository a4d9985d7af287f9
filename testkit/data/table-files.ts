import {
  Bool,
  type DataType,
  Dictionary,
  Float64,
  Int32,
  Message,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  type Schema,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import Papa from 'papaparse';
import type { FileFormat } from 'roster-client';
import { writeWorkbook } from './workbooks.js';

/** A column of a table that every format can hold. No text is empty: CSV has no other missing value. */
export type TestColumn =
  | { readonly kind: 'number'; readonly name: string; readonly values: readonly (number | null)[] }
  | { readonly kind: 'text'; readonly name: string; readonly values: readonly (string | null)[] }
  | { readonly kind: 'boolean'; readonly name: string; readonly values: readonly (boolean | null)[] };

export interface FileOptions {
  /** Rows in a batch of Arrow and in a row group of Parquet. Default: all. */
  readonly rowsPerBatch?: number;
  /** True if Arrow has its texts as dictionaries. */
  readonly dictionaries?: boolean;
}

/** Every format of rows and tables. */
export const FILE_FORMATS = ['json', 'ndjson', 'csv', 'arrow-stream', 'arrow-file', 'parquet', 'xlsx'] as const;

export function writeFile(format: FileFormat, columns: readonly TestColumn[], options: FileOptions = {}): Buffer {
  switch (format) {
    case 'json':
      return Buffer.from(JSON.stringify([...listRows(columns)]));
    case 'ndjson':
      return Buffer.from([...listRows(columns)].map((row) => `${JSON.stringify(row)}\n`).join(''));
    case 'csv':
      return Buffer.from(writeCsv(columns));
    case 'arrow-stream':
    case 'arrow-file':
      return writeArrow(format, columns, options);
    case 'parquet':
      return writeParquet(columns, options);
    case 'xlsx':
      return writeXlsx(columns);
  }
}

/** Returns the columns of rows; a column that has a number is a column of numbers. */
export function toColumns(rows: readonly Readonly<Record<string, string | number | null>>[]): TestColumn[] {
  return Object.keys(rows[0] ?? {}).map((name) => {
    const values = rows.map((row) => row[name] ?? null);
    const isNumber = values.some((value) => typeof value === 'number');
    return isNumber
      ? { kind: 'number', name, values: values.map((value) => (value === null ? null : Number(value))) }
      : { kind: 'text', name, values: values.map((value) => (value === null ? null : String(value))) };
  });
}

function* listRows(columns: readonly TestColumn[]): Generator<Record<string, unknown>> {
  const count = columns[0]?.values.length ?? 0;
  for (let row = 0; row < count; row++) {
    yield Object.fromEntries(columns.map(({ name, values }) => [name, values[row] ?? null]));
  }
}

function writeCsv(columns: readonly TestColumn[]): string {
  const count = columns[0]?.values.length ?? 0;
  const rows = Array.from({ length: count }, (_, row) => columns.map(({ values }) => values[row]));
  const text = Papa.unparse([columns.map(({ name }) => name), ...rows], { newline: '\n' });
  // A row of one missing value would be a blank line.
  return `${columns.length === 1 ? text.replaceAll(/\n(?=\n|$)/g, '\n""') : text}\n`;
}

function writeArrow(
  format: 'arrow-stream' | 'arrow-file',
  columns: readonly TestColumn[],
  { rowsPerBatch, dictionaries }: FileOptions,
): Buffer {
  const vectors = columns.map(({ kind, name, values }) => {
    const type = arrowType(kind, dictionaries === true);
    return [name, vectorFromArray<DataType>([...values], type)] as const;
  });
  const table = new Table(Object.fromEntries(vectors));
  const writer = format === 'arrow-file' ? new FileWriter() : new RecordBatchStreamWriter();
  const step = rowsPerBatch ?? Math.max(1, table.numRows);
  for (let begin = 0; begin < table.numRows; begin += step) {
    for (const batch of table.slice(begin, begin + step).batches) writer.write(batch);
  }
  return Buffer.from(writer.finish().toUint8Array(true));
}

/** Adds the schema before the batches, as the file format has it; apache-arrow writes it in the footer alone. */
class FileWriter extends RecordBatchFileWriter {
  protected override _writeSchema(schema: Schema): this {
    super._writeSchema(schema);
    return this._writeMessage(Message.from(schema));
  }
}

function arrowType(kind: TestColumn['kind'], isDictionary: boolean): DataType {
  if (kind === 'number') return new Float64();
  if (kind === 'boolean') return new Bool();
  return isDictionary ? new Dictionary(new Utf8(), new Int32()) : new Utf8();
}

const PARQUET_TYPES = { number: 'DOUBLE', text: 'STRING', boolean: 'BOOLEAN' } as const;

function writeParquet(columns: readonly TestColumn[], { rowsPerBatch }: FileOptions): Buffer {
  return Buffer.from(
    parquetWriteBuffer({
      columnData: columns.map(({ kind, name, values }) => ({
        name,
        data: [...values],
        type: PARQUET_TYPES[kind],
        nullable: true,
      })),
      ...(rowsPerBatch && { rowGroupSize: rowsPerBatch }),
    }),
  );
}

function writeXlsx(columns: readonly TestColumn[]): Buffer {
  const rows = Array.from({ length: columns[0]?.values.length ?? 0 }, (_, row) => {
    const cells = columns.map(({ values }) => values[row] ?? null);
    // A row without a value is none in a sheet.
    return cells.every((cell) => cell === null) ? ['NA'] : cells;
  });
  return writeWorkbook([columns.map(({ name }) => name), ...rows]);
}

import { readFile } from 'node:fs/promises';

const DATASET = new URL('../../datasets/diamonds.csv', import.meta.url);

/** A real table, to train with and to predict. */
export interface Table {
  readonly csv: string;
  /** The same as JSON. */
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

/** The first rows of the table of diamonds, all of it without a number. */
export async function diamonds(count = Number.POSITIVE_INFINITY): Promise<Table> {
  const lines = (await readFile(DATASET, 'utf8')).trimEnd().split('\n');
  const [header = '', ...records] = lines.slice(0, count + 1);
  const columns = header.split(',');
  // No field of this table is quoted.
  const rows = records.map((record) => {
    const fields = record.split(',');
    return Object.fromEntries(
      columns.map((column, index) => [column, cellOf(fields[index] ?? '')]),
    );
  });
  return { csv: [header, ...records].join('\n'), rows };
}

function cellOf(field: string): string | number {
  return field === '' || Number.isNaN(Number(field)) ? field : Number(field);
}

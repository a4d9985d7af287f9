import { parse } from 'csv-parse/sync';

/** A table in two parts: one to learn from, and rows that the model never sees. */
export interface Parts {
  /** The rows to learn from, as CSV with its header. */
  readonly csv: string;
  /** The rows held out, by column name. */
  readonly heldOut: Record<string, number | string>[];
}

/** Holds out rows spread evenly over a CSV whose fields have no line breaks in them. */
export function holdOut(text: string, count: number): Parts {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const every = Math.floor(lines.length / count);
  const isHeldOut = (index: number) => index % every === 0 && index / every < count;
  const table = (rows: string[]) => [header, ...rows].join('\n');
  return {
    csv: table(lines.filter((_, index) => !isHeldOut(index))),
    heldOut: parse(table(lines.filter((_, index) => isHeldOut(index))), {
      columns: true,
      cast: (value) => (value === '' || Number.isNaN(Number(value)) ? value : Number(value)),
    }),
  };
}

import Papa from 'papaparse';

/** A table split into rows to train with and held-out rows. */
export interface Parts {
  /** The training rows, as CSV with a header. */
  readonly csv: string;
  /** The held-out rows, by column name. */
  readonly heldOut: Record<string, number | string>[];
}

/** Holds out rows spread evenly over a CSV whose fields contain no line breaks. */
export function holdOut(text: string, count: number): Parts {
  const [train, test] = splitRows(text, count);
  return {
    csv: train,
    heldOut: Papa.parse<Record<string, number | string>>(test, {
      header: true,
      transform: (value) => (value === '' || Number.isNaN(Number(value)) ? value : Number(value)),
    }).data,
  };
}

/** Splits a CSV as `holdOut` does: into the rows to train with and `count` others, each as CSV with a header. */
export function splitRows(text: string, count: number): [train: string, test: string] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const every = Math.floor(lines.length / count);
  const isHeldOut = (index: number) => index % every === 0 && index / every < count;
  const table = (rows: string[]) => [header, ...rows].join('\n');
  return [table(lines.filter((_, index) => !isHeldOut(index))), table(lines.filter((_, index) => isHeldOut(index)))];
}

import { tableFromIPC, Vector } from 'apache-arrow';
import Papa from 'papaparse';
import type { PredictionFormat } from 'roster-client';

/** A row of an answer, its values by column. */
export type AnswerRow = Readonly<Record<string, unknown>>;

/** The prediction of a row, as every format holds it: `-0` and `0` differ, and numbers have all their digits. */
export interface Prediction {
  readonly value: unknown;
  readonly confidence: number;
  /** The bounds of a number, or the set of classes. */
  readonly range: readonly unknown[];
}

export function rowsOfAnswer(format: PredictionFormat, bytes: Uint8Array): AnswerRow[] {
  const text = () => new TextDecoder().decode(bytes);
  switch (format) {
    case 'json':
      return JSON.parse(text());
    case 'ndjson':
      return text()
        .trimEnd()
        .split('\n')
        .map((line): AnswerRow => JSON.parse(line))
        .filter((row) => !('warnings' in row));
    case 'csv':
      return Papa.parse<AnswerRow>(text().trimEnd(), { header: true }).data;
    case 'arrow-stream':
    case 'arrow-file':
      return rowsOfArrow(bytes);
  }
}

function rowsOfArrow(bytes: Uint8Array): AnswerRow[] {
  const table = tableFromIPC(bytes);
  const columns = table.schema.fields.map(({ name }) => name);
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(columns.map((name) => [name, plain(table.getChild(name)?.get(row))])),
  );
}

function plain(value: unknown): unknown {
  return value instanceof Vector ? [...value] : value;
}

/** Returns the predictions of a target in the rows of an answer. */
export function readPredictions(
  rows: readonly AnswerRow[],
  target: string,
  task: 'regression' | 'classification',
): Prediction[] {
  return rows.map((row) => {
    const at = (suffix: string) => row[`${target}${suffix}`];
    const confidence = Number(at('_confidence'));
    if (task === 'classification') {
      const set = at('_set');
      const range: unknown = typeof set === 'string' ? JSON.parse(set) : set;
      return { value: row[target], confidence, range: Array.isArray(range) ? range : [] };
    }
    return { value: Number(row[target]), confidence, range: [Number(at('_min')), Number(at('_max'))] };
  });
}

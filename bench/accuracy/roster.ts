import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Papa from 'papaparse';
import type { Effort } from 'roster-prediction/training';
import type { Answers } from './measures.js';
import type { DataTable, Row, Split } from './tables.js';

type Package = typeof import('roster-prediction');

export const EFFORTS: readonly Effort[] = ['fast', 'standard', 'best'];

const LEVEL = 0.9;
const SCORING_ROUNDS = 3;

/** Trains on a split as the service does, from CSV, and answers its test rows. */
export type Contender = (table: DataTable, split: Split) => Promise<Answers>;

/**
 * Loads a build of the package.
 *
 * @param tree the folder of a built tree of the project; this one without it.
 * @param effort the time that a training may take; `standard` without it.
 */
export async function loadRoster(tree: string | undefined, effort: Effort | undefined): Promise<Contender> {
  const built = tree && pathToFileURL(join(resolve(tree), 'prediction/dist/prediction/src/index.js')).href;
  const roster: Package = await import(built ?? 'roster-prediction');
  const options = { seed: 1, ...(effort !== undefined && { effort }) };
  return async ({ task, target, rows }, split) => {
    const pick = (indexes: readonly number[]) => indexes.map((index) => rows[index] ?? {});
    const csv = Buffer.from(Papa.unparse([...pick(split.training)]));
    // Stated, since tables of three decimals in all cells could be read in two ways; the peers read them so, too.
    const table = await roster.readCsvTable(piecesOf(csv), target, { task, marks: { decimal: '.' } });
    const begun = process.cpuUsage();
    const asked = pick(split.test).map((row) => withoutTarget(row, target));
    if (table.task === 'regression') {
      const model = roster.train(table, options);
      const training = secondsSince(begun);
      const predictor = new roster.Predictor(model);
      const { result, rowsPerSecond } = timed(asked, () => predictor.predict(asked, { confidence: LEVEL }));
      return { predictions: result.map(({ value }) => value), bounds: result, training, rowsPerSecond };
    }
    if (table.task !== 'classification') throw new Error(`${target} is neither a number nor a class.`);
    const model = roster.train(table, options);
    const training = secondsSince(begun);
    const classifier = new roster.Classifier(model);
    const { result, rowsPerSecond } = timed(asked, () => classifier.predict(asked));
    const classes = model.classes.map(({ name }) => name);
    return { predictions: result.map(({ probabilities }) => probabilities), classes, training, rowsPerSecond };
  };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function withoutTarget(row: Row, target: string): Row {
  const { [target]: _, ...rest } = row;
  return rest;
}

function secondsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}

/** Returns the result of some work, and the rows that the fastest of its rounds answered a second. */
function timed<T>({ length }: readonly unknown[], work: () => T): { result: T; rowsPerSecond: number } {
  let least = Number.POSITIVE_INFINITY;
  let result: T | undefined;
  for (let round = 0; round < SCORING_ROUNDS || result === undefined; round++) {
    const begun = performance.now();
    result = work();
    least = Math.min(least, (performance.now() - begun) / 1000);
  }
  return { result, rowsPerSecond: length / least };
}

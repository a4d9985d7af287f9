/** Tables that models as ONNX are compared with the service on, and the comparison. */
import { createRosterClient, type Roster } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { settled } from '../service/train-prices.js';
import { type OnnxFile, readOnnx } from './onnx-file.js';
import { type Cells, type OnnxRuntime, type Outputs, openOnnx, type ReadColumn } from './onnx-session.js';
import type { Row } from './sample-tables.js';

/** Categories of the column `group`. */
export const CATEGORIES = Array.from({ length: 40 }, (_, index) => `c${index}`);

/** More values of the column `shop` than trees distinguish as categories. */
const SHOPS = 300;

/** Columns of every kind: few, many and very many categories, numbers with gaps and ties, and dates whose parts matter. */
const random = seededRandom(7);
const features = Array.from({ length: 1500 }, () => ({
  x: Math.round(1000 * random()) / 100,
  gaps: random() < 0.1 ? null : 5 * random(),
  count: Math.floor(50 * random()),
  group: CATEGORIES[Math.floor(random() ** 2 * CATEGORIES.length)] ?? null,
  side: ['left', 'right', 'TRUE'][Math.floor(3 * random())] ?? null,
  day: new Date(Date.UTC(2015, 0, 1) + Math.floor(3e11 * random())).toISOString(),
  noise: random(),
  shop: random() < 0.05 ? null : `shop ${Math.floor(SHOPS * random() ** 2)}`,
}));

function score(row: Row): number {
  const day = new Date(String(row['day']));
  const group = Number(String(row['group']).slice(1)) % 7;
  const side = row['side'] === 'left' ? 4 : 0;
  const shop = Number(String(row['shop'] ?? '0').replace('shop ', '')) % 11;
  const season = day.getUTCMonth() + day.getUTCHours() / 5 + day.getUTCDay() / 3;
  const numbers = 3 * Number(row['x']) + Number(row['gaps'] ?? 2) + Number(row['count']) / 20;
  return numbers + 2 * group + side + shop + season + 4 * Number(row['noise']);
}

const TARGETS: Readonly<Record<string, (score: number) => number | string>> = {
  amounts: (score) => 1.2345 * score,
  tiny: (score) => 1e-9 * score,
  huge: (score) => 1e200 * score,
  whole: (score) => Math.round(10 * score) - 300,
  few: (score) => Math.min(9, Math.max(0, Math.round(score / 6))),
  bounded: (score) => Math.max(0, score - 45) ** 2,
  two: (score) => (score > 50 ? 'yes' : 'no'),
  rare: (score) => (score > 90 ? 'high' : score > 25 ? 'middle' : 'low'),
  years: (score) => 1990 + Math.floor(score / 4),
  many: (score) => `k${Math.min(6, Math.max(0, Math.round(score / 10)))}`,
};

export const TABLES = Object.keys(TARGETS);

/** Returns the rows that a table trains with; its target is `y`. */
export function trainingRows(table: string): Row[] {
  const target = TARGETS[table];
  if (target === undefined) throw new RangeError(`There is no table ${table}.`);
  return features.map((row) => ({ ...row, noise: undefined, y: target(score(row)) }));
}

/** Trains a model of a table, which has its name. */
export async function trainTable(roster: Roster, url: string, table: string): Promise<void> {
  const model = await roster.models.train(table, trainingRows(table), { target: 'y' });
  const path = { projectName: 'default', modelName: table };
  const trained = await settled(createRosterClient({ baseUrl: url }), path, model);
  if (trained.status !== 'ready') throw new Error(trained.failure ?? '');
}

/** Confidences that are asked for; NaN is none. */
export const CONFIDENCES = [Number.NaN, 0.01, 0.07, 0.9, 0.955, 0.99];

type TableRow = Record<string, string | number | null>;

/** By column, the values at which the trees of a model split. */
export type Thresholds = ReadonlyMap<string, readonly number[]>;

/**
 * Returns rows of the tables, and rows beside them: on thresholds and next to them, with gaps, unseen categories, and
 * numbers of any size.
 */
export function rowsBeside(count: number, random: () => number, thresholds: Thresholds = new Map()): TableRow[] {
  const choose = <T>(values: readonly T[]) => values[Math.floor(values.length * random())];
  const near = (column: string): number | undefined => {
    const threshold = choose(thresholds.get(column) ?? []);
    return threshold && threshold * (1 + (Math.floor(3 * random()) - 1) * Number.EPSILON);
  };
  return Array.from({ length: count }, () => {
    const row: TableRow = { ...choose(features) };
    for (const name of Object.keys(row)) if (random() < 0.04) row[name] = null;
    if (random() < 0.1) row['x'] = Math.round(2000 * random()) / 200;
    if (random() < 0.05) row['group'] = 'unseen';
    if (random() < 0.05) row['shop'] = choose(['unseen', 'NA', '']) ?? null;
    if (random() < 0.05) row['side'] = choose(['NA', 'True', 'none', 'LEFT']) ?? null;
    if (random() < 0.05) row['day'] = '1899-12-31T23:59:59.999Z';
    if (random() < 0.05) row['day'] = '2024-02-29T00:00:00.000Z';
    if (random() < 0.05) row['count'] = (random() - 0.5) * 10 ** Math.floor(300 * random());
    for (const column of ['x', 'gaps', 'count']) {
      if (random() < 0.2) row[column] = near(column) ?? row[column] ?? null;
    }
    const day = random() < 0.2 ? near('day') : undefined;
    if (day !== undefined) row['day'] = new Date(Math.round(day + random() - 0.5)).toISOString();
    return row;
  });
}

/** A model as ONNX, opened. */
export interface OpenModel {
  readonly bytes: Uint8Array;
  readonly file: OnnxFile;
  readonly columns: readonly ReadColumn[];
  readonly classes: readonly string[];
  readonly run: (cells: Cells, confidence: number) => Promise<Outputs>;
}

export async function openModel(roster: Roster, name: string, runtime: OnnxRuntime): Promise<OpenModel> {
  const bytes = new Uint8Array(await (await roster.models.getOnnx(name)).arrayBuffer());
  const file = readOnnx(bytes);
  const columns: ReadColumn[] = JSON.parse(file.metadata.get('columns') ?? '');
  const classes: string[] = JSON.parse(file.metadata.get('classes') ?? '[]');
  return { bytes, file, columns, classes, run: await openOnnx(runtime, bytes) };
}

/** Returns the answers of the service, in the form of the outputs of a file. The target is `y`. */
export async function askService(
  roster: Roster,
  name: string,
  rows: readonly Row[],
  confidence: number,
  classes: readonly string[],
): Promise<Record<string, (number | string)[]>> {
  const answered = await roster.models.predict(name, [...rows], {
    ...(!Number.isNaN(confidence) && { confidence }),
    ...(classes.length > 0 && { probabilities: true }),
  });
  const column = (key: string) => answered.map((row) => Object(row)[key]);
  if (classes.length === 0) {
    return { value: column('y'), lower: column('y_min'), upper: column('y_max'), level: column('y_confidence') };
  }
  return {
    class: column('y'),
    probability: column('y_confidence'),
    probabilities: answered.flatMap((row) => classes.map((one) => Object(row)[`y_probability_${one}`])),
    set: column('y_set').flatMap((set: string[]) => classes.map((one) => Number(set.includes(one)))),
  };
}

import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  type Prediction,
  Predictor,
  type RegressionModel,
  type RegressionTable,
  readCsvTable,
  readRowsTable,
  type Table,
  TableError,
  type TableFault,
  train,
} from 'roster-prediction';
import type { TableColumn } from 'roster-prediction/internals';
import { seededRandom, shuffledRange } from 'roster-prediction/internals';

/** Helpers shared by the tests of this package. */

export type Row = Record<string, unknown>;

/** Makes rows with a function of a seeded source of numbers in [0, 1). */
export function makeRows(count: number, make: (random: () => number, index: number) => Row): Row[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, index) => make(random, index));
}

/** Makes rents that follow from rooms and place, with some noise. */
export function rentRows(count: number): Row[] {
  return makeRows(count, (random, index) => {
    const rooms = 1 + Math.floor(4 * random());
    const place = ['centre', 'north', 'south'][Math.floor(3 * random())] ?? '';
    const premium = place === 'centre' ? 400 : 0;
    const rent = Math.round(300 + 250 * rooms + premium + 50 * random());
    return { rooms, place, index, rent };
  });
}

/** Returns lines of CSV as a stream, cut into chunks of `size` bytes. */
export function csvStream(text: string, size = 64 * 1024): Readable {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return Readable.from(chunks);
}

export async function readCsv(text: string, target = 'y'): Promise<RegressionTable> {
  return numeric(await readCsvTable(csvStream(text), target));
}

export function readRows(rows: Iterable<unknown>, target: string): RegressionTable {
  return numeric(readRowsTable(rows, target));
}

/** Returns a table without what it says of missing cells, whose places and words differ between formats. */
export function withoutMissing(table: Table): Table {
  const { leftOut: _, ...rest } = table;
  if (rest.task === 'forecast') return rest;
  return { ...rest, columns: rest.columns.map(({ missing: _, ...column }) => column) };
}

function numeric(table: Table): RegressionTable {
  if (table.task === 'regression') return table;
  throw new Error('The target holds classes.');
}

/** Options of trainings in tests whose subject is not accuracy: a few times as fast. */
export const QUICK = { effort: 'fast' } as const;

/** Returns a CSV table of sixty valid rows `x,y`, followed by the given lines. */
export function writeCsv(header: string, line: (index: number) => string, ...more: string[]): string {
  return [header, ...Array.from({ length: 60 }, (_, index) => line(index)), ...more, ''].join('\n');
}

export type Dataset = 'diamonds' | 'txhousing' | 'chicago' | 'concrete';

async function readDataset(name: Dataset, target: string): Promise<RegressionTable> {
  const file = new URL(`../../datasets/${name}.csv`, import.meta.url);
  return numeric(await readCsvTable(createReadStream(file), target));
}

/** Returns the faults of the TableError that an action throws. */
export async function catchFaults(action: () => unknown): Promise<readonly TableFault[]> {
  try {
    await action();
  } catch (error) {
    if (error instanceof TableError) return error.faults;
    throw error;
  }
  throw new Error('The table was accepted.');
}

/** The rows of a table, with the text of every cell. */
export function toRows(table: RegressionTable): Row[] {
  return Array.from({ length: table.rowCount }, (_, row) => {
    const cells = table.columns.map((column): [string, unknown] => [column.name, readCell(column, row)]);
    return Object.fromEntries([...cells, [table.target, table.targetValues[row]]]);
  });
}

function readCell(column: TableColumn, row: number): unknown {
  if (column.kind === 'text') return column.texts[(column.codes[row] ?? 0) - 1] ?? null;
  const value = column.values[row] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

/** Splits a real table: three quarters for training, the other rows for testing. */
async function splitDataset(name: Dataset, target: string) {
  const rows = toRows(await readDataset(name, target));
  const order = [...shuffledRange(rows.length, seededRandom(20260101))];
  const shuffled = order.map((index): Row => rows[index] ?? {});
  const trainingCount = Math.round(0.75 * rows.length);
  const table = readRows(shuffled.slice(0, trainingCount), target);
  return { table, testRows: shuffled.slice(trainingCount) };
}

/** A model trained on three quarters of a real table, with its predictions of the other rows. */
export interface Judged {
  table: RegressionTable;
  model: RegressionModel;
  testRows: Row[];
  target: string;
  predictor: Predictor;
}

/** By table and target: each model is trained once per process. */
const judged = new Map<string, Promise<Judged>>();

export function judge(name: Dataset, target: string): Promise<Judged> {
  const key = `${name}.${target}`;
  const known = judged.get(key) ?? trainAndJudge(name, target);
  judged.set(key, known);
  return known;
}

async function trainAndJudge(name: Dataset, target: string): Promise<Judged> {
  const { table, testRows } = await splitDataset(name, target);
  const model = train(table);
  return { table, model, testRows, target, predictor: new Predictor(model) };
}

/** Returns the root mean squared error of predictions for rows that contain the target. */
export function measureError(predictions: readonly Prediction[]): number {
  const squares = predictions.map(({ value, original }) => (value - Number(original)) ** 2);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

/**
 * Returns three standard errors of a coverage that is counted on `counted` rows, of intervals that
 * were calibrated on `calibrated` rows. Chance alone exceeds it in three of a thousand cases.
 */
export function band(level: number, calibrated: number, counted: number): number {
  return 3 * Math.sqrt(level * (1 - level) * (1 / calibrated + 1 / counted));
}

/** Returns the fraction of predictions whose interval contains the actual value. */
export function covered(predictions: readonly Prediction[]): number {
  return predictions.filter(({ anomaly }) => anomaly === false).length / predictions.length;
}

import { readFile } from 'node:fs/promises';
import Papa from 'papaparse';
import {
  type ClassificationModel,
  Classifier,
  Predictor,
  type RegressionModel,
  readRowsTable,
  train,
} from 'roster-prediction';
import {
  describeThresholds,
  describeWidths,
  findIntervalNeeds,
  findSetNeeds,
  moveRecalibration,
  moveShifts,
  recalibrate,
  SHIFT_LEVELS,
  shiftAt,
  shiftThreshold,
  startRecalibration,
  startShifts,
} from 'roster-prediction/recording';
import { root } from '../../testkit/root.js';
import type { Finding, Scenario } from '../scenarios.js';

export type Row = Record<string, string | number>;

const LEVEL = 0.9;

/** Reads a table of `datasets/` in the order of time. */
export async function readOrdered(name: string, timeOf: (row: Row) => number): Promise<Row[]> {
  const text = await readFile(new URL(`datasets/${name}.csv`, root), 'utf8');
  return Papa.parse<Row>(text.trim(), { header: true }).data.sort((one, other) => timeOf(one) - timeOf(other));
}

interface Sums {
  rows: number;
  kept: number;
  size: number;
}

/** Adds what became of a promise, whose interval has a width, or whose set has a size. */
function count(sums: Sums, isKept: boolean, size: number): void {
  sums.rows++;
  if (isKept) sums.kept++;
  sums.size += size;
}

const none = (): Sums => ({ rows: 0, kept: 0, size: 0 });

/** Rows of one time are promised together, before the first truth of them comes. */
export function* groupByTime(rows: readonly Row[], timeOf: (row: Row) => number): Generator<readonly Row[]> {
  let from = 0;
  for (let at = 1; at <= rows.length; at++) {
    const [first, next] = [rows[from], rows[at]];
    if (first && next && timeOf(first) === timeOf(next)) continue;
    yield rows.slice(from, at);
    from = at;
  }
}

async function judgeNumbers(name: string, target: string, timeOf: (row: Row) => number): Promise<Finding> {
  const all = await readOrdered(name, timeOf);
  const rows = all.filter((row) => row[target] !== 'NA');
  const half = Math.floor(rows.length / 2);
  const model = train(readRowsTable(rows.slice(0, half), target)) as RegressionModel;
  const predictor = new Predictor(model);
  const logWidths = describeWidths(model);
  const [trained, adapted] = [none(), none()];
  let shifts = startShifts();
  for (const group of groupByTime(rows.slice(half), timeOf)) {
    const promised = predictor.predict(group, { confidence: LEVEL });
    const shift = shiftAt(shifts, LEVEL);
    const factor = Math.exp(shift);
    for (const [index, { value, min, max, confidence }] of promised.entries()) {
      const truth = Number(group[index]?.[target]);
      const [low, high] = [value - factor * (value - min), value + factor * (max - value)];
      count(trained, truth >= min && truth <= max, max - min);
      count(adapted, truth >= low && truth <= high, high - low);
      const promise = { value, min, max, confidence, shift: 0 };
      shifts = moveShifts(shifts, findIntervalNeeds(promise, logWidths, truth));
    }
  }
  return {
    asked: `${name}, ${target}: trained on the first half by time, coverage of the last half nearer to ${LEVEL} with adapting, and at most .03 below`,
    measured: `${tell(adapted)} with adapting, widths × ${(adapted.size / trained.size).toFixed(2)}; ${tell(trained)} without`,
    passed: isNearer(adapted, trained),
    mustHold: true,
  };
}

async function judgeClasses(name: string, target: string, timeOf: (row: Row) => number): Promise<Finding> {
  const rows = await readOrdered(name, timeOf);
  const half = Math.floor(rows.length / 2);
  const model = train(readRowsTable(rows.slice(0, half), target)) as ClassificationModel;
  const predictor = new Classifier(model);
  const thresholds = describeThresholds(model.sets);
  const names = model.classes.map((each) => each.name);
  const at = SHIFT_LEVELS.indexOf(LEVEL);
  const [trained, adapted] = [none(), none()];
  const certain = { trained: 0, adapted: 0 };
  const right = { trained: 0, adapted: 0 };
  let shifts = startShifts();
  let calibration = startRecalibration(names.length);
  for (const row of rows.slice(half)) {
    const label = names.indexOf(String(row[target]));
    const [promise] = predictor.predict([row], { confidence: LEVEL });
    if (!promise || label < 0) continue;
    count(trained, promise.set.includes(names[label] ?? ''), promise.set.length);
    certain.trained += promise.confidence;
    right.trained += Number(promise.class === names[label]);
    const stated = recalibrate(calibration, promise.probabilities);
    const most = Math.max(...stated);
    const members = stated.map((probability, index) => {
      const threshold = shiftThreshold(thresholds[index]?.[at] ?? 0, shiftAt(shifts, LEVEL));
      return probability === most || probability >= threshold;
    });
    count(adapted, members[label] === true, members.filter(Boolean).length);
    certain.adapted += most;
    right.adapted += Number(stated.indexOf(most) === label);
    const needs = findSetNeeds(thresholds[label] ?? [], stated[label] ?? 0, stated[label] === most);
    shifts = moveShifts(shifts, needs);
    calibration = moveRecalibration(calibration, promise.probabilities, label);
  }
  const off = (kind: 'trained' | 'adapted') => `${((right[kind] - certain[kind]) / trained.rows).toFixed(3)}`;
  return {
    asked: `${name}, ${target}: trained on the first half by time, coverage of the last half's sets nearer to ${LEVEL} with adapting, and at most .03 below`,
    measured: `${tell(adapted)} with adapting, sets × ${(adapted.size / trained.size).toFixed(2)}, right more often than stated by ${off('adapted')}; ${tell(trained)} without, by ${off('trained')}`,
    passed: isNearer(adapted, trained),
    mustHold: true,
  };
}

/** Returns whether coverage came nearer to the promise, and fell at most .03 short of it. */
function isNearer(adapted: Sums, trained: Sums): boolean {
  const missed = ({ rows, kept }: Sums) => Math.abs(kept / rows - LEVEL);
  return missed(adapted) < missed(trained) && adapted.kept / adapted.rows >= LEVEL - 0.03;
}

function tell({ rows, kept }: Sums): string {
  return `${(kept / rows).toFixed(3)} of ${rows}`;
}

const byDate = (row: Row) => Date.parse(String(row.date));

export const tables: Scenario = {
  name: 'tables',
  run: async () => [
    await judgeNumbers('chicago', 'ridership', byDate),
    await judgeNumbers('txhousing', 'median', (row) => Number(row.date)),
    await judgeClasses('seattle-weather', 'weather', byDate),
  ],
};

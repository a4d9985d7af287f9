import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readRowsTable } from 'roster-prediction';
import {
  type BinnedModel,
  type ClassTarget,
  createScorer,
  type ForestScorer,
  Learner,
  prepareTable,
  RowBinner,
  scorerMemory,
  softmaxLoss,
  squaredLoss,
} from 'roster-prediction/internals';
import { finish } from 'roster-prediction/predicting';
import type { RegressionTable } from 'roster-prediction/training';
import { readField } from '../../testkit/json.js';
import { median } from '../../testkit/numbers.js';
import { root } from '../../testkit/root.js';
import type { Finding, Scenario } from '../scenarios.js';
import { SYNTHETIC_TARGET, type SyntheticRow, syntheticCsv, syntheticRows } from './synthetic.js';

const TREES = 100;
const LIMITS = { maxLeaves: 31, minRowsPerLeaf: 20 };
const CLASSES = 3;
const LEARNING_RATE = 0.1;
const TRAINING_ROWS = 20_000;
const SCORED_ROWS = 100_000;
/** The number of rows that the service scores together. */
const BLOCK = 256;
const ROUNDS = 15;
const PEER_ROUNDS = 5;

/** The scorer alone, on one core: from the values of rows to sums of trees. */
export const scoring: Scenario = {
  name: 'scoring',
  run: async () => {
    const table = regressionTable(TRAINING_ROWS);
    const { model, learner, rows, scorer } = fitNumbers(table);
    const classLoss = softmaxLoss(thirds(table.targetValues), LEARNING_RATE);
    const memory = scorerMemory();
    const forests = learner.booster(rows, LIMITS, classLoss).addRounds(TREES);
    const ofClasses = forests.map((forest) => finish(createScorer(forest.trees, memory)));
    const blocks = cutBlocks([...syntheticRows(SCORED_ROWS, 11)]);
    const binner = finish(RowBinner.create(model));
    const binned = blocks.map((block) => {
      const bins = binner.room(block.length);
      binner.bin(block, bins);
      return { bins: bins.bins, count: block.length };
    });
    const sums = new Float64Array(BLOCK);
    const score = (scorers: readonly ForestScorer[]) =>
      scoringRate(() => {
        for (const { bins, count } of binned) {
          for (const each of scorers) each.addToAll(sums, bins, count);
        }
      });
    const fromValues = scoringRate(scoreRows(model, scorer, blocks));
    const finding = (what: string, rate: number, more = ''): Finding => ({
      asked: `scoring ${TREES} ${what} × 10 columns on one core, at least 2 million rows a second`,
      measured: `${millions(rate)} million rows a second from bins${more}`,
      passed: rate >= 2e6,
    });
    return [
      finding('trees', score([scorer]), `; ${millions(fromValues)} from values of row objects`),
      finding(`rounds of ${CLASSES} classes`, score(ofClasses)),
    ];
  },
};

/** The libraries that `peer.py` times, by the names that it gives them, and the module that each needs. */
const LIBRARIES = [
  {
    library: 'scikit-learn',
    model: "scikit-learn's HistGradientBoostingRegressor",
    module: 'sklearn',
    leastRatio: null,
  },
  { library: 'xgboost', model: 'XGBoost', module: 'xgboost', leastRatio: 8 },
] as const;

/**
 * Fits 100 trees to 100,000 rows and predicts them, beside scikit-learn and XGBoost (`apt-get install python3-sklearn
 * python3-xgboost`).
 */
export const peer: Scenario = {
  name: 'peer',
  run: async ({ folder }): Promise<Finding[]> => {
    const found: Finding[] = [];
    for (const library of LIBRARIES) found.push(...(await compareWith(library, folder)));
    return found;
  },
};

/** Compares the best times of rounds of Roster and of a library, in one run. */
async function compareWith(
  { library, model: name, module, leastRatio }: (typeof LIBRARIES)[number],
  folder: string,
): Promise<Finding[]> {
  const asked = `${TREES} trees of ${SCORED_ROWS.toLocaleString('en')} × 10 on one core, beside ${name}`;
  const peers = await timePeer(folder, library, module);
  if (typeof peers === 'string') return [{ asked, measured: peers }];
  const table = regressionTable(SCORED_ROWS);
  const { model, scorer } = fitNumbers(table);
  const predict = scoreRows(model, scorer, cutBlocks([...syntheticRows(SCORED_ROWS)]));
  const compare = (what: 'fit' | 'predict', work: () => unknown, least: number | null): Finding => {
    const own = Math.min(...measureTimes(PEER_ROUNDS, work)) / 1000;
    const peer = Number(readField(peers, what));
    const measured = `${(peer / own).toFixed(1)} times as fast: ${own.toFixed(2)} s against ${peer.toFixed(2)} s (the best of ${PEER_ROUNDS})`;
    if (least === null) return { asked: `${what} ${asked}`, measured };
    return { asked: `${what} ${asked}, at least ${least} times as fast`, measured, passed: peer >= least * own };
  };
  return [compare('fit', () => fitNumbers(table), null), compare('predict', predict, leastRatio)];
}

/** Returns the best seconds of a library, by what they are of, or why there are none. */
async function timePeer(folder: string, library: string, module: string): Promise<object | string> {
  const file = join(folder, 'table.csv');
  await writeFile(file, [...syntheticCsv(SCORED_ROWS)].join(''));
  const numbers = [TREES, LIMITS.maxLeaves, LIMITS.minRowsPerLeaf, PEER_ROUNDS].map(String);
  const program = fileURLToPath(new URL('bench/predict/peer.py', root));
  // Debian's package belongs to Debian's Python.
  for (const python of ['python3', '/usr/bin/python3']) {
    try {
      const { stdout } = await promisify(execFile)(python, [program, library, file, ...numbers], {
        env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
      });
      return JSON.parse(stdout);
    } catch (error) {
      const isMissing = /ModuleNotFoundError|ENOENT/.test(String(error));
      if (!isMissing) throw error;
    }
  }
  return `not measured: python3 has no ${module}`;
}

function regressionTable(rows: number): RegressionTable {
  const table = readRowsTable([...syntheticRows(rows)], SYNTHETIC_TARGET);
  if (table.task !== 'regression') throw new Error('The target is a number.');
  return table;
}

/** Bins a table, and fits `TREES` trees to its target. */
function fitNumbers(table: RegressionTable) {
  const { columns, features, binned } = prepareTable(table);
  const learner = new Learner(binned);
  const rows = Uint32Array.from({ length: binned.rowCount }, (_, row) => row);
  const [forest] = learner.booster(rows, LIMITS, squaredLoss(table.targetValues)).addRounds(TREES);
  const model: BinnedModel = { columns, features, partial_rows: null };
  return { model, learner, rows, scorer: finish(createScorer(forest?.trees ?? [])) };
}

/** Returns what reads, bins and scores all rows, a block after the other. */
function scoreRows(model: BinnedModel, scorer: ForestScorer, blocks: readonly (readonly SyntheticRow[])[]): () => void {
  const binner = finish(RowBinner.create(model));
  const room = binner.room(BLOCK);
  const sums = new Float64Array(BLOCK);
  return () => {
    for (const block of blocks) {
      binner.bin(block, room);
      scorer.addToAll(sums, room.bins, block.length);
    }
  };
}

/** Classes of equal size, by value. */
function thirds(values: Float64Array): ClassTarget {
  const sorted = values.slice().sort();
  const bounds = [1, 2].map((part) => sorted[Math.floor((part * values.length) / CLASSES)] ?? 0);
  const labels = Uint16Array.from(values, (value) => bounds.filter((bound) => value > bound).length);
  const shares = new Float64Array(CLASSES).fill(1 / CLASSES);
  return { labels, classCount: CLASSES, shares };
}

function cutBlocks<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, block) =>
    rows.slice(block * BLOCK, (block + 1) * BLOCK),
  );
}

/** Returns the rows a second, the median of the rounds after the first. */
function scoringRate(work: () => void): number {
  work();
  return median(measureTimes(ROUNDS, work).map((time) => (1000 * SCORED_ROWS) / time));
}

/** Returns how long some work takes, round by round, in milliseconds. */
function measureTimes(rounds: number, work: () => unknown): number[] {
  return Array.from({ length: rounds }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
}

function millions(rate: number): string {
  return (rate / 1e6).toFixed(1);
}

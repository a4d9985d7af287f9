import { readRowsTable } from '../../prediction/src/index.js';
import { type BinnedModel, RowBinner } from '../../prediction/src/serving/row-binner.js';
import type { RegressionTable } from '../../prediction/src/table/table.js';
import { prepareTable } from '../../prediction/src/trees/binning/dataset.js';
import { Learner } from '../../prediction/src/trees/boosting/learner.js';
import { type ClassTarget, softmaxLoss } from '../../prediction/src/trees/boosting/softmax-loss.js';
import { squaredLoss } from '../../prediction/src/trees/boosting/squared-loss.js';
import { ForestScorer, scorerMemory } from '../../prediction/src/trees/forest/forest-scorer.js';
import { finish } from '../../prediction/src/trees/steps.js';
import { median } from '../../testkit/numbers.js';
import type { Scenario } from '../scenarios.js';
import { SYNTHETIC_TARGET, type SyntheticRow, syntheticRows } from './synthetic.js';

export const TREES = 100;
/** The limits of each tree. */
export const LIMITS = { maxLeaves: 31, minRowsPerLeaf: 20 };
const CLASSES = 3;
const LEARNING_RATE = 0.1;
const TRAINING_ROWS = 20_000;
const SCORED_ROWS = 100_000;
/** The number of rows that the service scores together. */
const BLOCK = 256;
const ROUNDS = 15;

/** The scorer alone, on one core: from the values of rows to sums of trees. */
export const scoring: Scenario = {
  name: 'scoring',
  run: async () => {
    const { model, scorer, ofClasses } = learn();
    const rows = [...syntheticRows(SCORED_ROWS, 11)];
    const binner = finish(RowBinner.create(model));
    const blocks = blocksOf(rows);
    const sums = new Float64Array(BLOCK);
    const fromValues = rates(scoreRows(model, scorer, blocks));
    const binned = blocks.map((block) => {
      const bins = binner.room(block.length);
      binner.bin(block, bins);
      return { bins: bins.bins, count: block.length };
    });
    const fromBins = rates(() => {
      for (const { bins, count } of binned) scorer.addToAll(sums, bins, count);
    });
    const classesFromBins = rates(() => {
      for (const { bins, count } of binned) {
        for (const each of ofClasses) each.addToAll(sums, bins, count);
      }
    });
    return [
      {
        asked: `scoring ${TREES} trees × 10 columns on one core, at least 2 million rows a second`,
        measured: `${millions(median(fromBins))} million rows a second from bins; ${millions(median(fromValues))} from row objects, their values read and binned`,
        passed: median(fromBins) >= 2e6,
      },
      {
        asked: `scoring ${TREES} rounds of ${CLASSES} classes × 10 columns on one core, at least 2 million rows a second`,
        measured: `${millions(median(classesFromBins))} million rows a second from bins`,
        passed: median(classesFromBins) >= 2e6,
      },
    ];
  },
};

function learn() {
  const table = readRowsTable([...syntheticRows(TRAINING_ROWS)], SYNTHETIC_TARGET);
  if (table.task !== 'regression') throw new Error('The target is a number.');
  const { model, learner, rows, scorer } = fitNumbers(table);
  const classLoss = softmaxLoss(thirds(table.targetValues), LEARNING_RATE);
  const memory = scorerMemory();
  const forests = learner.booster(rows, LIMITS, classLoss).addRounds(TREES);
  const ofClasses = forests.map((forest) => ForestScorer.of(forest.trees, memory));
  return { model, scorer, ofClasses };
}

/** Bins a table, and fits `TREES` trees to its target. */
export function fitNumbers(table: RegressionTable) {
  const { columns, features, binned } = prepareTable(table);
  const learner = new Learner(binned);
  const rows = Uint32Array.from({ length: binned.rowCount }, (_, row) => row);
  const [forest] = learner.booster(rows, LIMITS, squaredLoss(table.targetValues)).addRounds(TREES);
  const model: BinnedModel = { columns, features, partial_rows: null };
  return { model, learner, rows, scorer: ForestScorer.of(forest?.trees ?? []) };
}

/** Returns what reads, bins and scores all rows, a block after the other. */
export function scoreRows(
  model: BinnedModel,
  scorer: ForestScorer,
  blocks: readonly (readonly SyntheticRow[])[],
): () => void {
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
  const labels = Uint16Array.from(
    values,
    (value) => bounds.filter((bound) => value > bound).length,
  );
  const shares = new Float64Array(CLASSES).fill(1 / CLASSES);
  return { labels, classCount: CLASSES, shares };
}

export function blocksOf<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, block) =>
    rows.slice(block * BLOCK, (block + 1) * BLOCK),
  );
}

/** Returns the rows a second, round by round. */
function rates(work: () => void): number[] {
  work();
  return Array.from({ length: ROUNDS }, () => {
    const begun = performance.now();
    work();
    return (1000 * SCORED_ROWS) / (performance.now() - begun);
  });
}

function millions(rate: number): string {
  return (rate / 1e6).toFixed(1);
}

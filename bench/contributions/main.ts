import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRowsTable } from 'roster-prediction';
import {
  expectedScore,
  type Forest,
  ForestExplainer,
  Learner,
  prepareTable,
  scorerMemory,
  seededRandom,
  squaredLoss,
} from 'roster-prediction/internals';
import { finish } from 'roster-prediction/predicting';
import { median } from '../../testkit/numbers.js';
import { pythonOfThisMachine } from '../../testkit/python.js';
import { root } from '../../testkit/root.js';
import { type Finding, type Given, runScenarios, type Scenario } from '../scenarios.js';
import { writeXgboostModel } from './xgboost-model.js';

const PROGRAM = fileURLToPath(new URL('bench/contributions/peer.py', root));
const ROWS = { long: 10_000, short: 1000 };
const ROUNDS = { long: 7, short: 1 };

/**
 * The largest difference, in units of the target's scatter. XGBoost adds the values of all trees in 24 bits: where each
 * tree is explained by itself, and those are added in 53 bits, the difference is a small part of it.
 */
const MAX_DIFFERENCE = 1e-6;

interface Table {
  readonly columns: number;
  /** Values are whole multiples of this. */
  readonly step: number;
  readonly trees: number;
  readonly minRowsPerLeaf: number;
}

const TABLES: Readonly<Record<string, Table>> = {
  'ten columns': { columns: 10, step: 1e-6, trees: 81, minRowsPerLeaf: 20 },
  'few values': { columns: 4, step: 0.125, trees: 40, minRowsPerLeaf: 5 },
  'forty columns': { columns: 40, step: 1e-6, trees: 200, minRowsPerLeaf: 1 },
};

/** The same trees explained by the service's explainer and by XGBoost (`apt-get install python3-xgboost`). */
const xgboost: Scenario = {
  name: 'xgboost',
  hasShort: true,
  run: async (given) => {
    const python = pythonOfThisMachine('numpy, xgboost');
    if (python === undefined) {
      return [{ asked: 'contributions as those of XGBoost', measured: 'not measured: python3 has no xgboost' }];
    }
    return Object.entries(TABLES).flatMap(([name, table]) => compare(python, name, table, given));
  },
};

await runScenarios({
  name: 'bench:contributions',
  description:
    'Compare what columns contribute to predictions with what XGBoost computes from the same trees, and how fast.',
  file: 'contributions',
  scenarios: [xgboost],
});

function compare(python: string, name: string, table: Table, { folder, isShort }: Given): Finding[] {
  const [rows, rounds] = isShort ? [ROWS.short, ROUNDS.short] : [ROWS.long, ROUNDS.long];
  const { forest, bins } = growForest(table, rows);
  writeFileSync(join(folder, 'model.json'), writeXgboostModel(forest, table.columns));
  writeFileSync(join(folder, 'bins.bin'), bins);
  rmSync(join(folder, 'by_tree.bin'), { force: true });
  const players = table.columns;
  const all = Uint32Array.from({ length: rows }, (_, row) => row);
  const values = new Float64Array(rows * players);
  const begun = process.cpuUsage();
  const playerOf = [...Array(players).keys()];
  const explainer = finish(ForestExplainer.create(forest.trees, playerOf, scorerMemory()));
  explainer.addTo(values, players, all, bins, rows);
  const first = secondsSince(begun);
  const again = new Float64Array(values.length);
  const ratios: number[] = [];
  const own: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    explainer.addTo(again, players, all, bins, rows);
    own.push(secondsSince(before));
    // The first round of XGBoost lays its trees out.
    const [, seconds = Number.NaN]: number[] = JSON.parse(
      execFileSync(python, [PROGRAM, folder, String(rows), '2'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    peer.push(seconds);
    ratios.push(seconds / (own.at(-1) ?? Number.NaN));
  }
  const difference = findDifference(folder, values, expectedScore(forest), rows);
  const ofTrees = findTreeDifference(folder, values);
  const what = `${name}, ${forest.trees.length} trees, ${rows.toLocaleString('en')} rows`;
  const times = `${inMilliseconds(own)} against ${inMilliseconds(peer)} of processor time; ${inMilliseconds([first])} the first time, with tables laid out and filled`;
  return [
    {
      asked: `${what}: contributions differ from XGBoost's by at most ${MAX_DIFFERENCE}`,
      measured: `${difference.toExponential(1)}; ${ofTrees.toExponential(1)} from the sum in 64 bits of those of each tree`,
      passed: difference <= MAX_DIFFERENCE,
      mustHold: true,
    },
    {
      asked: `${what}: as fast as XGBoost on one core`,
      measured: `${median(ratios).toFixed(1)} times (median of ${rounds}): ${times}`,
      passed: median(ratios) >= 1,
    },
  ];
}

/** Grows a forest whose leaves fit into float32. Returns it with the bins of the rows, feature by feature. */
function growForest({ columns, step, trees, minRowsPerLeaf }: Table, rowCount: number) {
  const random = seededRandom(columns);
  const rows = Array.from({ length: rowCount }, () => {
    const values = Array.from({ length: columns }, () => step * Math.floor(random() / step));
    const [a = 0, b = 0, c = 0, ...others] = values;
    const y = 3 * a * b + Math.sin(6 * c) + others.reduce((sum, value) => sum + value, 0) / columns + random() / 4;
    return { ...Object.fromEntries(values.map((value, index) => [`x${index}`, value])), y };
  });
  const table = readRowsTable(rows, 'y');
  if (table.task !== 'regression') throw new Error('The target is a number.');
  const { binned } = prepareTable(table);
  const all = Uint32Array.from({ length: binned.rowCount }, (_, row) => row);
  const loss = squaredLoss(table.targetValues);
  const [grown] = new Learner(binned).booster(all, { maxLeaves: 31, minRowsPerLeaf }, loss).addRounds(trees);
  if (!grown) throw new Error('No forest was grown.');
  const forest: Forest = {
    // XGBoost 1.7.4 adds this default to contributions, whatever base a loaded model has.
    base: 0.5,
    trees: grown.trees.map((tree) => ({ ...tree, leaves: tree.leaves.map(Math.fround) })),
  };
  return { forest, bins: binned.bins };
}

/** Returns the largest difference of a contribution, or of the base, from XGBoost's. */
function findDifference(folder: string, values: Float64Array, base: number, rows: number): number {
  const bytes = new Uint8Array(readFileSync(join(folder, 'contributions.bin')));
  const peers = new Float32Array(bytes.buffer);
  const players = values.length / rows;
  let most = 0;
  for (let row = 0; row < rows; row++) {
    for (let place = 0; place <= players; place++) {
      const own = place < players ? values[row * players + place] : base;
      const difference = Math.abs((own ?? Number.NaN) - (peers[row * (players + 1) + place] ?? Number.NaN));
      most = Number.isNaN(difference) ? Infinity : Math.max(most, difference);
    }
  }
  return most;
}

/** Returns the largest difference from XGBoost's values of single trees, added up in 64 bits. */
function findTreeDifference(folder: string, values: Float64Array): number {
  const bytes = new Uint8Array(readFileSync(join(folder, 'by_tree.bin')));
  const peers = new Float64Array(bytes.buffer);
  return peers.reduce((most, value, at) => Math.max(most, Math.abs(value - (values[at] ?? Number.NaN))), 0);
}

function secondsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}

function inMilliseconds(seconds: readonly number[]): string {
  return `${(1000 * median(seconds)).toFixed(1)} ms`;
}

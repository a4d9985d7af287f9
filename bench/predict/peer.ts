import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readRowsTable } from '../../prediction/src/index.js';
import { fieldOf } from '../../testkit/json.js';
import { root } from '../../testkit/root.js';
import type { Finding, Scenario } from '../scenarios.js';
import { blocksOf, fitNumbers, LIMITS, scoreRows, TREES } from './scoring.js';
import { SYNTHETIC_TARGET, syntheticCsv, syntheticRows } from './synthetic.js';

const ROWS = 100_000;
const ROUNDS = 5;
const PROGRAM = fileURLToPath(new URL('bench/predict/peer.py', root));

/** The best time of each, in seconds. */
interface Times {
  readonly fit: number;
  readonly predict: number;
}

/** Fits 100 trees to 100,000 rows and predicts them, beside scikit-learn (`apt-get install python3-sklearn`). */
export const peer: Scenario = {
  name: 'peer',
  run: async (folder): Promise<Finding[]> => {
    const asked = `${TREES} trees of ${ROWS.toLocaleString('en')} × 10 on one core, beside scikit-learn's HistGradientBoostingRegressor`;
    const peers = await timePeer(folder);
    if (typeof peers === 'string') return [{ asked, measured: peers, passed: undefined }];
    const own = timeOwn();
    return [
      { asked: `fitting ${asked}`, ...compare(own.fit, peers.fit) },
      { asked: `predicting from values with ${asked}`, ...compare(own.predict, peers.predict) },
    ];
  },
};

function compare(own: number, peers: number): Pick<Finding, 'measured' | 'passed'> {
  const seconds = `${own.toFixed(2)} s against ${peers.toFixed(2)} s (the best of ${ROUNDS})`;
  return { measured: `${(peers / own).toFixed(1)} times as fast: ${seconds}`, passed: undefined };
}

/** Returns the times of scikit-learn, or why there are none. */
async function timePeer(folder: string): Promise<Times | string> {
  const file = join(folder, 'table.csv');
  await writeFile(file, [...syntheticCsv(ROWS)].join(''));
  const numbers = [TREES, LIMITS.maxLeaves, LIMITS.minRowsPerLeaf, ROUNDS].map(String);
  // Debian's package belongs to Debian's Python.
  for (const python of ['python3', '/usr/bin/python3']) {
    try {
      const { stdout } = await promisify(execFile)(python, [PROGRAM, file, ...numbers], {
        env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
      });
      const times: unknown = JSON.parse(stdout);
      return { fit: Number(fieldOf(times, 'fit')), predict: Number(fieldOf(times, 'predict')) };
    } catch (error) {
      const isMissing = /ModuleNotFoundError|ENOENT/.test(String(error));
      if (!isMissing) throw error;
    }
  }
  return 'not measured: python3 has no scikit-learn';
}

function timeOwn(): Times {
  const table = readRowsTable([...syntheticRows(ROWS)], SYNTHETIC_TARGET);
  if (table.task !== 'regression') throw new Error('The target is a number.');
  const { model, scorer } = fitNumbers(table);
  const predict = scoreRows(model, scorer, blocksOf([...syntheticRows(ROWS)]));
  return { fit: best(() => fitNumbers(table)), predict: best(predict) };
}

function best(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const begun = performance.now();
    work();
    return (performance.now() - begun) / 1000;
  });
  return Math.min(...times);
}

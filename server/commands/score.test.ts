import { expect, test } from 'vitest';
import { runRoster } from '../../testkit/service/roster-command.js';

test('what is wrong with the options, or missing, is named before anything is read', async () => {
  const score = (...args: string[]) => runRoster(['score', ...args], { NODE_PATH: '' });
  const outcomes = await Promise.all([
    score('prices', '--from', 'a.parquet', '--to', 'b.parquet'),
    score('prices', '--from', 'a.parquet', '--to', 'b.parquet', '--confidence', '1.5'),
    score('prices', '--from', 'a.parquet'),
  ]);
  expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1]);
  const [missing, confidence, target] = outcomes.map(({ stderr }) => stderr);
  expect(missing).toBe(
    'error: DuckDB is needed, but the package @duckdb/node-api is not installed; install it (npm install @duckdb/node-api@1.5.6-r.1)\n',
  );
  expect(confidence).toContain('It must be a number from 0.01 to 0.99, such as 0.9.');
  expect(target).toContain("required option '--to <file>' not specified");
});

/** Tests that no statement keeps others from being parsed. */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { BUILT_SCRIPTS } from '../../../testkit/databases/worker-scripts.js';
import { ProblemError } from '../../problems/problem.js';
import { WorkerPool } from '../../work/worker-pool.js';
import type { ParsedSelect } from './statement.js';
import { StatementParser } from './statement-parser.js';

const { signal } = new AbortController();
const parser = new StatementParser(BUILT_SCRIPTS.parser);
afterAll(() => parser.stop());

const MAX_BYTES = 16 * 1024;

/** The parts that a hostile statement repeats: before, in the middle once, and after. */
const NESTS: readonly (readonly [before: string, middle: string, after: string])[] = [
  ['select ', '1', ' + 1'],
  ['select ', '1', '::int'],
  ['select ', '1', ' is null'],
  ['select ', "'x'", " || U&'\\0041'"],
  ['select ', '1', '::numeric(10,2)[3]'],
  ['select ', 'a', ' collate "c"'],
  ['select ', 'a', '[1]'],
  ['select ', '1', ' in (1, 2)'],
  ['select ', '1', ' and a or b'],
  ['', 'select 1', ' union select 1'],
  ['select 1 from a', '', ' join a using (b)'],
  ['select 1 from a', '', ' natural join a'],
];
const WRAPS: readonly (readonly [before: string, middle: string, after: string])[] = [
  ['(', '1', ')'],
  ['- ', '1', ''],
  ['not ', 'true', ''],
  ['array[', '1', ']'],
  ['row(', '1', ')'],
  ['upper(', '1', ')'],
  ['case when 1 then ', '1', ' end'],
  ['cast(', '1', ' as text)'],
  ['(select ', '1', ')'],
  ['(select 1 from (select ', '1', ') a)'],
  ['exists (with a as (select 1) select ', '1', ')'],
  ['1 = any (select ', '1', ')'],
  ['coalesce(1, ', '1', ')'],
  ['"', 'a', '"'],
  ['/*', '', '*/'],
];

const times = fc.oneof(fc.nat(300), fc.nat(8_000));
const hostile = fc
  .oneof(
    fc.tuple(fc.constantFrom(...NESTS), times).map(([[before, middle, after], count]) => {
      return before + middle + after.repeat(count);
    }),
    fc.tuple(fc.constantFrom(...WRAPS), times).map(([[before, middle, after], count]) => {
      return `select ${before.repeat(count)}${middle}${after.repeat(count)}`;
    }),
    fc.nat(MAX_BYTES).map((length) => `select ${'é'.repeat(length / 2)}`),
  )
  .map((sql) => sql.slice(0, MAX_BYTES));

test('any statement is parsed or refused, and the next one is parsed', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (sql) => {
      await parser.parse('o', sql, signal).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ProblemError);
        expect(String(error)).not.toMatch(/could not be parsed|memory/);
      });
      const { names } = await parser.parse('o', 'select 1 from a', signal);
      expect(names.tables).toEqual([{ table: 'a', offsets: [14] }]);
    }),
    { numRuns: 60 },
  );
});

test('a process whose parser fails is replaced', async () => {
  const options = {
    maxHeapMiB: 64,
    maxMemoryBytes: 512 * 1024 * 1024,
    maxSilenceMs: 10_000,
    maxIdle: 1,
    idleTimeoutMs: 1_000,
  };
  const script = BUILT_SCRIPTS.parser;
  const pool = new WorkerPool<string, ParsedSelect>({ ...options, script });
  const parse = (details: string) => pool.run({ details, input: (async function* () {})(), onData: () => {} });
  const overflow = parse(`select ${'1+'.repeat(100_000)}1`);
  await expect(overflow).rejects.toThrow(/call stack|memory access|unreachable/i);
  expect(await parse('select 1 from a')).toMatchObject({ names: { usesRows: false } });
  pool.close();
});

test('the death of a process is one query that fails', async () => {
  const absent = new StatementParser(new URL('./absent.js', import.meta.url));
  const error = await absent.parse('o', 'select 1', signal).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ type: '/problems/service-unavailable' });
  expect(String(error)).toContain('could not be parsed; try again');
});

test('a parse ends with its caller, and with the service', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(parser.parse('o', 'select 1', gone)).rejects.toThrow('gone');
  const stopped = new StatementParser(BUILT_SCRIPTS.parser);
  const parsing = stopped.parse('o', 'select 1', signal);
  const refused = expect(parsing).rejects.toThrow('The service is stopping');
  stopped.stop();
  await refused;
});

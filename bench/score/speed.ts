import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type RowColumn, readBatches, writeArrow } from '../../server/commands/score/row-batch.js';
import { findSentType } from '../../server/commands/score/sent-columns.js';
import { median } from '../../testkit/numbers.js';
import { root } from '../../testkit/root.js';
import { processorTime, residentMemory, type Service, treeTime } from '../../testkit/service/measured-service.js';
import { requireFrom } from '../../tools/on-demand/installed.js';
import { compareRounds, measureInTurn, type Rate, repeatedly } from '../load.js';
import { onService, train } from '../services.js';

const ROSTER = fileURLToPath(new URL('dist/server/commands/roster.js', root));
const MODULES = fileURLToPath(new URL('tools/on-demand/duckdb/node_modules', root));
const ARROW = 'application/vnd.apache.arrow.stream';

const FILES = 10;
const SIZES = { long: { rows: 1_000_000, rounds: 1 }, short: { rows: 20_000, rounds: 1 } };

/** The most requests that the command sends at once. */
const PARALLEL = 2;
const LEAST_SHARE = 0.8;
const MAX_MEBIBYTES = 1024;

/** Seven columns of numbers and three of categories, a twentieth of each missing. */
const COLUMNS = [
  ...Array.from({ length: 7 }, (_, column) => ({
    name: `x${column}`,
    type: 'DOUBLE',
    sql: `round((hash(i * 7 + ${column}) % 100000) / 1e4, 4)`,
  })),
  ...[6, 12, 40].map((kinds, column) => ({
    name: `c${column}`,
    type: 'VARCHAR',
    sql: `'kind ' || (hash(i * 11 + ${column}) % ${kinds})`,
  })),
];

const MISSING = COLUMNS.map(
  ({ name, sql }, at) => `CASE WHEN hash(i * 37 + ${at}) % 20 > 0 THEN ${sql} END AS ${name}`,
);

const TARGET = `round(3 * sin(coalesce(x0, 5)) + coalesce(x1, 5) / 2 + (coalesce(x2, 5) - 5) ** 2 / 4 + hash(c0) % 5 + (hash(i) % 1000) / 1000, 3)`;

/** Rows a second of the command, beside those of a client that sends the same rows, and of DuckDB by itself. */
export const speed = onService(
  { name: 'speed', hasShort: true, start: { env: { RATE_LIMIT: '0' } } },
  async (service, { folder, isShort }) => {
    const { rows, rounds } = isShort ? SIZES.short : SIZES.long;
    const { DuckDBInstance }: typeof import('@duckdb/node-api') = requireFrom('duckdb')('@duckdb/node-api');
    const database = await (await DuckDBInstance.create(':memory:')).connect();
    const bodies = await prepare(database, service, folder, rows);
    const total = FILES * rows;
    const memories: number[] = [];
    const works: readonly (() => Promise<void>)[] = [
      async () => {
        memories.push(await score(service, folder));
      },
      () => sendAll(service, bodies, 1),
      () => sendAll(service, bodies, PARALLEL),
      () => copy(database, folder),
    ];
    const measured = await measureInTurn(works, (work) => measure(total, service, work), { rounds, warmUps: 0 });
    database.closeSync();
    const [scored = [], one = [], several = [], engine = []] = measured.map((each) => each.rounds);
    const beside = (others: readonly Rate[]) => {
      const { ratio, range } = compareRounds(scored, others, 'perSecond');
      const [ours, theirs] = [scored, others].map((rates) => {
        const rate = median(rates.map(({ perSecond }) => perSecond));
        return `${Math.round(rate).toLocaleString('en')} rows/s`;
      });
      return { ratio, measured: `${ratio.toFixed(2)} (median of ${rounds}, ${range}): ${ours} against ${theirs}` };
    };
    const what = `roster score, ${total.toLocaleString('en')} rows × ${COLUMNS.length + 1} in ${FILES} files, written with 4 columns of answers`;
    const alone = beside(one);
    const most = Math.max(...memories);
    return [
      {
        asked: `${what}: at least ${LEAST_SHARE} of the rows a second of predict with the same rows as Arrow, whose answers are thrown away`,
        measured: alone.measured,
        passed: alone.ratio >= LEAST_SHARE,
      },
      { asked: `the same, beside ${PARALLEL} such clients at once`, measured: beside(several).measured },
      {
        asked: 'the same, beside DuckDB, which reads what was scored and writes it again',
        measured: beside(engine).measured,
      },
      {
        asked: `the memory of the command stays below ${MAX_MEBIBYTES} MiB`,
        measured: `${most.toFixed(0)} MiB at most`,
        passed: most < MAX_MEBIBYTES,
      },
    ];
  },
);

/** Writes the files, trains the model, and returns the rows as the bodies that the command sends. */
async function prepare(database: DuckDBConnection, service: Service, folder: string, rows: number): Promise<string[]> {
  const table = join(folder, 'table.parquet');
  await database.run(
    `COPY (SELECT * EXCLUDE (i), ${TARGET} AS y FROM (SELECT i, ${MISSING} FROM range(100000) t(i))) TO '${table}'`,
  );
  await train(`${service.url}/api/projects/default/models/values?target=y`, new Blob([readFileSync(table)]), {
    'Content-Type': 'application/vnd.apache.parquet',
  });
  const columns = COLUMNS.flatMap(({ name, type: sql }): RowColumn[] => {
    const type = findSentType(sql);
    return type ? [{ name, type }] : [];
  });
  const bodies: string[] = [];
  for (let file = 0; file < FILES; file++) {
    const path = join(folder, `rows-${file}.parquet`);
    const range = `range(${file * rows}, ${(file + 1) * rows})`;
    await database.run(`COPY (SELECT i AS id, ${MISSING} FROM ${range} t(i)) TO '${path}'`);
    const result = await database.stream(`SELECT ${columns.map(({ name }) => name)} FROM '${path}'`);
    for await (const batch of readBatches(result, columns)) {
      const body = join(folder, `body-${bodies.length}`);
      writeFileSync(body, writeArrow(columns, batch));
      bodies.push(body);
    }
  }
  return bodies;
}

/** Measures rows a second, and the processor time of the service for a million rows. */
async function measure(rows: number, { pid }: Service, work: () => Promise<void>): Promise<Rate> {
  const before = { own: processorTime(pid), all: treeTime(pid) };
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const millions = rows / 1e6;
  return {
    perSecond: rows / seconds,
    cost: (processorTime(pid) - before.own) / millions,
    allCost: (treeTime(pid) - before.all) / millions,
  };
}

/** Scores all files anew. @returns the most memory of the command, in mebibytes */
async function score({ url }: Service, folder: string): Promise<number> {
  const to = join(folder, 'scored/');
  const args = ['score', 'values', '--url', url, '--from', join(folder, 'rows-*.parquet'), '--to', to, '--again'];
  const child = spawn(process.execPath, [ROSTER, ...args], { env: { ...process.env, NODE_PATH: MODULES } });
  const errors = text(child.stderr);
  let most = 0;
  const { pid } = child;
  const stop = repeatedly(100, () => {
    if (pid !== undefined && child.exitCode === null) most = Math.max(most, residentMemory(pid) || 0);
  });
  const [code]: unknown[] = await once(child, 'exit');
  stop();
  if (code !== 0) throw new Error(await errors);
  return most;
}

/** Sends bodies, some at once, and throws the answers away. */
async function sendAll({ url }: Service, bodies: readonly string[], atOnce: number): Promise<void> {
  const waiting = bodies.values();
  const send = async () => {
    for (const body of waiting) {
      const answer = await fetch(`${url}/api/projects/default/models/values/predict`, {
        method: 'POST',
        headers: { 'Content-Type': ARROW, Accept: ARROW },
        body: readFileSync(body),
      });
      if (answer.status !== 200 || !answer.body) throw new Error(await answer.text());
      for await (const _ of answer.body);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
}

async function copy(database: DuckDBConnection, folder: string): Promise<void> {
  const to = join(folder, 'copied.parquet');
  await database.run(`COPY (FROM '${join(folder, 'scored/*.parquet')}') TO '${to}'`);
  rmSync(to);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { DuckDBConnection } from '@duckdb/node-api';
import { tableFromIPC, Vector } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../testkit/root.js';
import { type Outcome, runRoster } from '../../testkit/service/roster-command.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { requireFrom } from '../../tools/on-demand/installed.js';

const MODULES = fileURLToPath(new URL('tools/on-demand/duckdb/node_modules', root));
const ONNX_MODULES = fileURLToPath(new URL('tools/on-demand/onnx/node_modules', root));
const ROSTER = fileURLToPath(new URL('dist/server/commands/roster.js', root));
const ARROW = 'application/vnd.apache.arrow.stream';
const PARQUET = 'application/vnd.apache.parquet';

const { DuckDBInstance }: typeof import('@duckdb/node-api') = requireFrom('duckdb')('@duckdb/node-api');

let service: ServerProcess;
let folder: string;
let database: DuckDBConnection;

/** Rows with a column of each type that a model reads, and one of a type that it does not. */
const ROWS = `SELECT i AS id,
  CASE WHEN i % 19 = 0 THEN NULL ELSE (hash(i) % 10000) / 100.0 END::DOUBLE AS weight,
  CASE WHEN i % 23 = 0 THEN NULL ELSE hash(i + 1) % 500 END::SMALLINT AS size,
  ((hash(i + 2) % 2000)::BIGINT - 1000)::BIGINT * 1000000007 AS balance,
  ((hash(i + 3) % 100000) / 100.0)::DECIMAL(9, 2) AS fee,
  CASE WHEN i % 31 = 0 THEN NULL ELSE hash(i + 4) % 2 = 0 END AS express,
  CASE WHEN i % 17 = 0 THEN NULL WHEN i % 5 = 0 THEN 'a place with a long name ' || (i % 7) ELSE 'town ' || (i % 9) END AS place,
  DATE '2020-01-01' + (hash(i + 5) % 2000)::INTEGER AS day,
  TIMESTAMP '2021-03-04 05:06:07.891' + to_seconds((hash(i + 6) % 9000000)::BIGINT) AS moment,
  (TIMESTAMP '2021-03-04 05:06:07' + to_minutes((hash(i + 7) % 90000)::BIGINT))::TIMESTAMPTZ AS instant,
  TIME '00:00:00' + to_minutes((hash(i + 8) % 1440)::BIGINT) AS clock,
  (hash(i + 9) % 1000)::FLOAT / 8 AS share,
  {'list': [i]} AS details`;

const PRICE = `round(coalesce(weight, 40) * 3 + coalesce(size, 200) / 7 + fee / 50 + balance / 1e12 + (hash(id) % 100) / 50, 2)`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roster-score-'));
  service = await startServer({ env: { RATE_LIMIT: '0' } });
  database = await (await DuckDBInstance.create(':memory:')).connect();
  await write('table', `SELECT * EXCLUDE (id, details), ${PRICE} AS price FROM (${ROWS} FROM range(3000) t(i))`);
  await write(
    'kinds',
    `SELECT weight, size, place, CASE WHEN weight > 60 THEN 'heavy, "=1"' WHEN size > 250 THEN 'large' ELSE 'other' END AS kind FROM (${ROWS} FROM range(1500) t(i))`,
  );
  await Promise.all([train('prices', 'price', 'table'), train('kinds', 'kind', 'kinds')]);
});
afterAll(async () => {
  database.closeSync();
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function write(name: string, sql: string): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await database.run(`COPY (${sql}) TO '${path}' (ROW_GROUP_SIZE 5000)`);
  return path;
}

async function train(model: string, target: string, table: string): Promise<void> {
  const address = `${service.url}/api/projects/default/models/${model}`;
  const query = `target=${target}&effort=fast`;
  const body = readFileSync(join(folder, `${table}.parquet`));
  const answer = await fetch(`${address}?${query}`, { method: 'PUT', body, headers: { 'Content-Type': PARQUET } });
  expect(answer.status, await answer.text()).toBe(202);
  await untilReadyAt(address);
}

function score(args: string[], url = service.url): Promise<Outcome> {
  return runRoster(['score', '--url', url, ...args], { NODE_PATH: MODULES });
}

/** Writes rows that begin with `first`. */
const rows = (name: string, count: number, first = 0) =>
  write(name, `FROM (${ROWS} FROM range(${first}, ${first + count}) t(i))`);

async function ask(sql: string): Promise<unknown[][]> {
  return (await database.run(sql)).getRowsJson();
}

/** The rows of a file, in their order, as the answers of `predict` to another file have them. */
async function predicted(model: string, path: string, query = '') {
  const answer = await fetch(`${service.url}/api/projects/default/models/${model}/predict?${query}`, {
    method: 'POST',
    body: readFileSync(path),
    headers: { 'Content-Type': PARQUET, Accept: ARROW },
  });
  expect(answer.status).toBe(200);
  return tableFromIPC(new Uint8Array(await answer.arrayBuffer()));
}

/** Expects that a file has the rows of another, and beside each the columns of its answer, to the last bit. */
async function expectAnswers(scored: string, source: string, model: string, columns: string[], query = '') {
  const answers = await predicted(model, source, query);
  const names = (await ask(`DESCRIBE FROM '${scored}'`)).map(([name]) => name);
  const own = (await ask(`DESCRIBE FROM '${source}'`)).map(([name]) => name);
  expect(names).toEqual([...own, ...columns]);
  const [[differing]] = (await ask(
    `SELECT count(*) FROM '${source}' i POSITIONAL JOIN '${scored}' s WHERE row(${own.map((name) => `i."${name}"`)}) IS DISTINCT FROM row(${own.map((name) => `s."${name}"`)})`,
  )) as [[string]];
  expect(Number(differing)).toBe(0);
  const result = await database.run(
    `SELECT ${columns.map((name) => `"${name.replaceAll('"', '""')}"`)} FROM '${scored}'`,
  );
  const found = await result.getRowsJson();
  expect(found.length).toBe(answers.numRows);
  for (const [place, name] of columns.entries()) {
    const vector = answers.getChild(name);
    const wanted = Array.from({ length: answers.numRows }, (_, row) => plain(vector?.get(row)));
    expect(
      found.map((row) => row[place]),
      name,
    ).toEqual(wanted);
  }
}

function plain(value: unknown): unknown {
  return value instanceof Vector ? [...value] : (value ?? null);
}

describe('rows are scored as predict answers them, to the last bit', () => {
  test('a number and its interval, of columns of every type, in several requests', async () => {
    const source = await rows('many', 135_000);
    const to = join(folder, 'many-scored.parquet');
    expect(await score(['prices', '--from', source, '--to', to])).toMatchObject({ code: 0, stdout: '' });
    await expectAnswers(to, source, 'prices', ['price', 'price_confidence', 'price_min', 'price_max']);
  });

  test('a class, its set, its probabilities and what is unlike the table', async () => {
    const source = await rows('few', 3000, 1400);
    const to = join(folder, 'few-scored.parquet');
    const options = ['--confidence', '0.95', '--probabilities', '--warnings', '--contributions'];
    expect(await score(['kinds', '--from', source, '--to', to, ...options])).toMatchObject({ code: 0 });
    const names = (await ask(`DESCRIBE FROM '${to}'`)).map(([name]) => String(name));
    const columns = names.filter((name) => name.startsWith('kind'));
    expect(columns.length).toBeGreaterThan(8);
    await expectAnswers(
      to,
      source,
      'kinds',
      columns,
      'confidence=0.95&probabilities=true&warnings=true&contributions=true',
    );
  });

  test('rows without some columns of the model', async () => {
    const source = await write('lacking', `SELECT * EXCLUDE (size, fee, details) FROM (${ROWS} FROM range(700) t(i))`);
    const to = join(folder, 'lacking-scored.parquet');
    expect(await score(['prices', '--from', source, '--to', to, '--allow-missing'])).toMatchObject({ code: 0 });
    await expectAnswers(to, source, 'prices', ['price', 'price_confidence', 'price_min', 'price_max']);
  });

  test('none, and all files of a folder into one', async () => {
    const parts = join(folder, 'parts');
    mkdirSync(parts);
    for (const [part, count] of [3, 0, 5].entries())
      copyFileSync(await rows('part', count, 10 * part), join(parts, `${part}.parquet`));
    const to = join(folder, 'one.parquet');
    expect(await score(['prices', '--from', parts, '--to', to, '--columns', 'id,weight'])).toMatchObject({ code: 0 });
    expect((await ask(`SELECT id::INT FROM '${to}'`)).flat()).toEqual([0, 1, 2, 20, 21, 22, 23, 24]);
    expect(
      await score(['prices', '--from', join(parts, '1.parquet'), '--to', join(folder, 'none.parquet')]),
    ).toMatchObject({ code: 0 });
    expect(await ask(`SELECT count(*)::INT, count(price_max)::INT FROM '${folder}/none.parquet'`)).toEqual([[0, 0]]);
  });

  test('files and a folder whose names have characters of a pattern, and no others in their place', async () => {
    const to = join(folder, 'exact.parquet');
    const scoredIds = async (from: string) => {
      expect(await score(['prices', '--from', from, '--to', to, '--columns', 'id', '--again'])).toMatchObject({
        code: 0,
      });
      return (await ask(`SELECT id::INT FROM '${to}'`)).flat();
    };
    for (const name of ['names1', 'names[1]']) mkdirSync(join(folder, name));
    await rows('names1/part', 1, 1);
    await rows('names[1]/part1', 1, 2);
    await rows('names[1]/part[1]', 1, 3);
    expect(await scoredIds(join(folder, 'names[1]'))).toEqual([2, 3]);
    copyFileSync(join(folder, 'names[1]/part1.parquet'), join(folder, 'part1.parquet'));
    copyFileSync(join(folder, 'names[1]/part[1].parquet'), join(folder, 'part[1].parquet'));
    expect(await scoredIds(join(folder, 'part[1].parquet'))).toEqual([3]);
  });

  test('the own target of rows stays beside the prediction', async () => {
    const to = join(folder, 'table-scored.parquet');
    expect(await score(['prices', '--from', join(folder, 'table.parquet'), '--to', to])).toMatchObject({ code: 0 });
    expect(
      await ask(
        `SELECT count(*)::INT FROM '${to}' s POSITIONAL JOIN '${folder}/table.parquet' i WHERE s.price_original = i.price AND s.price <> i.price`,
      ),
    ).not.toEqual([[0]]);
  });
});

describe('a file of ONNX scores without a service', () => {
  test.each([
    ['prices', 'many-onnx', ['price', 'price_confidence', 'price_min', 'price_max'], []],
    ['kinds', 'few-onnx', ['kind', 'kind_confidence', 'kind_set'], ['--probabilities']],
  ])('%s, to the last bit as predict', async (model, name, columns, options) => {
    const file = join(folder, `${model}.onnx`);
    const answer = await fetch(`${service.url}/api/projects/default/models/${model}/onnx`);
    writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));
    const source = await write(
      name,
      `SELECT weight, size, fee, express, place, day, moment, balance, share, id FROM (${ROWS} FROM range(500, 4500) t(i))`,
    );
    const to = join(folder, `${name}-scored.parquet`);
    const args = [
      'score',
      '--onnx',
      file,
      '--from',
      source,
      '--to',
      to,
      '--allow-missing',
      '--confidence',
      '0.9',
      ...options,
    ];
    const outcome = await runRoster(args, { NODE_PATH: `${MODULES}${delimiter}${ONNX_MODULES}` });
    expect(outcome).toMatchObject({ code: 0 });
    const classes = (await ask(`DESCRIBE FROM '${to}'`))
      .map(([column]) => String(column))
      .filter((column) => column.includes('_probability_'));
    await expectAnswers(
      to,
      source,
      model,
      [...columns, ...classes],
      `confidence=0.9&probabilities=${classes.length > 0}`,
    );
  });
});

describe('a folder', () => {
  test('is scored file by file, and only the files that lack are scored again', async () => {
    const data = join(folder, 'data');
    mkdirSync(join(data, 'year'), { recursive: true });
    for (const name of ['a', 'b', 'year/c'])
      copyFileSync(await rows('file', 50, name.length), join(data, `${name}.parquet`));
    const to = `${join(folder, 'scored')}/`;
    const args = ['prices', '--from', join(data, '**/*.parquet'), '--to', to];
    expect((await score(args)).stderr).toContain('3 files scored with prices.1: 150 rows');
    rmSync(join(to, 'b.parquet'));
    const again = await score(args);
    expect(again.stderr).toContain('2 of 3 files are scored already.');
    expect(again.stderr).toContain('1 file scored with prices.1: 50 rows');
    expect(readdirSync(to, { recursive: true }).sort()).toEqual(['a.parquet', 'b.parquet', 'year', 'year/c.parquet']);
    copyFileSync(await rows('file', 60), join(data, 'a.parquet'));
    expect((await score(args)).stderr).toContain(
      'a.parquet is there already, and was made otherwise: its input files have changed since; send --again',
    );
    expect((await score([...args, '--confidence', '0.8'])).stderr).toMatch(
      /made otherwise: options was "", and is "confidence=0.8"/,
    );
    expect((await score([...args, '--again'])).stderr).toContain('3 files scored with prices.1: 160 rows');
  });

  test('is scored over the same connections, whatever the number of its files', async () => {
    const data = join(folder, 'several');
    mkdirSync(data);
    const source = await rows('one-of-several', 5);
    for (const name of ['a', 'b', 'c', 'd']) copyFileSync(source, join(data, `${name}.parquet`));
    const proxy = await faultyProxy(() => undefined);
    const used = new Set<unknown>();
    proxy.server.keepAliveTimeout = 0;
    proxy.server.on('request', (request) => {
      if (request.url?.includes('/predict')) used.add(request.socket);
    });
    const to = `${join(folder, 'several-scored')}/`;
    const outcome = await score(['prices', '--from', data, '--to', to], proxy.url);
    proxy.server.close();
    proxy.server.closeAllConnections();
    expect(outcome.stderr).toContain('4 files scored with prices.1: 20 rows');
    // Two requests are sent at once.
    expect(used.size).toBeLessThanOrEqual(2);
  });
});

describe('a service that goes away', () => {
  test('is asked again for the rows without an answer', async () => {
    const source = await rows('away', 280_000);
    const to = join(folder, 'away-scored.parquet');
    const faults = ['cut', '503', 'refuse', 'cut'];
    const proxy = await faultyProxy((number) => (number < 3 ? undefined : faults.shift()));
    try {
      const outcome = await score(['prices', '--from', source, '--to', to], proxy.url);
      expect(outcome).toMatchObject({ code: 0 });
      expect(outcome.stderr).toContain('the rows are sent again');
      expect(faults).toEqual([]);
    } finally {
      proxy.server.close();
      proxy.server.closeAllConnections();
    }
    const whole = join(folder, 'whole.parquet');
    await score(['prices', '--from', source, '--to', whole]);
    expect(await ask(`SELECT count(*)::INT FROM (FROM '${to}' EXCEPT ALL FROM '${whole}')`)).toEqual([[0]]);
    expect(readFileSync(to).equals(readFileSync(whole))).toBe(true);
  });

  test('leaves no half file when the command is interrupted, and the same command then completes', async () => {
    const source = await rows('long', 200_000);
    const to = `${join(folder, 'interrupted')}/`;
    let held = () => {};
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    const proxy = await faultyProxy((number) => {
      if (number < 2) return undefined;
      held();
      return 'hold';
    });
    const args = ['score', 'prices', '--from', source, '--to', to];
    const child = spawn(process.execPath, [ROSTER, ...args, '--url', proxy.url], {
      env: { ...process.env, NODE_PATH: MODULES },
    });
    const errors = text(child.stderr);
    await isHeld;
    child.kill('SIGINT');
    const [code]: unknown[] = await once(child, 'exit');
    proxy.server.close();
    proxy.server.closeAllConnections();
    expect(code).toBe(130);
    expect(await errors).toContain('error: interrupted');
    expect(readdirSync(to)).toEqual([]);
    writeFileSync(
      join(to, `.long.parquet.${(await import('node:os')).hostname()}.999999999.part`),
      'left by a killed process',
    );
    expect(await score(args.slice(1))).toMatchObject({ code: 0 });
    expect(readdirSync(to)).toEqual(['long.parquet']);
  });
});

describe('what cannot be scored is named', () => {
  test.each<[string, () => Promise<string[]>, RegExp]>([
    [
      'an empty folder',
      async () => {
        mkdirSync(join(folder, 'empty'), { recursive: true });
        return ['prices', '--from', join(folder, 'empty')];
      },
      /^error: no file matches .*empty\/\*\.parquet$/m,
    ],
    [
      'a file that is half written',
      async () => {
        const path = await rows('half', 500);
        truncateSync(path, 3000);
        return ['prices', '--from', path];
      },
      /half\.parquet cannot be read as Parquet; write it again, or leave it out: /,
    ],
    [
      'files of different columns',
      async () => [
        'prices',
        '--from',
        await rows('x1', 5),
        await write('x2', `SELECT * REPLACE (size::VARCHAR AS size) FROM (${ROWS} FROM range(5) t(i))`),
      ],
      /the files have different columns: .*x1\.parquet has size as SMALLINT, .*x2\.parquet has it as VARCHAR/,
    ],
    [
      'a file without a column',
      async () => [
        'prices',
        '--from',
        await write('lacks', `SELECT * EXCLUDE (fee) FROM (${ROWS} FROM range(5) t(i))`),
      ],
      /lacks\.parquet lacks fee, which the model reads; send --allow-missing/,
    ],
    [
      'a file without any',
      async () => ['prices', '--from', await write('other', 'SELECT 1 AS a')],
      /has none of the columns of the model, which reads .*weight/,
    ],
    [
      'a struct',
      async () => [
        'prices',
        '--from',
        await write('struct', `SELECT * REPLACE ({'a': 1} AS fee) FROM (${ROWS} FROM range(5) t(i))`),
      ],
      /the column fee of .*struct\.parquet is STRUCT\(a INTEGER\), which no model reads/,
    ],
    ['a model that is missing', async () => ['nothing', '--from', await rows('x1', 5)], /^error: .*nothing/m],
    [
      'an unknown column to keep',
      async () => ['prices', '--from', await rows('x1', 5), '--columns', 'idd'],
      /--columns names idd, but .* has id, weight/,
    ],
    [
      'a column that answers have',
      async () => [
        'prices',
        '--from',
        await write('taken', `SELECT *, 1 AS price_min FROM (${ROWS} FROM range(5) t(i))`),
      ],
      /the column price_min is in the rows and in the answers/,
    ],
    [
      'a target within the source',
      async () => [`prices`, '--from', await rows('x1', 5), '--to', join(folder, 'x1.parquet')],
      /would be read and written/,
    ],
    [
      'a target of another kind',
      async () => [`prices`, '--from', await rows('x1', 5), '--to', join(folder, 'x1.csv')],
      /--to names a file that ends in \.parquet, or a folder/,
    ],
    [
      'a file of others',
      async () => [`prices`, '--from', await rows('x1', 5), '--to', await rows('x2', 5)],
      /is there already, and was not written by roster score; send --again/,
    ],
  ])('%s', async (_, args, words) => {
    const given = await args();
    const to = given.includes('--to') ? [] : ['--to', join(folder, 'refused.parquet')];
    const { code, stderr } = await score([...given, ...to]);
    expect(stderr).toMatch(words);
    expect(code).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('.') || name.startsWith('refused'))).toEqual([]);
  });

  test('a key that the service does not know, and a service that is not there', async () => {
    const source = await rows('x1', 5);
    const to = join(folder, 'refused.parquet');
    const denied = await runRoster(['score', 'prices', '--url', service.url, '--from', source, '--to', to], {
      NODE_PATH: MODULES,
      ROSTER_KEY: `roster_0123456789abcdef_${'s'.repeat(43)}`,
    });
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: .*key/m) });
    const gone = await score(['prices', '--from', source, '--to', to], 'http://127.0.0.1:9');
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('http://127.0.0.1:9 does not answer') });
  });
});

/** Passes requests on to the service, and treats those badly that predict, as `faultOf` says by their number. */
async function faultyProxy(faultOf: (number: number) => string | undefined): Promise<{ url: string; server: Server }> {
  let predictions = 0;
  const server = createServer((req, res) => {
    const fault = req.url?.includes('/predict') ? faultOf(++predictions) : undefined;
    if (fault === 'hold') return void req.resume();
    if (fault === 'refuse') return void req.socket.destroy();
    if (fault === '503') {
      req.resume().on('end', () => {
        const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '1' };
        res
          .writeHead(503, headers)
          .end(JSON.stringify({ type: 'about:blank', detail: 'The service is busy.', status: 503 }));
      });
      return;
    }
    const { hostname, port } = new URL(service.url);
    const sent = httpRequest({ hostname, port, path: req.url, method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      if (fault === 'cut')
        answer.once('data', (piece: Buffer) => res.write(piece.subarray(0, 1000), () => res.destroy()));
      else answer.pipe(res);
    });
    sent.on('error', () => res.destroy());
    res.on('close', () => sent.destroy());
    req.pipe(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
  return { url: `http://127.0.0.1:${address.port}`, server };
}

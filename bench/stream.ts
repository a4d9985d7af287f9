import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processorTime, residentMemory, type Service, startService } from '../harness/service.js';
import { trained } from '../harness/training.js';

/**
 * Measures a stream of rows to predict: how many rows a second, and what memory the service holds, with
 * a reader as fast as the service, one that is slower than the sender, and one that does not read at
 * all, whom the service gives up after half a minute. Linux only: memory is read from /proc.
 *
 * Usage: node dist/bench/stream.js [ROWS]
 */
const ROWS = Number(process.argv[2] ?? 5_000_000);
const DATASET = new URL('../../datasets/diamonds.csv', import.meta.url);

/** The slow reader rests so long after each piece of the answer, in milliseconds. */
const REST = 10;

interface Outcome {
  readonly rows: number;
  readonly seconds: number;
  /** Of a processor, in the service. */
  readonly worked: number;
  /** The most that the service held, in MiB. */
  readonly memory: number;
  readonly ended: string;
}

type Reader = (answer: IncomingMessage, count: (piece: Buffer) => void) => Promise<void>;

const readers: Record<string, { rows: number; read: Reader }> = {
  'as fast': { rows: ROWS, read: (answer, count) => readAll(answer, count) },
  slower: { rows: Math.ceil(ROWS / 20), read: (answer, count) => readAll(answer, count, REST) },
  'not at all': { rows: ROWS, read: untilClosed },
};

const folder = await mkdtemp(join(tmpdir(), 'roster-bench-'));
const service = await startService(folder, `file:${join(folder, 'roster.db')}`, {
  LOG_LEVEL: 'info',
});
try {
  const lines = await train(service);
  process.stdout.write(
    `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}; ${residentMemory(service.pid).toFixed(0)} MiB before\n\n` +
      '| reader | rows | rows/s | rows a second of work | memory | ended |\n|---|---|---|---|---|---|\n',
  );
  for (const [name, { rows, read }] of Object.entries(readers)) {
    const { seconds, worked, memory, ended, ...answered } = await stream(lines, rows, read);
    process.stdout.write(
      `| ${name} | ${answered.rows} of ${rows} | ${Math.round(answered.rows / seconds)} | ${Math.round(answered.rows / worked)} | ${memory.toFixed(0)} MiB | ${ended}, after ${seconds.toFixed(0)} s |\n`,
    );
  }
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}

/** Trains the model that answers. Gives rows to predict, as lines. */
async function train({ url }: Service): Promise<Buffer> {
  const csv = await readFile(DATASET, 'utf8');
  const model = `${url}/api/projects/default/models/prices`;
  const headers = { 'Content-Type': 'text/csv' };
  const begun = await fetch(`${model}?target=price`, { method: 'PUT', headers, body: csv });
  if (!begun.ok) throw new Error(await begun.text());
  await trained(model);
  const [header = '', ...records] = csv.trimEnd().split('\n');
  const names = header.split(',');
  const rows = records.slice(0, 1000).map((record) => {
    const values = record.split(',');
    const cells = names.map((name, at) => [name, Number(values[at]) || values[at]]);
    return `${JSON.stringify(Object.fromEntries(cells))}\n`;
  });
  return Buffer.from(rows.join(''));
}

/** @param lines a thousand lines, which are sent again and again */
async function stream(lines: Buffer, rows: number, read: Reader): Promise<Outcome> {
  const begin = performance.now();
  const workedBefore = processorTime(service.pid);
  let answered = 0;
  let memory = 0;
  const sampling = setInterval(() => {
    memory = Math.max(memory, residentMemory(service.pid));
  }, 100);
  const sent = request(`${service.url}/api/projects/default/models/prices/predict`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  const gone = new AbortController();
  sent.once('close', () => gone.abort());
  const failed = once(sent, 'error').then(([error]) => String(error.message));
  const sending = sendAll(sent, lines, rows, gone.signal).catch(() => {});
  const [answer] = await once(sent, 'response');
  const count = (piece: Buffer) => {
    for (const byte of piece) if (byte === 0x0a) answered += 1;
  };
  const finished = read(answer, count).then(
    () => 'whole',
    (error) => String(error.message),
  );
  const ended = await Promise.race([finished, failed]);
  await sending;
  clearInterval(sampling);
  return {
    rows: answered,
    seconds: (performance.now() - begin) / 1000,
    worked: (processorTime(service.pid) - workedBefore) / 1000,
    memory,
    ended,
  };
}

async function sendAll(sent: ClientRequest, lines: Buffer, rows: number, gone: AbortSignal) {
  for (let done = 0; done < rows; done += 1000) {
    if (!sent.write(lines)) await once(sent, 'drain', { signal: gone });
  }
  sent.end();
}

async function readAll(answer: IncomingMessage, count: (piece: Buffer) => void, rest = 0) {
  for await (const piece of answer) {
    count(piece);
    if (rest > 0) await delay(rest);
  }
}

async function untilClosed(answer: IncomingMessage): Promise<void> {
  answer.on('error', () => {});
  await once(answer, 'close');
  throw new Error('the connection ended');
}

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { processorTime, residentMemory, type Service } from '../../testkit/service/measured-service.js';
import { repeatedly } from '../load.js';
import type { Finding } from '../scenarios.js';
import { onMeasured, trainPricesPath } from './service.js';

const ROWS = 5_000_000;
/** The number of lines, which are sent repeatedly. */
const LINES = 1000;
const MAX_MEMORY = 250;

/** The pause of the slow reader after each piece of the answer, in milliseconds. */
const REST = 10;

type Reader = (answer: IncomingMessage, count: (piece: Buffer) => void) => Promise<void>;

/** Rows as NDJSON: read as fast as they are answered, more slowly than they are sent, and not at all. */
export const streams = onMeasured('streams', async (service) => {
  const url = service.url + (await trainPricesPath(service));
  const { rows } = diamondTable(LINES);
  const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const few = ROWS / 20;
  const readSlowly: Reader = (answer, count) => readAll(answer, count, REST);
  const send = (what: string, sent: number, read: Reader, answered = sent) =>
    stream(service, { url, lines, what, sent, read, answered });
  return [
    await send(`${ROWS.toLocaleString('en')} rows as lines of JSON`, ROWS, readAll),
    await send('a reader who is slower than the sender', few, readSlowly),
    await send('a reader who does not read is given up', ROWS, untilClosed, 0),
  ];
});

/** Rows that are sent, and those that are to be answered. */
interface Stream {
  readonly what: string;
  readonly url: string;
  readonly lines: Buffer;
  readonly sent: number;
  readonly answered: number;
  readonly read: Reader;
}

async function stream(
  { pid }: Service,
  { what, url, lines, sent: rows, answered: due, read }: Stream,
): Promise<Finding> {
  const begun = performance.now();
  const workedBefore = processorTime(pid);
  let answered = 0;
  const memories = repeatedly(100, () => residentMemory(pid));
  const sent = request(url, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' } });
  // One who does not read is given up, and then takes no more.
  sent.on('error', () => {});
  const sending = pipeline(Array(rows / LINES).fill(lines), sent).catch(() => {});
  const [answer] = await once(sent, 'response');
  await read(answer, (piece) => {
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) answered += 1;
  });
  await sending;
  const memory = Math.max(...memories());
  const seconds = (performance.now() - begun) / 1000;
  const worked = processorTime(pid) - workedBefore;
  const megabytes = (memory * 2 ** 20) / 1e6;
  const rate = answered > 0 ? `, ${Math.round(answered / worked)} k rows a second of processor` : '';
  return {
    asked: `${what}: in less than ${MAX_MEMORY} MB of memory`,
    measured: `${megabytes.toFixed(0)} MB; ${answered.toLocaleString('en')} rows answered in ${seconds.toFixed(0)} s${rate}`,
    passed: answered === due && megabytes < MAX_MEMORY,
  };
}

async function readAll(answer: IncomingMessage, count: (piece: Buffer) => void, rest = 0) {
  for await (const piece of answer) {
    count(piece);
    if (rest > 0) await delay(rest);
  }
}

async function untilClosed(answer: IncomingMessage): Promise<void> {
  answer.on('error', () => {});
  await new Promise((resolve) => answer.once('close', resolve));
}

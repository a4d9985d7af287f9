import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { diamondTable } from '../../testkit/data/diamonds.js';
import {
  processorTime,
  residentMemory,
  type Service,
} from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';
import { diamondPrices, withService } from './service.js';

const ROWS = 5_000_000;
/** The number of lines, which are sent repeatedly. */
const LINES = 1000;
const MAX_MEMORY = 250;

/** The pause of the slow reader after each piece of the answer, in milliseconds. */
const REST = 10;

type Reader = (answer: IncomingMessage, count: (piece: Buffer) => void) => Promise<void>;

/** Rows as NDJSON: read as fast as they are answered, more slowly than they are sent, and not at all. */
export const streams: Scenario = {
  name: 'streams',
  run: (folder) =>
    withService(folder, async (service) => {
      const predict = `${await diamondPrices(service)}/predict`;
      const { rows } = diamondTable(LINES);
      const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const fast = await stream(service, predict, lines, ROWS, readAll);
      const slow = await stream(service, predict, lines, ROWS / 20, (answer, count) =>
        readAll(answer, count, REST),
      );
      const none = await stream(service, predict, lines, ROWS, untilClosed);
      return [
        finding(`${ROWS.toLocaleString('en')} rows as lines of JSON`, fast, fast.rows === ROWS),
        finding('a reader who is slower than the sender', slow, slow.rows === ROWS / 20),
        finding('a reader who does not read is given up', none, none.rows === 0),
      ];
    }),
};

interface Outcome {
  readonly rows: number;
  readonly seconds: number;
  /** The processor time of the service. */
  readonly worked: number;
  /** The highest memory of the service, in MB. */
  readonly memory: number;
}

function finding(what: string, outcome: Outcome, isWhole: boolean): Finding {
  const { rows, seconds, worked, memory } = outcome;
  const rate = rows > 0 ? `, ${Math.round(rows / worked / 1000)} k rows a second of processor` : '';
  return {
    asked: `${what}: in less than ${MAX_MEMORY} MB of memory`,
    measured: `${memory.toFixed(0)} MB; ${rows.toLocaleString('en')} rows answered in ${seconds.toFixed(0)} s${rate}`,
    passed: isWhole && memory < MAX_MEMORY,
  };
}

async function stream(
  service: Service,
  url: string,
  lines: Buffer,
  rows: number,
  read: Reader,
): Promise<Outcome> {
  const begun = performance.now();
  const workedBefore = processorTime(service.pid);
  let answered = 0;
  let memory = 0;
  const sampling = setInterval(() => {
    memory = Math.max(memory, residentMemory(service.pid));
  }, 100);
  const sent = request(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  const gone = new AbortController();
  sent.once('close', () => gone.abort());
  sent.on('error', () => {});
  const sending = sendAll(sent, lines, rows, gone.signal).catch(() => {});
  const [answer] = await once(sent, 'response');
  await read(answer, (piece) => {
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) answered += 1;
  });
  await sending;
  clearInterval(sampling);
  return {
    rows: answered,
    seconds: (performance.now() - begun) / 1000,
    worked: (processorTime(service.pid) - workedBefore) / 1000,
    memory: (memory * 2 ** 20) / 1e6,
  };
}

async function sendAll(sent: ClientRequest, lines: Buffer, rows: number, gone: AbortSignal) {
  for (let done = 0; done < rows; done += LINES) {
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
  await new Promise((resolve) => answer.once('close', resolve));
}

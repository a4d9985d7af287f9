import { join } from 'node:path';
import { seededRandom } from 'roster-prediction/internals';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { readField } from '../../testkit/json.js';
import { timeWork } from '../load.js';
import type { Finding } from '../scenarios.js';
import { onService, train } from '../services.js';

const MODEL = '/api/projects/default/models/promised';
const ROWS = 1_000_000;
const TRAINED = 2000;
const REPEATS = 5;
const ASKED_MILLISECONDS = 2000;

export interface Rows {
  readonly asked: string;
  readonly truths: string;
}

/** Makes up rows of two columns, and a target that follows from them with noise. */
export function makeRows(count: number, seed: number): Rows {
  const random = seededRandom(seed);
  const asked = ['order,x,kind'];
  const truths = ['order,y'];
  for (let order = 0; order < count; order++) {
    const x = random();
    const kind = random() < 0.5 ? 'a' : 'b';
    asked.push(`${order},${x.toFixed(4)},${kind}`);
    truths.push(`${order},${(x + random() * (kind === 'a' ? 1 : 3)).toFixed(4)}`);
  }
  return { asked: asked.join('\n'), truths: truths.join('\n') };
}

export function joinTable({ asked, truths }: Rows): string {
  const values = truths.split('\n');
  return asked
    .split('\n')
    .map((line, at) => `${line},${values[at]?.split(',')[1]}`)
    .join('\n');
}

/** Sends a body of CSV. Returns the seconds until the answer has ended, and the answer. */
export async function sendRows(url: string, body: string): Promise<[seconds: number, answer: Buffer]> {
  const begun = performance.now();
  const headers = { 'Content-Type': 'text/csv' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${bytes}`);
  return [(performance.now() - begun) / 1000, bytes];
}

/** Returns the bytes that promises count as stored. */
function measureStored(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row: unknown = database.prepare('select sum(bytes) as bytes from promises').get();
  database.close();
  return Number(readField(row, 'bytes'));
}

/** A million promises whose truths have come, on a service. */
export const million = onService(
  { name: 'million', start: { env: { RATE_LIMIT: '0' } } },
  async ({ url }, { folder }) => {
    const model = `${url}${MODEL}`;
    await train(`${model}?target=y&exclude=order`, joinTable(makeRows(TRAINED, 1)));
    const { asked, truths } = makeRows(ROWS, 2);
    const query = 'remember=true&id=order&confidence=0.9';
    const [remembered] = await sendRows(`${model}/predict?${query}`, asked);
    const addTruths = async (): Promise<[seconds: number, answer: unknown]> => {
      const [seconds, answer] = await sendRows(`${model}/actuals?id=order`, truths);
      return [seconds, JSON.parse(answer.toString())];
    };
    const [adding, added] = await addTruths();
    const [again, known] = await addTruths();
    const perRow = measureStored(join(folder, 'roster.db')) / ROWS;
    const rate = (seconds: number) => `${Math.round(ROWS / seconds / 1000)},000`;
    const findings: Finding[] = [
      {
        asked: `${ROWS.toLocaleString('en')} rows predicted and remembered, and their truths, as CSV; again, each truth is known`,
        measured: `${rate(remembered)}, ${rate(adding)} and ${rate(again)} a second`,
        passed: readField(added, 'matched') === ROWS && readField(known, 'unchanged') === ROWS,
      },
      {
        asked: 'a promise with an own id takes at most 50 bytes, with room for its truth',
        measured: `${perRow.toFixed(1)} bytes`,
        passed: perRow <= 50,
      },
    ];
    for (const by of ['', '?by=day', '?by=width', '?by=column&column=kind']) {
      const read = async () => (await fetch(`${model}/record${by}`)).json();
      const milliseconds = await timeWork(REPEATS, read);
      findings.push({
        asked: `their record${by} in ${ASKED_MILLISECONDS} ms`,
        measured: `${milliseconds.toFixed(0)} ms at p50 of ${REPEATS}`,
        passed: milliseconds <= ASKED_MILLISECONDS,
      });
    }
    return findings;
  },
);

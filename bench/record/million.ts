import { seededRandom } from '../../prediction/src/trees/random.js';
import { median } from '../../testkit/numbers.js';
import type { Finding } from '../scenarios.js';
import { onService, train } from '../services.js';

const MODEL = '/api/projects/default/models/promised';
const ROWS = 1_000_000;
const TRAINED = 2000;
const REPEATS = 5;
const ASKED_MILLISECONDS = 2000;

interface Rows {
  readonly asked: string;
  readonly truths: string;
}

/** Makes up rows of two columns, and a target that follows from them with noise. */
function makeRows(count: number, seed: number): Rows {
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

function joinTable({ asked, truths }: Rows): string {
  const values = truths.split('\n');
  return asked
    .split('\n')
    .map((line, at) => `${line},${values[at]?.split(',')[1]}`)
    .join('\n');
}

/** Sends a body of CSV, and reads the answer to its end. Returns the seconds that it took. */
async function sendRows(url: string, body: string): Promise<number> {
  const begun = performance.now();
  const headers = { 'Content-Type': 'text/csv' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  for await (const _ of answer.body ?? []);
  return (performance.now() - begun) / 1000;
}

/** A million promises whose truths have come, on a service. */
export const million = onService(
  { name: 'million', start: { env: { RATE_LIMIT: '0' } } },
  async ({ url }) => {
    const model = `${url}${MODEL}`;
    await train(`${model}?target=y&exclude=order`, joinTable(makeRows(TRAINED, 1)));
    const { asked, truths } = makeRows(ROWS, 2);
    const query = 'remember=true&id=order&confidence=0.9';
    const remembered = await sendRows(`${model}/predict?${query}`, asked);
    const met = await sendRows(`${model}/actuals?id=order`, truths);
    const findings: Finding[] = [
      {
        asked: `${ROWS.toLocaleString('en')} rows predicted and remembered, and their truths, as CSV`,
        measured: `${Math.round(ROWS / remembered / 1000)},000 and ${Math.round(ROWS / met / 1000)},000 a second`,
      },
    ];
    for (const by of ['', '?by=day', '?by=width', '?by=column&column=kind']) {
      const times: number[] = [];
      for (let round = 0; round < REPEATS; round++) {
        const begun = performance.now();
        const answer = await fetch(`${model}/record${by}`);
        await answer.json();
        times.push(performance.now() - begun);
      }
      const milliseconds = median(times);
      findings.push({
        asked: `their record${by} in ${ASKED_MILLISECONDS} ms`,
        measured: `${milliseconds.toFixed(0)} ms at p50 of ${REPEATS}`,
        passed: milliseconds <= ASKED_MILLISECONDS,
      });
    }
    return findings;
  },
);

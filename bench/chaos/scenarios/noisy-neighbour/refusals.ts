import { Client, type Headers, NoAnswer } from '../../../../testkit/http/client.js';
import { Crowd, wire } from '../../../../testkit/http/load.js';
import { quantile } from '../../../../testkit/numbers.js';
import type { Finding } from '../../../scenario/scenario.js';
import { type Attack, repeat, type Target } from '../../attacks/attack.js';

/** The rate limit of a key, per minute: more than the tenant needs, and soon reached. */
const RATE_LIMIT = 1200;
const REFUSALS = 24_000;
const CONNECTIONS = 100;
/** The timeout of an answer after a refusal, in milliseconds. */
const DEADLINE = 5000;
const P99 = 1000;
const PAUSE = 300;

/** An owner who keeps sending beyond its limit, while another is refused once. */
export const refusals: Attack = {
  name: 'refusals',
  settings: { RATE_LIMIT: String(RATE_LIMIT) },
  prepare: async (target) => {
    const attacker = await target.owner('attacker');
    const refused = await target.owner('refused_once');
    const served = await target.owner('served_next');
    for (const owner of [attacker, refused]) await useUp(target, owner);
    const batch = Buffer.concat(
      Array(REFUSALS / CONNECTIONS).fill(wire(target.url, 'GET', '/projects', undefined, attacker)),
    );
    return async (over) => {
      for (let sent = 0; sent < CONNECTIONS; sent += 1) void target.connect().send(batch);
      const waits: number[] = [];
      await repeat(over, PAUSE, async () => {
        waits.push(await afterRefusal(target.url, refused, served));
      });
      return [findingOf(waits)];
    };
  },
};

/** Sends as many requests as the limit of a key allows. */
async function useUp({ url }: Target, owner: Headers): Promise<void> {
  const request = wire(url, 'GET', '/projects', undefined, owner);
  const crowd = new Crowd(url, () => request);
  for (let left = RATE_LIMIT; left > 0; ) left -= (await crowd.closedLoop(16, 0.2)).sent;
  crowd.close();
}

/** Returns the time of a valid request on a connection with a refused one, in milliseconds. */
async function afterRefusal(url: string, refused: Headers, served: Headers): Promise<number> {
  const client = new Client({ deadline: DEADLINE });
  try {
    const { status } = await client.send('GET', `${url}/projects`, undefined, refused);
    if (status !== 429) throw new Error(`a key over its limit gets ${status}`);
    const begun = performance.now();
    const answer = await client.send('GET', `${url}/projects`, undefined, served);
    return answer.status === 200 ? performance.now() - begun : Number.POSITIVE_INFINITY;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return Number.POSITIVE_INFINITY;
  } finally {
    client.close();
  }
}

function findingOf(waits: readonly number[]): Finding {
  const p99 = quantile(waits, 0.99);
  const time = Number.isFinite(p99) ? `${p99.toFixed(0)} ms` : `no answer in ${DEADLINE} ms`;
  return {
    asked: `a request that follows a refusal on its connection, of another owner: p99 ≤ ${P99} ms`,
    measured: `${time} of ${waits.length}`,
    passed: p99 <= P99,
  };
}

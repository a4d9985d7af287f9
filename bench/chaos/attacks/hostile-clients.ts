import { setTimeout as delay } from 'node:timers/promises';
import type { Headers } from '../../../testkit/http/client.js';
import { head } from '../../../testkit/http/load.js';
import { type Attack, repeat, type Target } from './attack.js';

/** The owners of an attack, and the clients of each. */
const OWNERS = ['first', 'second'];
const CLIENTS = 3;
/** The pause of a client between two requests, and before it leaves after its body, in milliseconds. */
const PAUSE = 50;
const LEAVES_AFTER = 200;
/** The time that a client waits for the end of an answer, in milliseconds. */
const STAYS = 60_000;

/** A request that harms. */
export interface HostileRequest {
  readonly method: 'POST' | 'PUT';
  /** @param number that of the request, from 0 on */
  readonly path: (number: number) => string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** The behaviour of a client: it reads the answer to its end, or goes when it has sent half or all of its body. */
const MANNERS = ['stays', 'leaves in the middle', 'stays', 'leaves after the body'] as const;
type Manner = (typeof MANNERS)[number];

/** Returns an attack in which two owners send requests in turn, from clients of all manners. */
export function hostileClients(
  name: string,
  /** Prepares what the requests of an owner need. */
  prepare: (target: Target, owner: Headers) => Promise<readonly HostileRequest[]>,
  settings: Partial<Attack> & Required<Pick<Attack, 'expects'>>,
): Attack {
  return {
    name,
    ...settings,
    prepare: async (target) => {
      const clients: { owner: Headers; requests: readonly HostileRequest[] }[] = [];
      for (const number of OWNERS) {
        const owner = await target.owner(`${number}_of_${name}`);
        const requests = await prepare(target, owner);
        for (let client = 0; client < CLIENTS; client += 1) clients.push({ owner, requests });
      }
      let sent = 0;
      const attack = ({ owner, requests }: (typeof clients)[number], over: AbortSignal) =>
        repeat(over, PAUSE, async () => {
          const number = sent++;
          const request = requests[number % requests.length];
          const manner = MANNERS[Math.floor(number / requests.length) % MANNERS.length] ?? 'stays';
          if (request) await send(target, owner, { request, number, manner }, over);
        });
      return async (over) => {
        await Promise.all(clients.map((client) => attack(client, over)));
        return undefined;
      };
    },
  };
}

async function send(
  target: Target,
  owner: Headers,
  { request, number, manner }: { request: HostileRequest; number: number; manner: Manner },
  over: AbortSignal,
): Promise<void> {
  const { method, path, headers, body } = request;
  const stays = manner === 'stays';
  const connection = target.connect({ isCounted: stays });
  const all = { ...owner, ...headers, 'Content-Length': body.length, Connection: 'close' };
  await connection.send(head(target.url, method, path(number), all));
  const isHalf = manner === 'leaves in the middle';
  await connection.send(isHalf ? body.subarray(0, body.length / 2) : body);
  if (!over.aborted) {
    const end = stays ? STAYS : LEAVES_AFTER;
    const late = new AbortController();
    const waiting = delay(end, undefined, { signal: AbortSignal.any([over, late.signal]) });
    await Promise.race([connection.closed, waiting.catch(() => {})]);
    late.abort();
  }
  connection.close();
}

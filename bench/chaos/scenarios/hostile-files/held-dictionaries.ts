import { setTimeout as delay } from 'node:timers/promises';
import type { Headers } from '../../../../testkit/http/client.js';
import { head } from '../../../../testkit/http/load.js';
import { type Attack, repeat, type Target } from '../../attacks/attack.js';
import { dictionaryStream } from './files.js';
import { MODELS, trainWide } from './wide-model.js';

const OWNERS = ['first', 'second'];
const STREAMS_OF_ONE = 4;
/** The time between two rows of a stream, and after its end, in milliseconds. */
const BETWEEN_ROWS = 200;
const PAUSE = 500;

/** Arrow streams that hold a dictionary just below what one may hold, and go on row by row. */
export const heldDictionaries: Attack = {
  name: 'held-dictionaries',
  // As many as the service takes on at once are answered.
  expects: [200],
  prepare: async (target) => {
    const body = dictionaryStream();
    const owners: Headers[] = [];
    for (const name of OWNERS) {
      const owner = await target.owner(`${name}_of_held_dictionaries`);
      await trainWide(target, owner);
      for (let stream = 0; stream < STREAMS_OF_ONE; stream += 1) owners.push(owner);
    }
    return async (over) => {
      await Promise.all(owners.map((owner) => drip(target, owner, body, over)));
      return undefined;
    };
  },
};

async function drip(
  target: Target,
  owner: Headers,
  { begin, row }: ReturnType<typeof dictionaryStream>,
  over: AbortSignal,
): Promise<void> {
  const type = 'application/vnd.apache.arrow.stream';
  const headers = { ...owner, 'Content-Type': type, 'Content-Length': 2 ** 32 };
  const request = head(target.url, 'POST', `${MODELS}/wide/predict`, headers);
  await repeat(over, PAUSE, async () => {
    const stream = target.connect();
    await stream.send(request);
    await stream.send(begin);
    while (!over.aborted && (await stream.send(row))) {
      await Promise.race([stream.closed, delay(BETWEEN_ROWS)]);
    }
    stream.close();
  });
}

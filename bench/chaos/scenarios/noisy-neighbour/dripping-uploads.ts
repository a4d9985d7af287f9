import { setTimeout as delay } from 'node:timers/promises';
import { ask, type Headers } from '../../../../testkit/http/client.js';
import { head } from '../../../../testkit/http/load.js';
import { type Attack, repeat, type Target } from '../../attacks/attack.js';

const AT_ONCE = 320_000;
const ROW = '1,2\n';
/** The time between two rows of an upload, and after its end, in milliseconds. */
const BETWEEN_ROWS = 5000;
const PAUSE = 1000;
const UPLOADS_OF_ONE = 2;

/** Tables that begin normally and continue one row at a time, which occupies their readers. */
export const drippingUploads: readonly Attack[] = [2, 6].map((owners) => ({
  name: `dripping-uploads-of-${owners}-owners`,
  prepare: async (target) => {
    const uploads: { owner: Headers; path: string }[] = [];
    for (let number = 0; number < owners; number += 1) {
      const owner = await target.owner(`attacker_${number}`);
      await ask('POST', `${target.url}/projects`, { project: { name: 'drips' } }, owner);
      for (let upload = 0; upload < UPLOADS_OF_ONE; upload += 1) {
        uploads.push({ owner, path: `/api/projects/drips/models/m${upload}?target=y` });
      }
    }
    return async (over) => {
      await Promise.all(uploads.map(({ owner, path }) => drip(target, owner, path, over)));
      return undefined;
    };
  },
}));

async function drip(
  target: Target,
  owner: Headers,
  path: string,
  over: AbortSignal,
): Promise<void> {
  const type = { 'Content-Type': 'text/csv', 'Content-Length': 100_000_000 };
  const request = head(target.url, 'PUT', path, { ...owner, ...type });
  await repeat(over, PAUSE, async () => {
    const upload = target.connect();
    await upload.send(request);
    await upload.send(`x,y\n${ROW.repeat(AT_ONCE / ROW.length)}`);
    while (!over.aborted && (await upload.send(ROW))) {
      await Promise.race([upload.status, delay(BETWEEN_ROWS)]);
    }
    upload.close();
  });
}

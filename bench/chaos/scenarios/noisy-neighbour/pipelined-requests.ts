import { ask } from '../../../../testkit/http/client.js';
import { wire } from '../../../../testkit/http/load.js';
import { type Attack, repeat } from '../../attacks/attack.js';

const REQUESTS = 5000;
const PAUSE = 500;

/** Thousands of small requests at once on one connection, and then on the next. */
export const pipelinedRequests: Attack = {
  name: 'pipelined-requests',
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    await ask('POST', `${target.url}/projects`, { project: { name: 'pipe' } }, owner);
    const request = wire(target.url, 'GET', '/projects/pipe/skills', undefined, owner);
    const batch = Buffer.concat(Array(REQUESTS).fill(request));
    return (over) =>
      repeat(over, PAUSE, async () => {
        const connection = target.connect();
        await connection.send(batch);
        await connection.status;
      });
  },
};

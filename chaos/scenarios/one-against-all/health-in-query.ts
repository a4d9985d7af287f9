import { diamonds } from '../../../harness/diamonds.js';
import { ask } from '../../../harness/http.js';
import { Crowd, wire } from '../../../harness/load.js';
import { trained } from '../../../harness/training.js';
import type { Attack } from './measure.js';

const CONNECTIONS = 400;
const ROWS = 300;

/** A flood of predictions whose addresses end as that of the health does. */
export const healthInQuery: Attack = {
  name: 'health-in-query',
  prepare: async (target) => {
    const { url } = target;
    const owner = await target.owner('attacker');
    const model = '/api/projects/flood/models/prices';
    const { csv, rows } = await diamonds(ROWS);
    await ask('POST', `${url}/projects`, { project: { name: 'flood' } }, owner);
    await ask('PUT', `${url + model}?target=price`, csv, owner);
    await trained(url + model, 20, owner);
    const request = wire(url, 'POST', `${model}/predict?x=/health/live`, rows, owner);
    return async () => {
      const crowd = new Crowd(url, () => request);
      target.countLoad(await crowd.closedLoop(CONNECTIONS, target.seconds));
      crowd.close();
      return undefined;
    };
  },
};

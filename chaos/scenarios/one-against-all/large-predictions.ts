import { diamonds } from '../../../harness/diamonds.js';
import { ask } from '../../../harness/http.js';
import { Crowd, wire } from '../../../harness/load.js';
import { trained } from '../../../harness/training.js';
import type { Attack } from './measure.js';

const ROWS = 10_000;
const CONNECTIONS = 4;

/** Predictions of ten thousand rows, one after another. */
export const largePredictions: Attack = {
  name: 'large-predictions',
  prepare: async (target) => {
    const { url } = target;
    const owner = await target.owner('attacker');
    const model = '/api/projects/rows/models/prices';
    const { csv, rows } = await diamonds(2000);
    await ask('POST', `${url}/projects`, { project: { name: 'rows' } }, owner);
    await ask('PUT', `${url + model}?target=price`, csv, owner);
    await trained(url + model, 20, owner);
    const many = Array.from({ length: ROWS }, (_, row) => rows[row % rows.length]);
    const predict = wire(url, 'POST', `${model}/predict`, many, owner);
    return async () => {
      const crowd = new Crowd(url, () => predict);
      target.countLoad(await crowd.closedLoop(CONNECTIONS, target.seconds));
      crowd.close();
      return undefined;
    };
  },
};

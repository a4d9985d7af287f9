import { diamondTable } from '../../../../testkit/data/diamonds.js';
import { wire } from '../../../../testkit/http/load.js';
import type { Attack } from '../../attacks/attack.js';

const CONNECTIONS = 400;
const ROWS = 300;

/** A flood of predictions whose URLs end like that of the health check. */
export const healthInQuery: Attack = {
  name: 'health-in-query',
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    const { csv, rows } = diamondTable(ROWS);
    const model = await target.model(owner, csv);
    const request = wire(target.url, 'POST', `${model}/predict?x=/health/live`, rows, owner);
    return () => target.flood(CONNECTIONS, request);
  },
};

import { wire } from '../../../../testkit/http/load.js';
import type { Attack } from '../../attacks/attack.js';

const CONNECTIONS = 4;

/** URLs of the maximum length, with thousands of unknown parameters. */
export const longQueries: Attack = {
  name: 'long-queries',
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    const names = Array.from({ length: 1500 }, (_, number) => `k${number}=1`);
    const queries = ['a&'.repeat(7000), names.join('&'), 'limit=1&'.repeat(1800)];
    const requests = queries.map((query) =>
      wire(target.url, 'GET', `/projects?${query}`, undefined, owner),
    );
    return () => target.flood(CONNECTIONS, ...requests);
  },
};

import { Crowd, wire } from '../../../harness/load.js';
import type { Attack } from './measure.js';

const CONNECTIONS = 4;

/** Addresses as long as headers may be, with thousands of parameters that the contract does not know. */
export const longQueries: Attack = {
  name: 'long-queries',
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    const names = Array.from({ length: 1500 }, (_, number) => `k${number}=1`);
    const queries = ['a&'.repeat(7000), names.join('&'), 'limit=1&'.repeat(1800)];
    const requests = queries.map((query) =>
      wire(target.url, 'GET', `/projects?${query}`, undefined, owner),
    );
    let sent = 0;
    const next = () => requests[sent++ % requests.length] ?? Buffer.alloc(0);
    return async () => {
      const crowd = new Crowd(target.url, next);
      target.countLoad(await crowd.closedLoop(CONNECTIONS, target.seconds));
      crowd.close();
      return undefined;
    };
  },
};

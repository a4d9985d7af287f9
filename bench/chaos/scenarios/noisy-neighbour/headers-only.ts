import { head } from '../../../../testkit/http/load.js';
import { type Attack, repeat } from '../../attacks/attack.js';

/** Requests a second; the limit of a key is six thousand a minute. */
const RATE = 195;
const STEP = 20;

/** Predictions without their bodies: each holds a connection, headers, and a reserved place. */
export const headersOnly: Attack = {
  name: 'headers-only',
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    const type = { 'Content-Type': 'application/json', 'Content-Length': 10 };
    const path = '/api/projects/none/models/none/predict';
    const request = head(target.url, 'POST', path, { ...owner, ...type });
    return async (over) => {
      const begun = performance.now();
      let sent = 0;
      await repeat(over, STEP, async () => {
        const due = Math.floor(((performance.now() - begun) / 1000) * RATE);
        for (; sent < due; sent += 1) void target.connect().send(request);
      });
      return undefined;
    };
  },
};

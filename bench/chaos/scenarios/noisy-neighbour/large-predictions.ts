import { diamondTable } from '../../../../testkit/data/diamonds.js';
import { wire } from '../../../../testkit/http/load.js';
import type { Attack } from '../../attacks/attack.js';

const ROWS = 10_000;
const CONNECTIONS = 4;

/** Predictions of ten thousand rows, one after another. */
export const largePredictions: Attack = {
  name: 'large-predictions',
  prepare: async (target) => {
    const owner = await target.owner('attacker');
    const { csv, rows } = diamondTable(2000);
    const model = await target.model(owner, csv);
    const many = Array.from({ length: ROWS }, (_, row) => rows[row % rows.length]);
    const predict = wire(target.url, 'POST', `${model}/predict`, many, owner);
    return () => target.flood(CONNECTIONS, predict);
  },
};

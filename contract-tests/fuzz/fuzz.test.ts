/** Two thousand requests that are made from the contract. `npm run fuzz` sends more, and other ones each time. */
import { expect, test } from 'vitest';
import { operations } from '../../testkit/openapi/document.js';
import { baseUrl, keys } from '../target.js';
import { Findings } from './checks/findings.js';
import { explore } from './explore.js';
import { World } from './fixture.js';
import { Tally } from './tally.js';

const REQUESTS = 2000;
const SEED = 20_261;

test('every operation answers as the contract promises, whatever it is sent', async () => {
  const tally = new Tally();
  const findings = new Findings();
  const world = new World(baseUrl, keys, tally, `fuzz${process.pid}`);
  let seed = SEED;
  await explore(world, findings, REQUESTS, () => seed++);
  world.close();
  expect(findings.told()).toBe('');
  expect([...tally.counts.keys()]).toEqual(expect.arrayContaining(operations.map(({ id }) => id)));
});

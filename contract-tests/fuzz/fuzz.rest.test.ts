/**
 * Sends 1,500 requests that are generated from the contract. `npm run fuzz` sends more, and different
 * ones each time.
 */
import { expect, test } from 'vitest';
import { operations } from '../../testkit/openapi/document.js';
import { baseUrl, keys } from '../target.js';
import { Findings, Tally } from './findings.js';
import { Fixture } from './fixture.js';
import { explore } from './search.js';

const REQUESTS = 1500;
const SEED = 20_261;

test('every operation answers as the contract promises, to generated requests', async () => {
  const tally = new Tally();
  const findings = new Findings();
  const fixture = new Fixture(baseUrl, keys, tally, `fuzz${process.pid}`);
  let seed = SEED;
  await explore(fixture, findings, REQUESTS, () => seed++);
  fixture.close();
  expect(findings.report()).toBe('');
  expect([...tally.counts.keys()]).toEqual(expect.arrayContaining(operations.map(({ id }) => id)));
});

/** Frontend teams type the models of the examples before there is a service. */
import { expect, test } from 'vitest';
import { rosterTypes } from '../../client/src/models/roster-types.js';
import { roster } from '../target.js';

test('the types of the model of the examples are written from the mock', async () => {
  const types = await rosterTypes(roster, 'default');
  expect(types).toContain('diamond_prices: {');
  expect(types).toContain('cut?: "Ideal"');
  expect(types).not.toContain('does not serve yet');
});

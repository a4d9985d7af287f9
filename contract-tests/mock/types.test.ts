/** Frontend teams type the models of the examples before there is a service. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../testkit/root.js';
import { baseUrl, keys } from '../target.js';

const COMMAND = fileURLToPath(new URL('client/dist/bin/roster-client.js', root));

test('the types of the model of the examples are written from the mock', async () => {
  const env = { ...process.env, ROSTER_KEY: keys.own };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'types', baseUrl], { env });
  expect(stdout).toContain('diamond_prices: {');
  expect(stdout).toContain('cut?: "Ideal"');
  expect(stdout).not.toContain('does not serve yet');
});

import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { tooOld } from './node-version.js';

const oldest = packageJson.engines.node.replace('>=', '');

test.each(['16.20.2', '18.20.8', '20.18.3'])('Node %s is too old, which is reported', (version) => {
  expect(tooOld(version)).toBe(`Roster needs Node.js ${oldest.replace(/\.0$/, '')} or later; this is ${version}`);
});

test.each([oldest, '20.20.0', '22.0.0', '24.21.0', '26.10.0'])('Node %s will do', (version) => {
  expect(tooOld(version)).toBeUndefined();
});

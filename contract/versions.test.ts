import { expect, test } from 'vitest';
import { compareVersions } from './versions.js';

test('versions have the order of semantic versioning', () => {
  const inOrder = ['0.1.0', '0.1.1', '0.9.9', '0.10.0', '1.0.0-rc.2', '1.0.0-rc.10', '1.0.0'];
  expect([...inOrder].reverse().sort(compareVersions)).toEqual(inOrder);
  expect(compareVersions('0.1.0', '0.1.0')).toBe(0);
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../../testkit/root.js';

const PAGE = readFileSync(new URL('docs/contributing/public-reports.md', root), 'utf8');
const ROWS = PAGE.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| report |'));

test('each public report names a test that exists, or says why there is none', () => {
  expect(ROWS.length).toBeGreaterThan(30);
  for (const row of ROWS) {
    const [, file = '', title = ''] = /`([^`]+\.test\.ts)`: "([^"]+)"/.exec(row) ?? [];
    if (file === '') {
      expect(row).toMatch(/no test|\| the same \|$/);
      continue;
    }
    expect(readFileSync(new URL(file, root), 'utf8')).toContain(title);
  }
});

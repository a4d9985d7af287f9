import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DuckdbMissingError, loadDuckdb, requireDuckdb } from './load-duckdb.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-duckdb-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the address of a file beside which a version is installed, or none. */
function beside(version?: string): string {
  const place = mkdtempSync(join(folder, 'service-'));
  if (version !== undefined) {
    const installed = join(place, 'node_modules/@duckdb/node-api');
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ version }));
  }
  return pathToFileURL(join(place, 'service.js')).href;
}

test.each([
  ['that is missing', undefined, 'is not installed'],
  ['of an older release', '1.4.4-r.3', 'has version 1.4.4-r.3, not 1.5.6'],
  ['of a later release', '1.6.0-r.1', 'has version 1.6.0-r.1, not 1.5.6'],
])('a package %s is refused by name, with the remedy', (_, version, reason) => {
  expect(() => requireDuckdb(beside(version))).toThrow(
    `DuckDB is needed, but the package @duckdb/node-api ${reason}; install it (npm install @duckdb/node-api@1.5.6-r.1)`,
  );
});

test('a package of the same release is taken, unless it lacks the native code', () => {
  const from = beside('1.5.6-r.2');
  expect(() => requireDuckdb(from)).not.toThrow();
  expect(() => loadDuckdb(from)).toThrow(DuckdbMissingError);
});

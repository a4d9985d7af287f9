/** Extensions that the operator names: those that DuckDB contains, and files in the home of the user. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DuckdbShop, duckdbShop, installBeside } from '../../../testkit/databases/duckdb-shop.js';
import { BUILT_SCRIPTS } from '../../../testkit/databases/worker-scripts.js';
import { WAIT_MS } from '../../../testkit/patience.js';
import { runRoster } from '../../../testkit/service/roster-command.js';
import { SqlDatabases } from '../sql-databases.js';

/** The last bytes of an extension: eight fields of metadata, the last of them first, and a signature. */
const FIELD_BYTES = 32;
const SIGNATURE_BYTES = 256;
const FORMAT = '4';

let shop: DuckdbShop;
let beside: ReturnType<typeof installBeside>;
let release: string;
let platform: string;
/** The folder where DuckDB looks for extensions, below a home that is the folder of the shop. */
let installed: string;
beforeAll(async () => {
  beside = installBeside();
  shop = await duckdbShop();
  const [row = []] = await shop.run('select version(), platform from pragma_platform()');
  [release = '', platform = ''] = row.map(String);
  installed = join(shop.folder, '.duckdb/extensions', release, platform);
  mkdirSync(installed, { recursive: true });
});
afterAll(() => {
  shop.remove();
  beside.remove();
});

const setting = (extensions: readonly string[]) => ({
  views: { orders: shop.orders },
  extensions: [...extensions],
  training: ['orders'],
});

/** Runs `roster check` as a user whose home is the folder of the shop. */
async function check(...extensions: readonly string[]): Promise<string> {
  const env = { HOME: shop.folder, DATABASE_URL: ':memory:', DATABASES: JSON.stringify({ lake: setting(extensions) }) };
  const { stdout } = await runRoster(['check'], env);
  return stdout.split('\n').find((line) => line.includes('database lake')) ?? stdout;
}

/** Writes a file of an extension without code and without a signature. */
function writeExtension(name: string, version: string): string {
  const path = join(installed, `${name}.duckdb_extension`);
  const metadata = ['', '', '', 'CPP', '1', version, platform, FORMAT].map((text) => {
    const field = Buffer.alloc(FIELD_BYTES);
    field.write(text);
    return field;
  });
  writeFileSync(path, Buffer.concat([Buffer.alloc(4096), ...metadata, Buffer.alloc(SIGNATURE_BYTES)]));
  return path;
}

test('an extension that DuckDB contains loads by its name', async () => {
  expect(await check('icu', 'json')).toBe('ok    database lake: it can be read, with the tables for trainings orders');
});

test('an extension that cannot load is named with its file, and with what is wrong with it', async () => {
  const refused =
    'wrong database lake: The database lake cannot load the extension spatial, which DATABASES names; its operator must repair it.';
  const path = join(installed, 'spatial.duckdb_extension');
  const missing = await check('spatial');
  expect(missing).toContain(refused);
  expect(missing).toContain(`Extension "${path}" not found`);
  expect(missing).toContain('INSTALL spatial');

  writeFileSync(path, 'no extension');
  expect(await check('spatial')).toContain(
    `${refused} Error: Invalid Input Error: File '${path}' is not a DuckDB extension`,
  );
  writeExtension('spatial', 'v1.0.0');
  expect(await check('spatial')).toContain(`built specifically for DuckDB version 'v1.0.0'`);
  writeExtension('spatial', release);
  const unsigned = await check('spatial');
  expect(unsigned).toContain(refused);
  expect(unsigned).toContain('its signature is either missing or invalid');
});

test('a check looks for the files of views that only agents read', async () => {
  const views = { orders: shop.orders, ORDERS: shop.orders, later: join(shop.folder, 'later') };
  const env = { DATABASE_URL: ':memory:', DATABASES: JSON.stringify({ lake: { views, training: ['Orders'] } }) };
  const { stdout } = await runRoster(['check'], env);
  expect(stdout).toContain('has a table later that cannot be read: there are no files of CSV, JSON or Parquet');
});

test('callers see the name of an extension that cannot load, and no path', async () => {
  const databases = new SqlDatabases(
    new Map([['lake', setting(['nonesuch'])]]),
    { agents: { timeoutMs: WAIT_MS } },
    BUILT_SCRIPTS,
  );
  try {
    const { signal } = new AbortController();
    const asking = databases.query('o', 'lake', ['orders'], 'select 1', signal);
    await expect(asking).rejects.toThrow(
      /^The database lake cannot load the extension nonesuch, which DATABASES names; its operator must repair it\.$/,
    );
  } finally {
    await databases.stop();
  }
});

test('a query loads and installs nothing, and changes no setting, beside an extension that the operator names', async () => {
  const databases = new SqlDatabases(
    new Map([['lake', setting(['icu'])]]),
    { agents: { timeoutMs: WAIT_MS } },
    BUILT_SCRIPTS,
  );
  try {
    const { signal } = new AbortController();
    const ask = (sql: string) => databases.query('o', 'lake', ['orders'], sql, signal);
    for (const sql of [
      'load json',
      'install spatial',
      `load '${join(installed, 'spatial.duckdb_extension')}'`,
      'set allow_unsigned_extensions = true',
      'select * from duckdb_extensions()',
    ]) {
      await expect(ask(sql), sql).rejects.toThrow(/allowed/);
    }
    expect((await ask('select count(*) from orders')).rows).toEqual([[3]]);
  } finally {
    await databases.stop();
  }
});

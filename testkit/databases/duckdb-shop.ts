import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDuckdb } from '../../server/databases/duckdb/load-duckdb.js';
import { root } from '../root.js';

/** The text of every secret of the shop. */
export const SECRET = 'k3y-0f-secrets';

const INSTALLED = new URL('tools/on-demand/duckdb/', root);

const TABLES = `
create table orders as select i as id, i * 2.5 as total, 'note ' || i as note from range(1, 4) t(i);
create table secrets as select '${SECRET}' as key;
create view leak as select key from secrets;
create macro lower(x) as (select max(key) from secrets);
create schema own;
create table own.customers as select 1 as id, 'Ada' as name;
`;

/** Folders and a file of DuckDB, with tables that may be read and others that must not. */
export interface DuckdbShop {
  readonly folder: string;
  /** A file of DuckDB. */
  readonly file: string;
  /** A folder with a file of Parquet. */
  readonly orders: string;
  /** A file that no database names. */
  readonly secret: string;
  /** Runs statements in DuckDB, without limits. */
  run(sql: string): Promise<unknown[][]>;
  remove(): void;
}

/** Makes the service find DuckDB as if it were installed beside it. */
export function installBeside(): { remove(): void } {
  const beside = fileURLToPath(new URL('dist/node_modules', root));
  mkdirSync(beside, { recursive: true });
  const link = join(beside, '@duckdb');
  rmSync(link, { force: true, recursive: true });
  symlinkSync(fileURLToPath(new URL('node_modules/@duckdb', INSTALLED)), link, 'junction');
  return { remove: () => rmSync(link, { recursive: true }) };
}

export async function duckdbShop(): Promise<DuckdbShop> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'roster-duckdb-shop-')));
  const { DuckDBInstance } = loadDuckdb(new URL('package.json', INSTALLED).href);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const run = async (sql: string) => (await connection.run(sql)).getRowsJson();
  const [file, orders, secret] = [join(folder, 'shop.duckdb'), join(folder, 'orders'), join(folder, 'secret.csv')];
  mkdirSync(orders);
  await run(`attach '${file}' as shop; use shop; ${TABLES}`);
  await run(`copy (select * from orders) to '${join(orders, 'a.parquet')}'`);
  await run('use memory; detach shop');
  writeFileSync(secret, `key\n${SECRET}\n`);
  return {
    ...{ folder, file, orders, secret, run },
    remove: () => {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns the files of a folder and those below it, with their bytes, to compare. */
export function readFolder(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, readFileSync(path, 'base64')];
    }),
  );
}

/** Reads statements for DuckDB, one a line, which name the places of a shop. */
export function readStatements(
  name: 'hostile' | 'endless',
  shop: Pick<DuckdbShop, 'folder' | 'file' | 'orders' | 'secret'>,
): string[] {
  const text = readFileSync(new URL(`testkit/databases/duckdb-${name}.txt`, root), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replaceAll('\\n', '\n')
        .replaceAll('{folder}', shop.folder)
        .replaceAll('{shop}', shop.file)
        .replaceAll('{secret}', shop.secret)
        .replaceAll('{orders}', join(shop.orders, 'a.parquet')),
    );
}

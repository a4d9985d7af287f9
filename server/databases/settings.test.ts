import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDatabases } from './settings.js';

test('names have a URL, or a URL with owners and with tables for training', () => {
  const text = `{
    "sales": "file:data/sales.db",
    "crm": {"url": "postgres://reader:secret@host/crm", "owners": ["acme"]},
    "all.of-us_1": {"url": "postgresql://host/all"},
    "shop": {"url": "file:shop.db", "training": ["orders", "main.customers"]},
    "file": "duckdb:/data/shop.duckdb",
    "lake": {"views": {"orders": "/data/orders/*.parquet", "own.tills": "tills"},
      "limits": {"memory_mib": 2048, "temporary_mib": 0, "threads": 2}, "extensions": ["spatial"]}
  }`;
  expect(parseDatabases(text)).toEqual(
    new Map([
      ['sales', { url: 'file:data/sales.db' }],
      ['crm', { url: 'postgres://reader:secret@host/crm', owners: new Set(['acme']) }],
      ['all.of-us_1', { url: 'postgresql://host/all' }],
      ['shop', { url: 'file:shop.db', training: ['orders', 'main.customers'] }],
      ['file', { url: 'duckdb:/data/shop.duckdb' }],
      [
        'lake',
        {
          views: { orders: '/data/orders/*.parquet', 'own.tills': 'tills' },
          limits: { memory_mib: 2048, temporary_mib: 0, threads: 2 },
          extensions: ['spatial'],
        },
      ],
    ]),
  );
  expect(parseDatabases('{}').size).toBe(0);
});

test.each([
  ['sales=file:secret', 'must be a JSON object'],
  ['["file:secret"]', 'must be a JSON object'],
  ['null', 'must be a JSON object'],
  ['{"": "file:secret"}', 'the name ""'],
  ['{"a b": "file:secret"}', 'the name "a b"'],
  ['{".a": "file:secret"}', 'the name ".a"'],
  [`{"${'a'.repeat(101)}": "file:secret"}`, 'at most 100'],
  ['{"a": "mysql://secret"}', 'the database a must have'],
  ['{"a": "secret.db"}', 'the database a must have'],
  ['{"a": "file:"}', 'the database a must have'],
  ['{"a": 1}', 'the database a must have'],
  ['{"a": null}', 'the database a must have'],
  ['{"a": {"owners": ["secret"]}}', 'the database a must have'],
  ['{"a": "postgres://u:secret#@host/db"}', 'the URL of the database a cannot be used: it is not a URL; in a name'],
  ['{"a": "postgres://u:secret/x@host/db"}', 'the URL of the database a cannot be used: it is not a URL; in a name'],
  ['{"a": "postgres://secret@one,two/db?target_session_attrs=standby"}', 'must be any, read-write or primary'],
  ['{"a": "postgres://secret@one,two/db?load_balance_hosts=random"}', 'load_balance_hosts must be disable'],
  ['{"a": "postgres://secret@one,two/db?port=1,2,3"}', 'port must have one number, or one for each host'],
  ['{"a": {"url": "file:secret", "owners": "acme"}}', 'the owners of the database a'],
  ['{"a": {"url": "file:secret", "owners": [1]}}', 'the owners of the database a'],
  ['{"a": {"url": "file:secret", "training": true}}', 'the tables of the database a for training'],
  ['{"a": {"url": "file:secret", "training": []}}', 'the tables of the database a for training'],
  ['{"a": {"url": "file:secret", "training": [""]}}', 'the tables of the database a for training'],
  ['{"a": {"url": "file:secret", "owner": []}}', 'the unknown setting "owner"'],
  ['{"a": "duckdb:"}', 'the database a must have'],
  ['{"a": {"url": "duckdb:secret", "views": {"b": "secret"}}}', 'the database a must have either views, or a URL'],
  ['{"a": {"views": {}}}', 'the views of the database a'],
  ['{"a": {"views": "secret"}}', 'the views of the database a'],
  ['{"a": {"views": {"b": ""}}}', 'the views of the database a'],
  ['{"a": {"views": {"b;drop": "secret"}}}', 'the views of the database a'],
  ['{"a": {"views": {"b": "secret"}, "limits": {"memory_mib": 1}}}', 'the limits of the database a'],
  ['{"a": {"views": {"b": "secret"}, "limits": {"memory": 1}}}', 'the limits of the database a'],
  ['{"a": {"url": "file:secret", "limits": {"threads": 2}}}', 'are for DuckDB alone'],
  ['{"a": {"views": {"b": "secret"}, "extensions": ["secret;"]}}', 'the extensions of the database a'],
  ['{"a": {"url": "file:secret", "extensions": ["spatial"]}}', 'are for DuckDB alone'],
])('%s is refused in one line without the URL', (text, reason) => {
  const parse = () => parseDatabases(text);
  expect(parse).toThrow(reason);
  expect(parse).toThrow(/^DATABASES[^\n]*$/);
  expect(parse).not.toThrow(/secret/);
});

test('any JSON is read, or refused in one line', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      try {
        parseDatabases(text);
      } catch (error) {
        expect(String(error)).toMatch(/^Error: DATABASES[^\n]*$/);
      }
    }),
  );
});

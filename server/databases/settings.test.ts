import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDatabases } from './settings.js';

test('names have a URL, or a URL with owners and with tables for training', () => {
  const text = `{
    "sales": "file:data/sales.db",
    "crm": {"url": "postgres://reader:secret@host/crm", "owners": ["acme"]},
    "all.of-us_1": {"url": "postgresql://host/all"},
    "shop": {"url": "file:shop.db", "training": ["orders", "main.customers"]}
  }`;
  expect(parseDatabases(text)).toEqual(
    new Map([
      ['sales', { url: 'file:data/sales.db' }],
      ['crm', { url: 'postgres://reader:secret@host/crm', owners: new Set(['acme']) }],
      ['all.of-us_1', { url: 'postgresql://host/all' }],
      ['shop', { url: 'file:shop.db', training: ['orders', 'main.customers'] }],
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
  ['{"a": "mysql://secret"}', 'the URL of the database a must be'],
  ['{"a": "secret.db"}', 'the URL of the database a must be'],
  ['{"a": "file:"}', 'the URL of the database a must be'],
  ['{"a": 1}', 'the URL of the database a must be'],
  ['{"a": null}', 'the URL of the database a must be'],
  ['{"a": {"owners": ["secret"]}}', 'the URL of the database a must be'],
  ['{"a": "postgres://u:secret#@host/db"}', 'the URL of the database a must be'],
  ['{"a": "postgres://u:secret/x@host/db"}', 'the URL of the database a must be'],
  ['{"a": {"url": "file:secret", "owners": "acme"}}', 'the owners of the database a'],
  ['{"a": {"url": "file:secret", "owners": [1]}}', 'the owners of the database a'],
  ['{"a": {"url": "file:secret", "training": true}}', 'the tables of the database a for training'],
  ['{"a": {"url": "file:secret", "training": []}}', 'the tables of the database a for training'],
  ['{"a": {"url": "file:secret", "training": [""]}}', 'the tables of the database a for training'],
  ['{"a": {"url": "file:secret", "owner": []}}', 'the unknown setting "owner"'],
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

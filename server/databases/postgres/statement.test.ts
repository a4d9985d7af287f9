import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../testkit/any-text.js';
import { ProblemError } from '../../problems/problem.js';
import { parseSelect, Statement } from './statement.js';

const tablesOf = async (sql: string) => (await parseSelect(sql)).names.tables.map(({ offsets, ...name }) => name);

/** A name that PostgreSQL does not shorten, in any characters. */
const name = anyText({ minLength: 1, maxLength: 15 }).filter((text) => !text.includes('\0'));

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

test('a quoted name is the table that it stands for, whatever its characters', async () => {
  await fc.assert(
    fc.asyncProperty(name, name, async (schema, table) => {
      const sql = `select 1 from ${quoted(schema)}.${quoted(table)} as ${quoted(table)}`;
      expect(await tablesOf(sql)).toEqual([{ schema, table }]);
    }),
  );
});

test('a common table expression hides the table of its name, where it is in scope only', async () => {
  const sql = `
    with a as (select * from b), b as (select * from a), f as (select * from f)
    select * from a, b, f, s.a, (with c as (select 1) select * from c) x
    where exists (with recursive d as (select * from e), e as (select * from d) select * from e)
      and 1 in (select 1 from c) order by (select 1 from d)`;
  expect(await tablesOf(sql)).toEqual([
    { table: 'b' },
    { table: 'f' },
    { schema: 's', table: 'a' },
    { table: 'c' },
    { table: 'd' },
  ]);
});

test('the statement is cut out of blanks, comments and semicolons', async () => {
  const { sql } = await parseSelect(';;\n/* ü; */ select \'ü;\' -- ;\n from "ö" ; /* end */ ;');
  expect(sql.trim()).toBe('/* ü; */ select \'ü;\' -- ;\n from "ö"');
});

test.each([
  ['a node of a later release', { SelectStmt: { targetList: [{ FutureExpr: {} }] } }],
  ['a field of a later release', { SelectStmt: { futureClause: [] } }],
  ['a field of the prototype', { SelectStmt: { constructor: 1 } }],
  ['a node of the prototype', { SelectStmt: { whereClause: { toString: {} } } }],
  ['two nodes in one', { SelectStmt: { whereClause: { A_Const: {}, ParamRef: {} } } }],
  ['a list in place of a node', { SelectStmt: { whereClause: [] } }],
  ['a node in place of a value', { SelectStmt: { all: { ParamRef: {} } } }],
  ['a table without a name', { SelectStmt: { fromClause: [{ RangeVar: {} }] } }],
  [
    'an expression whose name servers read in different ways',
    { SelectStmt: { withClause: { ctes: [{ CommonTableExpr: { ctename: 'É' } }] } } },
  ],
  ['a clause of expressions without names', { SelectStmt: { withClause: { ctes: [{}] } } }],
])('%s is refused', (_, tree) => {
  expect(() => new Statement(tree, 0)).toThrow(ProblemError);
});

test('any text is parsed or refused, and the parser goes on', async () => {
  const word = fc.constantFrom(
    ...'select from where ( ) , ; * " \' $$ $a$ E\' U&" -- /* */ with as 1 a union values :: [ ]'.split(' '),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(word, name), { maxLength: 12 }), async (words) => {
      await parseSelect(words.join(' ')).catch((error: unknown) => expect(error).toBeInstanceOf(ProblemError));
      expect(await tablesOf('select 1 from a')).toEqual([{ table: 'a' }]);
    }),
  );
});

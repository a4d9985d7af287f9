import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from '../projects/projects.js';
import { findProjectRow } from '../projects/projects.js';
import { Store } from '../store/index.js';
import { hasNameOrId } from './crud.js';
import { checkSkill } from './skills.js';

let store: Store;
let project: Project;
beforeAll(async () => {
  store = await Store.open(':memory:');
  const found = await findProjectRow(store, 'local', 'default');
  if (!found) throw new Error('A new store has a project for the local owner');
  project = found;
});
afterAll(() => store.close());

const check = (database: string, databases: readonly string[] | undefined, tables: readonly string[] = ['orders']) => {
  const skill = { type: 'sql', params: JSON.stringify({ database, tables }) };
  const hasModel = async () => false;
  return checkSkill(skill, { project, names: { databases }, hasModel });
};

test('a skill of the type sql names one of the databases that its owner may use', async () => {
  await expect(check('sales', ['shop', 'sales'])).resolves.toBeUndefined();
  await expect(check('costs', ['shop', 'sales'])).rejects.toMatchObject({
    type: '/problems/unusable-skill',
    members: {
      errors: [
        {
          pointer: '/body/skill/params/database',
          message: 'must be one of shop, sales; those who run the service add databases with DATABASES',
        },
      ],
    },
  });
});

test('a skill of the type sql is refused to an owner who may use no database', async () => {
  await expect(check('sales', [])).rejects.toMatchObject({
    type: '/problems/unusable-skill',
    members: { errors: [{ message: expect.stringContaining('which has none for you') }] },
  });
});

test('a skill of the type sql names any database while the service has none', async () => {
  await expect(check('sales', undefined)).resolves.toBeUndefined();
});

test.each([
  'pg_catalog.pg_authid',
  'pg_toast.pg_toast_1',
  'information_schema.tables',
  'sqlite_schema',
  'main.SQLITE_sequence',
  'pragma_table_info',
])('the table %s of the system is refused', async (name) => {
  await expect(check('sales', ['sales'], ['orders', name])).rejects.toMatchObject({
    type: '/problems/unusable-skill',
    members: {
      errors: [
        {
          pointer: '/body/skill/params/tables/1',
          message: 'must not be a table of the database system; name tables and views of your own',
        },
      ],
    },
  });
});

test.each(['pg_sizes', 'public.orders', 'shop.sqlite_files', 'my.information_schema.x'])(
  'the table %s may be of anybody',
  async (name) => {
    await expect(check('sales', ['sales'], [name])).resolves.toBeUndefined();
  },
);

test.each(['skills', 'agents'] as const)(
  '%s are found by several names without a look at all of a project',
  async (table) => {
    const found = hasNameOrId(table, project.id, ['a', 'b', 'c', 'd']);
    const { rows } = await sql<{ detail: string }>`
    explain query plan select id from ${sql.table(table)} where ${found}
  `.execute(store.reads);
    const searches = rows.map(({ detail }) => detail).filter((detail) => detail.startsWith('SEARCH'));
    expect(searches).toEqual([
      expect.stringContaining('(project_id=? AND name=?)'),
      expect.stringContaining('(project_id=? AND id=?)'),
    ]);
  },
);

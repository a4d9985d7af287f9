import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Project, Store } from '../../store/index.js';
import { checkSkill } from './skill-check.js';

let store: Store;
let project: Project;
beforeAll(async () => {
  store = await Store.open(':memory:');
  const found = await store.projects.find('local', 'default');
  if (!found) throw new Error('A new store has a project for the local owner');
  project = found;
});
afterAll(() => store.close());

const check = (database: string, databases: readonly string[] | undefined) => {
  const skill = { type: 'sql', params: { database, tables: ['orders'] } };
  return checkSkill(store, project, [JSON.stringify(skill)], databases);
};

test('a skill of the type sql names one of the databases that its owner may use', async () => {
  await expect(check('sales', ['shop', 'sales'])).resolves.toBeUndefined();
  await expect(check('costs', ['shop', 'sales'])).rejects.toMatchObject({
    type: '/problems/unusable-skill',
    members: {
      errors: [
        {
          pointer: '/body/skill/params/database',
          message:
            'must be one of shop, sales; those who run the service add databases with DATABASES',
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

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testedStore } from '../../../contract-tests/tested-store.js';
import type { components } from '../../../generated/openapi.js';
import type { OwnStore } from '../../../testkit/store/own-store.js';
import { LOCAL_CALLER } from '../../auth/caller.js';
import { createProject, findProject, inProject } from '../../projects/projects.js';
import { createAct } from '../../store/audit.js';
import { Store } from '../../store/index.js';
import { createAgent } from '../agents.js';
import { createSkill, skills, updateSkill } from '../skills.js';
import { applyOnSnapshot, planOnSnapshot } from './apply-plan.js';
import { readEntries } from './entries.js';
import { readProject } from './project-state.js';

type Manifest = components['schemas']['Manifest'];

const NOTHING = { texts: new Map<string, never>(), tables: new Map<string, never>() };

const skill = (name: string, value: unknown = 1) => ({ skill: { name, type: 'note', params: { value } } });

describe('a plan', () => {
  let own: OwnStore;
  let store: Store;
  let projects = 0;
  let name: string;
  beforeAll(async () => {
    own = await testedStore();
    store = await Store.open(own.databaseUrl);
  });
  beforeEach(async () => {
    projects += 1;
    name = `p${projects}`;
    await store.transaction((tx) => createProject(tx, 'local', name));
  });
  afterAll(async () => {
    await store.close();
    await own.remove();
  });

  const caller = () => ({ ...LOCAL_CALLER, act: createAct('local', 'applyManifest', '/') });

  async function target(manifest: Manifest, prune = false) {
    const entries = await readEntries(manifest);
    const rest = { owner: 'local', prune, conditions: {}, names: {}, skillIds: new Map() };
    return { caller: caller(), name, wanted: { entries, ...rest } };
  }

  /** Writes to the project, as another request does. */
  const write = (work: (tx: Store, projectId: string) => Promise<unknown>) =>
    inProject(store, caller(), name, (tx, { id }) => work(tx, id));

  const read = async (): Promise<unknown[]> => {
    const { entries } = await store.snapshot('local', async (snapshot) =>
      readProject(snapshot, await findProject(snapshot, LOCAL_CALLER, name)),
    );
    return [...entries.values()].map(({ json }) => JSON.parse(json));
  };

  test('another owner writes while a project is compared, and while what it needs is prepared', async () => {
    const order: string[] = [];
    const writeOther = (when: string) =>
      store.transaction(async () => void order.push(when), { owner: 'other', project: 'x' });
    await applyOnSnapshot(store, await target([skill('a')]), async () => {
      await writeOther('prepared');
      return NOTHING;
    });
    await store.snapshot('local', () => writeOther('read'));
    expect(order).toEqual(['prepared', 'read']);
  });

  test('a snapshot shows the state of one moment, and changes nothing', async () => {
    await store
      .snapshot('local', async (snapshot) => {
        const project = await findProject(snapshot, LOCAL_CALLER, name);
        expect((await readProject(snapshot, project)).entries.size).toBe(0);
        await write((tx, id) => createSkill(tx, id, skill('a').skill));
        expect((await readProject(snapshot, project)).entries.size).toBe(0);
        await expect(createSkill(snapshot, project.id, skill('b').skill)).rejects.toThrow();
      })
      .catch(() => {});
    expect(await read()).toEqual([skill('a')]);
  });

  test('a project that changes after it was compared is compared again', async () => {
    await write((tx, id) => createSkill(tx, id, skill('a').skill));
    await write((tx, id) => createSkill(tx, id, skill('b').skill));
    const wanted = await target([skill('a', 2), skill('b'), skill('c')], true);
    const { plan } = await applyOnSnapshot(store, wanted, async (first) => {
      expect(first.changes.map(({ action }) => action)).toEqual(['update', 'create']);
      await write(async (tx, id) => {
        const row = await skills.find(tx, id, 'b');
        if (row) await updateSkill(tx, row, { params: { value: 'meanwhile' } });
        await createSkill(tx, id, skill('c', 'meanwhile').skill);
        await createSkill(tx, id, skill('d').skill);
      });
      return NOTHING;
    });
    expect(plan.changes.map(({ action, entry }) => `${action} ${entry.fields.name}`)).toEqual([
      ...['update a', 'update b', 'update c', 'delete d'],
    ]);
    expect(await read()).toEqual([skill('a', 2), skill('b'), skill('c')]);
  });

  test('what no longer fits a project that has changed is refused, and nothing is written', async () => {
    await write((tx, id) => createSkill(tx, id, skill('a').skill));
    const wanted = await target([{ agent: { name: 'x', skills: ['a'] } }, skill('z')]);
    const applied = applyOnSnapshot(store, wanted, async () => {
      await write(async (tx, id) => {
        const row = await skills.find(tx, id, 'a');
        if (row) await skills.remove(tx, row);
      });
      return NOTHING;
    });
    await expect(applied).rejects.toMatchObject({
      type: '/problems/unknown-skill',
      members: { errors: [{ pointer: '/body/0/agent/skills/0' }] },
    });
    expect(await read()).toEqual([]);
  });

  test('a dry run finds what the change would find, limits of the project too', async () => {
    const { resources } = store.limits;
    const many = Array.from({ length: 5000 }, (_, at) => skill(`s${at}`));
    await write(async (tx, id) => {
      await tx.reads
        .updateTable('projects')
        .set({ skills: resources - 10 })
        .where('id', '=', id)
        .execute();
    });
    const refusal = { type: '/problems/limit-reached' };
    const planned = planOnSnapshot(store, await target(many.slice(0, 11)));
    await expect(planned).rejects.toMatchObject(refusal);
    const fits = await planOnSnapshot(store, await target(many.slice(0, 10)));
    expect(fits.changes).toHaveLength(10);
    expect(await read()).toEqual([]);
  });

  test('what an entry refers to is not pruned', async () => {
    await write(async (tx, id) => {
      await createSkill(tx, id, skill('a').skill);
      await createAgent(tx, id, { name: 'x', skills: ['a'] });
    });
    const manifest = [{ agent: { name: 'x', skills: ['a'] } }];
    await expect(planOnSnapshot(store, await target(manifest, true))).rejects.toMatchObject({
      type: '/problems/unknown-skill',
    });
    expect((await planOnSnapshot(store, await target(manifest))).changes).toEqual([]);
  });

  test('manifests and writes at once leave the counters as if one had come after the other', async () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    const step = fc.record({ skills: names, agents: names, prune: fc.boolean(), added: names });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async (steps) => {
        await Promise.allSettled(
          steps.flatMap(({ skills: some, agents, prune, added }, at) => [
            target(
              [
                ...some.map((one) => skill(one, at)),
                ...agents.map((agent) => ({ agent: { name: agent, skills: some } })),
              ],
              prune,
            ).then((wanted) => applyOnSnapshot(store, wanted, async () => NOTHING)),
            ...added.map((one) => write((tx, id) => createSkill(tx, id, skill(one, 'x').skill))),
          ]),
        );
        const { id } = await findProject(store, LOCAL_CALLER, name);
        const counted = await store.reads
          .selectFrom('projects')
          .select(['skills', 'agents', 'uses', 'bytes'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const entries = await read();
        const uses = await store.reads
          .selectFrom('agent_skills')
          .innerJoin('agents', 'agents.id', 'agent_skills.agent_id')
          .select('skill_id')
          .where('agents.project_id', '=', id)
          .execute();
        expect(counted.skills + counted.agents).toBe(entries.length);
        expect(counted.uses).toBe(uses.length);
        // All is deleted again, and nothing is left that counts.
        await applyOnSnapshot(store, await target([], true), async () => NOTHING);
        const empty = await store.reads
          .selectFrom('projects')
          .select(['skills', 'agents', 'uses', 'bytes'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        expect(empty).toEqual({ skills: 0, agents: 0, uses: 0, bytes: 0 });
      }),
      { numRuns: 12 },
    );
  });
});

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ON_POSTGRES, testedStore } from '../../contract-tests/tested-store.js';
import { forgetAll } from '../../testkit/store/forget-all.js';
import type { OwnStore } from '../../testkit/store/own-store.js';
import { deleteModel, deleteVersions } from '../models/change-models.js';
import { findModel, listVersions, type Model } from '../models/model-rows.js';
import { readStoredModel } from '../models/serving-version.js';
import { beginTraining, countWaitingTrainings, refuseFullQueue } from '../models/training/begin-training.js';
import { cancelTraining, failTraining, finishTraining } from '../models/training/end-training.js';
import { addTablePart, createTable, discardTable, readTablePart, TABLES } from '../models/training/table-rows.js';
import { claimTraining, releaseTraining, renewTraining } from '../models/training/training-claims.js';
import type { Project } from '../projects/projects.js';
import {
  beginOwner,
  createProject,
  findProjectRow,
  listProjects,
  lockProjectRow,
  removeProject,
} from '../projects/projects.js';
import { agents, updateAgent as changeAgent, createAgent } from '../resources/agents.js';
import { chatbots, createChatbot, updateChatbot } from '../resources/chatbots.js';
import { updateSkill as changeSkill, createSkill, skills } from '../resources/skills.js';
import { getDialect } from './database/dialect.js';
import { sweepUntaken } from './forget-rows.js';
import { claimAnswer, findAnswer, KEPT_ANSWERS, keepAnswer } from './idempotent-replies.js';
import { Store, withoutCredentials } from './index.js';
import { findKey, hasKeys, insertKey, listKeys, lockKeys, noteKeyUse, revokeKey } from './keys.js';
import { refuseFullOwner } from './quota.js';

const HOUR = 3_600_000;
const LONG_AGO = '2000-01-01T00:00:00.000Z';
const LAPSED = -1000;
const DEFAULT_LIMITS = { resources: 3, bytes: 1000, uses: 4, stored: 1500, versions: 2, answers: 2000 };

let database: OwnStore;
beforeAll(async () => {
  database = await testedStore();
});
afterAll(() => database.remove());

/** Returns what was found in the store. */
async function present<T>(found: Promise<T | undefined>): Promise<T> {
  const row = await found;
  if (!row) throw new Error('It is not in the store');
  return row;
}

const updateSkill = async (tx: Store, id: string, name: string, sent: Sent<typeof changeSkill>) =>
  changeSkill(tx, await present(skills.find(tx, id, name)), sent);
const updateAgent = async (tx: Store, id: string, name: string, sent: Sent<typeof changeAgent>) =>
  changeAgent(tx, await present(agents.find(tx, id, name)), sent);
const putChatbot = async (tx: Store, id: string, name: string, settings = {}) => {
  const row = await chatbots.find(tx, id, name);
  return row ? updateChatbot(tx, row, { settings }) : createChatbot(tx, id, { name, settings });
};
type Sent<F extends (...args: never[]) => unknown> = Parameters<F>[2];

/** Deletes a resource if it is there. */
async function remove<R>(kind: Removable<R>, tx: Store, id: string, name: string): Promise<void> {
  const row = await kind.find(tx, id, name);
  if (row) await kind.remove(tx, row);
}
interface Removable<R> {
  find(tx: Store, id: string, name: string): Promise<R | undefined>;
  remove(tx: Store, row: R): Promise<void>;
}

const WRONG_URLS: [string, () => string][] = [
  ['a password that is wrong', () => database.databaseUrl.replace(':secret@', ':s3cret-wr0ng@')],
  ['a database that is not there', () => `${database.databaseUrl}_nowhere`],
];

const LIMIT_REACHED = { type: '/problems/limit-reached' };

describe('a store', () => {
  let store: Store;
  let project: Project;
  beforeEach(async () => {
    store = await Store.open(await database.empty(), { limits: DEFAULT_LIMITS });
    project = await createProject(store, 'ann', 'shop');
  });
  afterEach(() => store.close());

  /** Writes to the project as an operation does. */
  function write<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return store.transaction(async (store) => {
      await lockProjectRow(store, 'ann', 'shop');
      return work(store);
    });
  }

  const agent = (name: string) => ({
    name,
    model_name: null,
    provider: null,
    prompt_template: null,
    model: null,
    data: null,
    settings: {},
  });
  const skill = (name: string) => ({ name, type: 'sql', params: {} });
  const parts = [new Uint8Array([0, 1, 255]), new Uint8Array([7])];
  const storeTable = async (store: Store) => {
    const tableId = await createTable(store, 'ann');
    for (const [position, part] of parts.entries()) {
      await addTablePart(store, tableId, position, part);
    }
    return { target: 'y', task: 'regression' as const, rowCount: 1, tableId };
  };
  const begin = async (name: string) => {
    const table = await storeTable(store);
    return write((store) => beginTraining(store, project.id, name, table));
  };
  const beginIn = async (projectId: string, name: string) => {
    const table = await storeTable(store);
    return store.transaction((store) => beginTraining(store, projectId, name, table));
  };

  test('reports its size, which grows with what it holds', async () => {
    const roomy = await Store.open(await database.empty());
    const before = await roomy.measure();
    const tableId = await createTable(roomy, 'ann');
    await addTablePart(roomy, tableId, 0, randomBytes(500_000));
    expect(await roomy.measure()).toBeGreaterThan(before + 400_000);
    await roomy.close();
  });

  describe('of several owners', () => {
    test('may have projects of the same name, and shows each owner only their own', async () => {
      const other = await createProject(store, 'bob', 'shop');
      expect(other.id).not.toBe(project.id);
      expect(await listProjects(store, { owner: 'bob' }, {})).toEqual([other]);
      expect(await findProjectRow(store, 'ann', 'shop')).toEqual(project);
      expect(await findProjectRow(store, 'eve', 'shop')).toBeUndefined();
      expect(await lockProjectRow(store, 'eve', 'shop')).toBeUndefined();
      expect(Object.keys(other).sort()).toEqual(['created_at', 'id', 'name']);
    });

    /** Creates a key for an owner as the command does. */
    const newKey = (id: string, owner: string) =>
      store.transaction(async (store) => {
        await beginOwner(store, owner);
        const key = { id, owner, name: 'desk', scopes: ['read'] as const };
        await insertKey(store, { ...key, expires_at: null, hash: 'ab12' });
      });

    test('creates the project `default` for a new one only once, even with concurrent keys', async () => {
      await Promise.all(['k1', 'k2', 'k3', 'k4'].map((id) => newKey(id, 'bob')));
      expect(await listProjects(store, { owner: 'bob' }, {})).toMatchObject([{ name: 'default' }]);
      await newKey('k5', 'ann');
      expect(await listProjects(store, { owner: 'ann' }, {})).toEqual([project]);
    });

    test('does not create it again for one who deleted it, even if the key is revoked', async () => {
      await newKey('k1', 'bob');
      await revokeKey(store, 'k1');
      await store.transaction(async (store) => {
        const held = await lockProjectRow(store, 'bob', 'default');
        if (held) await removeProject(store, held);
      });
      await newKey('k2', 'bob');
      expect(await listProjects(store, { owner: 'bob' }, {})).toEqual([]);
    });

    test('limits the projects of each', async () => {
      await createProject(store, 'ann', 'second');
      await createProject(store, 'ann', 'third');
      const fourth = createProject(store, 'ann', 'fourth');
      await expect(fourth).rejects.toThrow('There are already 3 projects');
      await createProject(store, 'bob', 'fourth');
    });

    test('limits them exactly if many are created at once', async () => {
      const made = await Promise.allSettled(
        ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) =>
          store.transaction((store) => createProject(store, 'ann', name)),
        ),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      expect(await listProjects(store, { owner: 'ann' }, {})).toHaveLength(3);
    });

    test('refuses all but one of the concurrent creations of the same name', async () => {
      const made = await Promise.allSettled(
        Array.from({ length: 8 }, () => store.transaction((store) => createProject(store, 'bob', 'one'))),
      );
      const reasons = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(reasons).toHaveLength(7);
      for (const reason of reasons) expect(reason).toMatchObject({ type: '/problems/name-taken' });
    });
  });

  describe('that limits the resources of a project', () => {
    type Write = (store: Store, name: string) => Promise<unknown>;
    const kinds: ['skills' | 'agents' | 'chatbots' | 'models', Write, Write][] = [
      [
        'skills',
        (store, name) => createSkill(store, project.id, skill(name)),
        (store, name) => remove(skills, store, project.id, name),
      ],
      [
        'agents',
        (store, name) => createAgent(store, project.id, agent(name)),
        (store, name) => remove(agents, store, project.id, name),
      ],
      [
        'chatbots',
        (store, name) => putChatbot(store, project.id, name),
        (store, name) => remove(chatbots, store, project.id, name),
      ],
      [
        'models',
        async (store, name) => beginTraining(store, project.id, name, await storeTable(store)),
        (store, name) => deleteModel(store, project.id, name),
      ],
    ];
    test.each(kinds)('refuses %s beyond it, and takes one again when one is deleted', async (kind, add, remove) => {
      for (const name of ['a', 'b', 'c']) await write((store) => add(store, name));
      const refused = write((store) => add(store, 'd'));
      await expect(refused).rejects.toThrow(`"shop" already holds 3 ${kind}`);
      await write((store) => remove(store, 'b'));
      await write((store) => add(store, 'd'));
      await expect(write((store) => add(store, 'e'))).rejects.toMatchObject(LIMIT_REACHED);
      const none = { skills: 0, agents: 0, chatbots: 0, models: 0 };
      expect(await write((store) => removeProject(store, project))).toEqual({ ...none, [kind]: 3 });
      for (const name of ['a', 'c', 'd']) await write((store) => remove(store, name));
      await write((store) => remove(store, 'd'));
      expect(await write((store) => removeProject(store, project))).toBeUndefined();
      expect(await listProjects(store, { owner: 'ann' }, {})).toEqual([]);
    });
  });

  describe('that limits the bytes of a project', () => {
    /** Returns an object of this size as JSON, made of two-byte characters if the size is even. */
    const object = (bytes: number) => ({ k: 'é'.repeat((bytes - 8) / 2) });
    const skillOf = (bytes: number, name = 'a') =>
      write((store) => createSkill(store, project.id, { ...skill(name), params: object(bytes) }));
    const full = 'would hold more than 0.00095367431640625 MiB';

    /** Expects room for this number of bytes, but not for two more. */
    async function expectRoom(bytes: number): Promise<void> {
      await expect(skillOf(bytes + 2, 'probe')).rejects.toThrow(full);
      await skillOf(bytes, 'probe');
      await write((store) => remove(skills, store, project.id, 'probe'));
    }

    test('counts the params of skills as they are created, changed and deleted', async () => {
      await skillOf(600);
      await expectRoom(400);
      const change = (bytes: number) =>
        write((store) => updateSkill(store, project.id, 'a', { params: object(bytes) }));
      await change(1000);
      await expect(change(1002)).rejects.toThrow(full);
      const kept = await skills.find(store, project.id, 'a');
      expect(kept?.params).toEqual(JSON.stringify(object(1000)));
      await write((store) => updateSkill(store, project.id, 'a', { name: 'b', type: 'other' }));
      await write((store) => updateSkill(store, project.id, 'b', { params: object(100) }));
      await expectRoom(900);
      await write((store) => remove(skills, store, project.id, 'b'));
      await expectRoom(1000);
    });

    test('counts all long text of an agent', async () => {
      const texts = { prompt_template: 'é'.repeat(50), model: { model_name: 'm' }, data: { tables: [] } };
      const small = { ...agent('a'), ...texts, settings: object(300) };
      await write((store) => createAgent(store, project.id, small));
      const kept = 100 + '{"model_name":"m"}'.length + '{"tables":[]}'.length + 1 + 300;
      await write((store) => updateAgent(store, project.id, 'a', { data: { tables: [''] } }));
      await expectRoom(1000 - kept - 1);
      const grow = write((store) => updateAgent(store, project.id, 'a', { prompt_template: 'x'.repeat(800) }));
      await expect(grow).rejects.toThrow(full);
      await write((store) => remove(agents, store, project.id, 'a'));
      await expectRoom(1000);
    });

    test('has room for 16 MiB by default, which one agent can show', async () => {
      await store.close();
      store = await Store.open(await database.empty());
      project = await createProject(store, 'ann', 'shop');
      const names = Array.from({ length: 16 }, (_, index) => `skill_${index}`);
      for (const name of names) await skillOf(1024 * 1024, name);
      const most = 'would hold more than 16 MiB';
      await expect(skillOf(10, 'probe')).rejects.toThrow(most);
      const empty = write((store) => createAgent(store, project.id, { ...agent('a'), skills: names }));
      await expect(empty).rejects.toThrow(most);
      await write((store) => updateSkill(store, project.id, 'skill_0', { params: object(10) }));
      await write((store) => createAgent(store, project.id, { ...agent('a'), skills: names }));
      const shown = await agents.write(store, await present(agents.find(store, project.id, 'a')));
      expect(JSON.parse(shown.join('')).skills).toHaveLength(16);
    });

    test('counts the settings of chatbots, including those created by an update', async () => {
      const put = (name: string, bytes: number) => write((store) => putChatbot(store, project.id, name, object(bytes)));
      await put('a', 500);
      await expect(put('b', 502)).rejects.toThrow(full);
      await put('b', 400);
      await put('b', 500);
      await expect(put('b', 502)).rejects.toThrow(full);
      await write((store) => remove(chatbots, store, project.id, 'a'));
      await expectRoom(500);
    });
  });

  describe('that limits the bytes of an owner', () => {
    const object = (bytes: number) => ({ k: 'x'.repeat(bytes - 8) });
    const skillIn = (projectId: string, name: string, bytes: number) =>
      store.transaction((store) => createSkill(store, projectId, { ...skill(name), params: object(bytes) }));
    const full = 'Your projects hold';
    let second: Project;
    beforeEach(async () => {
      second = await createProject(store, 'ann', 'second');
    });

    const tableOf = async (bytes: number) => {
      const tableId = await createTable(store, 'ann');
      await addTablePart(store, tableId, 0, new Uint8Array(bytes));
      return { target: 'y', task: 'regression' as const, rowCount: 1, tableId };
    };
    const sweepAll = async () => {
      while (await sweepUntaken(store, TABLES));
    };
    /** Expects room for this number of bytes, but not for one more. */
    async function expectRoom(bytes: number): Promise<void> {
      await expect(tableOf(bytes + 1)).rejects.toThrow(
        `hold ${(DEFAULT_LIMITS.stored - bytes).toLocaleString('en')} bytes of params`,
      );
      const { tableId } = await tableOf(bytes);
      await discardTable(store, tableId);
      await sweepAll();
    }
    /** @param kept as many bytes as the model takes with its columns and metrics. */
    const finish = async (kept: Uint8Array, findings: Model['findings'] = []) => {
      const claim = await claimTraining(store, 'here', HOUR);
      if (!claim) throw new Error('no training waits');
      const metrics = {
        r2: 1,
        rmse: 0,
        mae: 0,
        baseline_rmse: 1,
        baseline_mae: 1,
        interval_level: 0.8,
        interval_coverage: 0.8,
        held_out_rows: 1,
        interval_coverage_by_error: [1, 1, 1, 1, 1],
        reliability: [],
        predicted_actual: [],
        residuals: [],
        validation: { method: 'random' as const, column: null, from: null, groups: null, ungrouped_rows: null },
      };
      const columns: never[] = [];
      const shown = JSON.stringify(columns).length + JSON.stringify(metrics).length;
      const artifact = kept.subarray(shown);
      const trained = {
        columns,
        metrics,
        targetReading: null,
        classes: null,
        summary: '',
        findings,
        trainingSeconds: 1,
        artifact,
        seenRows: null,
        errors: null,
        sample: null,
        compared: null,
      };
      await finishTraining(store, { versionId: claim.versionId, instance: 'here' }, trained);
    };

    test('counts the texts of all projects of the owner, and of no other owner', async () => {
      await skillIn(project.id, 'a', 900);
      await expectRoom(600);
      const others = await createProject(store, 'bob', 'shop');
      await skillIn(others.id, 'a', 1000);
      await expectRoom(600);
      await write((store) => updateSkill(store, project.id, 'a', { params: object(600) }));
      await expectRoom(900);
    });

    test('counts them exactly with concurrent writes', async () => {
      const made = await Promise.allSettled(
        ['a', 'b', 'c'].flatMap((name) => [project, second].map(({ id }) => skillIn(id, name, 400))),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      await expectRoom(300);
    });

    test('counts a table until it is swept, and takes no part beyond the limit', async () => {
      const table = await tableOf(1000);
      await expectRoom(500);
      await expect(addTablePart(store, table.tableId, 1, new Uint8Array(501))).rejects.toThrow(full);
      await addTablePart(store, table.tableId, 1, new Uint8Array(500));
      await expect(refuseFullOwner(store.work, 'ann', DEFAULT_LIMITS.stored)).rejects.toThrow(full);
      await refuseFullOwner(store.work, 'bob', DEFAULT_LIMITS.stored);
      await discardTable(store, table.tableId);
      await sweepAll();
      await refuseFullOwner(store.work, 'ann', DEFAULT_LIMITS.stored);
      await expectRoom(DEFAULT_LIMITS.stored);
    });

    test('counts a model instead of its table, and the versions that are kept', async () => {
      for (const bytes of [350, 350, 400]) {
        const table = await tableOf(100);
        await write((store) => beginTraining(store, project.id, 'm', table));
        await finish(new Uint8Array(bytes));
        await sweepAll();
      }
      await expectRoom(750);
      await write(async (store) => {
        const old = await findModel(store, project.id, 'm', 2);
        if (old) await deleteVersions(store.reads, old.id, 'ann', [2]);
      });
      await expectRoom(1100);
      await write((store) => deleteModel(store, project.id, 'm'));
      await expectRoom(DEFAULT_LIMITS.stored);
    });

    test('counts what was found in a table, and in its training', async () => {
      const reading = { rows_sent: 2, rows_used: 1, left_out: [], missing_words: [] };
      const finding = (message: string): Model['findings'][number] => {
        const about = { column: 'x', rows: null, share: null, places: [], message };
        return { kind: 'unused_column', ...about, effect: null, remedies: [] };
      };
      const [read, trained] = [finding('read'), finding('trained')];
      const sizeOf = (...findings: Model['findings']) => JSON.stringify({ reading, findings }).length;
      const table = { ...(await tableOf(100)), report: { reading, findings: [read] } };
      await write((store) => beginTraining(store, project.id, 'm', table));
      await expectRoom(DEFAULT_LIMITS.stored - 100 - sizeOf(read));
      await finish(new Uint8Array(350), [trained]);
      await sweepAll();
      await expectRoom(DEFAULT_LIMITS.stored - 350 - sizeOf(read, trained));
      expect(await findModel(store, project.id, 'm')).toMatchObject({ reading, findings: [read, trained] });
      await write((store) => deleteModel(store, project.id, 'm'));
      await expectRoom(DEFAULT_LIMITS.stored);
    });

    test('keeps a model whose training ends beyond the limit, and nothing more', async () => {
      const table = await tableOf(100);
      await write((store) => beginTraining(store, project.id, 'm', table));
      await finish(new Uint8Array(2000));
      expect(await findModel(store, project.id, 'm')).toMatchObject({ status: 'ready' });
      await expect(skillIn(second.id, 'a', 10)).rejects.toThrow(full);
      await expect(tableOf(1)).rejects.toThrow(full);
      await write((store) => deleteModel(store, project.id, 'm'));
      await sweepAll();
      await expectRoom(DEFAULT_LIMITS.stored);
    });
  });

  describe('that limits the uses of skills by agents', () => {
    const full = 'use its skills more than 4 times';
    const use = (name: string, skills: string[]) =>
      write((store) => createAgent(store, project.id, { ...agent(name), skills }));
    const add = (name: string, skills_to_add: string[]) =>
      write((store) => updateAgent(store, project.id, name, { skills_to_add }));
    beforeEach(async () => {
      for (const name of ['s', 't', 'u']) {
        await write((store) => createSkill(store, project.id, skill(name)));
      }
      await use('a', ['s', 't', 't']);
    });

    test('counts those of agents as they are created and changed', async () => {
      await expect(use('b', ['s', 't', 'u'])).rejects.toThrow(full);
      await use('b', ['s']);
      await add('b', ['s', 't']);
      await expect(add('b', ['u'])).rejects.toThrow(full);
      await expect(use('c', ['s'])).rejects.toThrow(full);
      const swap = { settings: { k: 1 }, skills: ['u', 's'] };
      await write((store) => updateAgent(store, project.id, 'a', swap));
      await write((store) => updateAgent(store, project.id, 'a', { settings: { k: 2 } }));
      await write((store) => updateAgent(store, project.id, 'a', { skills: [] }));
      await use('c', ['s', 't']);
    });

    test('has room again when an agent or a skill is deleted', async () => {
      await use('b', ['s', 't']);
      await write((store) => remove(skills, store, project.id, 's'));
      await add('b', ['u']);
      await add('a', ['u']);
      await expect(use('c', ['t'])).rejects.toThrow(full);
      await write((store) => remove(agents, store, project.id, 'a'));
      await use('c', ['t', 'u']);
    });
  });

  describe('in a transaction', () => {
    test('hides its writes from others until they are rolled back', async () => {
      let read: Promise<unknown> | undefined;
      const undone = store.transaction(async (tx) => {
        await createSkill(tx, project.id, skill('draft'));
        expect(await skills.find(tx, project.id, 'draft')).toMatchObject({ name: 'draft' });
        read = skills.find(store, project.id, 'draft');
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await read).toBeUndefined();
    });

    test('rolls back if the work throws', async () => {
      const work = write(async (store) => {
        await createSkill(store, project.id, skill('a'));
        await store.transaction((store) => createSkill(store, project.id, skill('b')));
        throw new Error('enough');
      });
      await expect(work).rejects.toThrow('enough');
      expect(await skills.listIds(store, project.id, {})).toEqual([]);
      expect(await write((store) => removeProject(store, project))).toBeUndefined();
    });

    test('refuses a name before it writes, so that the transaction can continue', async () => {
      await write((store) => createSkill(store, project.id, skill('a')));
      const answer = { fingerprint: 'f', headers: { ETag: '""', Location: '/' }, body: '' };
      await write(async (store) => {
        const again = createSkill(store, project.id, skill('a'));
        await expect(again).rejects.toMatchObject({ type: '/problems/name-taken' });
        await keepAnswer(store, 'ann', 'once', answer);
      });
      expect(await findAnswer(store, 'ann', 'once', LONG_AGO)).toEqual(answer);
      expect(await skills.listIds(store, project.id, {})).toHaveLength(1);
    });

    test('blocks other writes to a project that it has locked', async () => {
      const steps: string[] = [];
      const first = write(async (store) => {
        steps.push('first begins');
        await pause(100);
        await createSkill(store, project.id, skill('first'));
        steps.push('first ends');
      });
      while (steps.length === 0) await pause(1);
      await write(async (store) => {
        steps.push('second begins');
        expect(await skills.listIds(store, project.id, {})).toHaveLength(1);
      });
      await first;
      expect(steps).toEqual(['first begins', 'first ends', 'second begins']);
    });
  });

  describe('of keys', () => {
    const key = { id: 'k1', name: 'desk', owner: 'ann', scopes: ['read', 'predict'] as const };
    const kept = { ...key, expires_at: '2999-01-01T00:00:00.000Z', hash: 'ab12' };

    test('stores a key unchanged, and lists it without its hash', async () => {
      expect(await hasKeys(store)).toBe(false);
      const made = await insertKey(store, kept);
      const { hash, ...shown } = kept;
      expect(made).toEqual({
        ...shown,
        created_at: expect.any(String),
        revoked_at: null,
        last_used_at: null,
        limits: null,
        project_id: null,
        made_by: null,
      });
      expect(await findKey(store, 'k1')).toEqual({ ...made, hash });
      expect(await listKeys(store)).toEqual([{ ...made, project: null }]);
      expect(await findKey(store, 'k2')).toBeUndefined();
    });

    test('revokes a key once, and remembers that it existed', async () => {
      await insertKey(store, kept);
      expect(await revokeKey(store, 'k1')).toBe(true);
      expect(await revokeKey(store, 'k1')).toBe(false);
      expect(await revokeKey(store, 'k2')).toBe(false);
      expect(await findKey(store, 'k1')).toMatchObject({ revoked_at: expect.any(String) });
      expect(await hasKeys(store)).toBe(true);
    });

    test('gives what a key made to the maker that it has when it is revoked', async () => {
      await insertKey(store, { ...kept, id: 'root' });
      await insertKey(store, { ...kept, id: 'first', hash: 'b', made_by: 'root' });
      await insertKey(store, { ...kept, id: 'second', hash: 'c', made_by: 'first' });
      await insertKey(store, { ...kept, id: 'third', hash: 'd', made_by: 'second' });
      let later: Promise<boolean> | undefined;
      await store.transaction(async (tx) => {
        await lockKeys(tx, 'ann');
        later = store.transaction((other) => revokeKey(other, 'second', true));
        if (getDialect(store.work).locksRows) {
          const waiting = sql<{ granted: boolean }>`select granted from pg_locks where not granted`;
          await expect.poll(async () => (await waiting.execute(store.work)).rows.length).toBe(1);
        }
        await revokeKey(tx, 'first', true);
      });
      expect(await later).toBe(true);
      expect(await findKey(store, 'third')).toMatchObject({ made_by: 'root' });
    });

    test('records the latest use, in any order of writes', async () => {
      await insertKey(store, kept);
      for (const hour of ['10', '12', '11']) {
        await noteKeyUse(store, 'k1', `2026-01-01T${hour}:00:00.000Z`);
      }
      const used = await findKey(store, 'k1');
      expect(used?.last_used_at).toBe('2026-01-01T12:00:00.000Z');
    });
  });

  describe('of kept responses', () => {
    const answer = { fingerprint: 'f', headers: { ETag: '"é"', Location: '/é' }, body: '{"a":"\\u0000"}' };

    test('returns a response to its owner and key alone', async () => {
      await keepAnswer(store, 'ann', 'k', answer);
      expect(await findAnswer(store, 'ann', 'k', LONG_AGO)).toEqual(answer);
      expect(await findAnswer(store, 'bob', 'k', LONG_AGO)).toBeUndefined();
      expect(await findAnswer(store, 'ann', 'l', LONG_AGO)).toBeUndefined();
    });

    test('returns no expired response, and keeps another in its place', async () => {
      await keepAnswer(store, 'ann', 'k', answer);
      const later = new Date(Date.now() + HOUR).toISOString();
      expect(await findAnswer(store, 'ann', 'k', later)).toBeUndefined();
      await keepAnswer(store, 'ann', 'k', { ...answer, body: 'another' });
      expect(await findAnswer(store, 'ann', 'k', LONG_AGO)).toMatchObject({ body: 'another' });
      await forgetAll(store, KEPT_ANSWERS, HOUR);
      expect(await findAnswer(store, 'ann', 'k', LONG_AGO)).toBeDefined();
      await forgetAll(store, KEPT_ANSWERS, -HOUR);
      expect(await findAnswer(store, 'ann', 'k', LONG_AGO)).toBeUndefined();
    });

    test('keeps no more of an owner than the limit, until some are deleted', async () => {
      const large = { ...answer, body: 'é'.repeat(350) };
      await keepAnswer(store, 'ann', 'a', large);
      const refused = keepAnswer(store, 'ann', 'b', large);
      await expect(refused).rejects.toThrow(`may hold ${DEFAULT_LIMITS.answers.toLocaleString('en')} bytes`);
      expect(await findAnswer(store, 'ann', 'b', LONG_AGO)).toBeUndefined();
      await keepAnswer(store, 'ann', 'a', large);
      await keepAnswer(store, 'bob', 'b', large);
      await forgetAll(store, KEPT_ANSWERS, -HOUR);
      await keepAnswer(store, 'ann', 'b', large);
      await expect(keepAnswer(store, 'ann', 'c', large)).rejects.toMatchObject(LIMIT_REACHED);
    });

    test('lets one transaction at a time claim a key', async () => {
      const claims: boolean[] = [];
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.transaction(async (store) => {
            const claimed = await claimAnswer(store, 'ann', 'k');
            claims.push(claimed);
            if (!claimed || (await findAnswer(store, 'ann', 'k', LONG_AGO))) return 'not done';
            await pause(20);
            await keepAnswer(store, 'ann', 'k', answer);
            return 'done';
          }),
        ),
      );
      expect(answers.filter((what) => what === 'done')).toHaveLength(1);
      // On PostgreSQL, the refused claim may return before the successful one.
      expect(claims).toContain(true);
    });
  });

  describe('of trainings', () => {
    const trained = {
      columns: [],
      metrics: {
        r2: 1,
        rmse: 0,
        mae: 0,
        baseline_rmse: 1,
        baseline_mae: 1,
        interval_level: 0.8,
        interval_coverage: 0.8,
        held_out_rows: 1,
        interval_coverage_by_error: [1, 1, 1, 1, 1],
        reliability: [],
        predicted_actual: [],
        residuals: [],
        validation: { method: 'random' as const, column: null, from: null, groups: null, ungrouped_rows: null },
      },
      targetReading: null,
      classes: null,
      summary: '',
      findings: [],
      trainingSeconds: 1,
      artifact: new Uint8Array([7, 0, 9]),
      seenRows: null,
      errors: null,
      sample: null,
      compared: null,
    };

    test('assigns the oldest unclaimed training, each to one instance', async () => {
      await begin('a');
      await begin('b');
      expect(await countWaitingTrainings(store)).toBe(2);
      const claims = await Promise.all(['one', 'two', 'three', 'four'].map((name) => claimTraining(store, name, HOUR)));
      const given = claims.filter((claim) => claim !== undefined);
      expect(given.map(({ model }) => model).sort()).toEqual(['a', 'b']);
      for (const claim of given) {
        expect(claim).toMatchObject({ attempts: 1, version: 1, parts: parts.length });
        expect(await partsOf(claim.versionId)).toEqual(parts);
      }
      expect(await countWaitingTrainings(store)).toBe(0);
    });

    test('lets owners take turns, however many trainings one has', async () => {
      for (const name of ['a1', 'a2', 'a3']) await begin(name);
      const { id } = await createProject(store, 'bob', 'shop');
      for (const name of ['b1', 'b2']) await beginIn(id, name);
      const order: unknown[] = [];
      for (let turn = 0; turn < 5; turn++) {
        const claim = await claimTraining(store, 'one', HOUR);
        if (!claim) break;
        order.push(claim.model);
        // The next claim comes later by the clock of the database, and an ended training still
        // counts.
        await pause(5);
        await failTraining(store, { versionId: claim.versionId, instance: 'one' }, 'for a reason');
      }
      expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
    });

    test('keeps the parts of a table for as long as its training lasts', async () => {
      const { versionId: trained } = await begin('a');
      const { versionId: deleted } = await begin('b');
      const { versionId: waiting } = await begin('c');
      await claimTraining(store, 'one', HOUR);
      await failTraining(store, { versionId: trained, instance: 'one' }, 'for a reason');
      await write((store) => deleteModel(store, project.id, 'b'));
      while (await sweepUntaken(store, TABLES));
      expect(await partsOf(trained)).toEqual([]);
      expect(await partsOf(deleted)).toEqual([]);
      expect(await partsOf(waiting)).toEqual(parts);
    });

    test('removes a discarded table part by part, and begins no training from it', async () => {
      const table = await storeTable(store);
      expect(await sweepUntaken(store, TABLES)).toBe(false);
      await discardTable(store, table.tableId);
      await expect(write((store) => beginTraining(store, project.id, 'a', table))).rejects.toThrow(
        'has been discarded',
      );
      let steps = 0;
      while (await sweepUntaken(store, TABLES)) steps++;
      expect(steps).toBe(parts.length + 1);
      await expect(addTablePart(store, table.tableId, 9, new Uint8Array(1))).rejects.toMatchObject({
        type: '/problems/service-unavailable',
      });
    });

    test('begins no training from a table that waited too long and is being removed', async () => {
      const table = await storeTable(store);
      expect(await sweepUntaken(store, TABLES, Date.now() + 2 * HOUR)).toBe(true);
      const late = write((store) => beginTraining(store, project.id, 'a', table));
      await expect(late).rejects.toMatchObject({
        type: '/problems/service-unavailable',
        detail: expect.stringContaining('has been discarded'),
      });
    });

    test('keeps a table whose parts still arrive, however long that takes', async () => {
      const table = await storeTable(store);
      const inAnHour = Date.now() + HOUR - 60_000;
      await store.work.updateTable('training_tables').set({ upload_until: 1 }).execute();
      await addTablePart(store, table.tableId, parts.length, new Uint8Array(1));
      expect(await sweepUntaken(store, TABLES, inAnHour)).toBe(false);
      await write((store) => beginTraining(store, project.id, 'a', table));
    });

    test('does not discard a table that a training has', async () => {
      const table = await storeTable(store);
      const { versionId } = await write((store) => beginTraining(store, project.id, 'a', table));
      await discardTable(store, table.tableId);
      expect(await sweepUntaken(store, TABLES)).toBe(false);
      expect(await partsOf(versionId)).toEqual(parts);
    });

    /** Returns the parts of a training's table. */
    async function partsOf(versionId: string): Promise<Uint8Array[]> {
      const found: Uint8Array[] = [];
      for (;;) {
        const part = await readTablePart(store, versionId, found.length);
        if (!part) return found;
        found.push(new Uint8Array(part));
      }
    }

    const BEGUN = { progress: 0, secondsLeft: null };
    const HALF = { progress: 0.5, secondsLeft: 7 };

    test('assigns a training again after its lease, as another attempt, and the first instance has lost it', async () => {
      const { versionId } = await begin('a');
      await claimTraining(store, 'one', LAPSED);
      expect(await renewTraining(store, { versionId, instance: 'one' }, LAPSED, HALF)).toBe(true);
      expect(await findModel(store, project.id, 'a')).toMatchObject({ progress: 0.5, seconds_left: 7 });
      expect(await claimTraining(store, 'two', HOUR)).toMatchObject({ attempts: 2 });
      expect(await findModel(store, project.id, 'a')).toMatchObject({ progress: 0, seconds_left: null });
      expect(await renewTraining(store, { versionId, instance: 'one' }, HOUR, BEGUN)).toBe(false);
      expect(await finishTraining(store, { versionId, instance: 'one' }, trained)).toBe(false);
      expect(await failTraining(store, { versionId, instance: 'one' }, 'lost')).toBe(false);
      await releaseTraining(store, { versionId, instance: 'one' });
      expect(await finishTraining(store, { versionId, instance: 'two' }, trained)).toBe(true);
      expect(await findModel(store, project.id, 'a')).toMatchObject({ status: 'ready' });
      const stored = await readStoredModel(store, versionId);
      expect([...(stored?.artifact ?? [])]).toEqual([...trained.artifact]);
      expect(await claimTraining(store, 'three', HOUR)).toBeUndefined();
    });

    test('keeps of the failed versions only the last, whether they failed or were cancelled', async () => {
      const { model, versionId } = await begin('a');
      await claimTraining(store, 'one', HOUR);
      await finishTraining(store, { versionId, instance: 'one' }, trained);
      for (let round = 0; round < 2; round++) {
        const { model: cancelled } = await begin('a');
        await write((store) => cancelTraining(store, cancelled));
        const failed = await begin('a');
        await claimTraining(store, 'one', HOUR);
        await failTraining(store, { versionId: failed.versionId, instance: 'one' }, 'lost');
      }
      const left = await listVersions(store, model.id, { limit: 9 });
      expect(left.map(({ model }) => [model.version, model.status])).toEqual([
        [1, 'ready'],
        [5, 'failed'],
      ]);
    });

    test('does not assign a training whose lease is renewed', async () => {
      const { versionId } = await begin('a');
      await claimTraining(store, 'one', LAPSED);
      await renewTraining(store, { versionId, instance: 'one' }, HOUR, BEGUN);
      expect(await claimTraining(store, 'two', HOUR)).toBeUndefined();
    });

    test('does not count a released attempt', async () => {
      const { versionId } = await begin('a');
      await claimTraining(store, 'one', HOUR);
      await releaseTraining(store, { versionId, instance: 'one' });
      expect(await claimTraining(store, 'two', HOUR)).toMatchObject({ attempts: 1 });
    });

    test('notifies the instance whose training is deleted', async () => {
      const { versionId } = await begin('a');
      await claimTraining(store, 'one', HOUR);
      expect(await write((store) => deleteModel(store, project.id, 'a'))).toEqual([versionId]);
      expect(await renewTraining(store, { versionId, instance: 'one' }, HOUR, BEGUN)).toBe(false);
      expect(await finishTraining(store, { versionId, instance: 'one' }, trained)).toBe(false);
    });

    test('takes one per model, and a hundred that wait', async () => {
      await begin('a');
      await expect(begin('a')).rejects.toMatchObject({ type: '/problems/training-in-progress' });
      for (let owner = 0; owner < 33; owner++) {
        const { id } = await createProject(store, `owner_${owner}`, 'shop');
        for (const name of ['a', 'b', 'c']) await beginIn(id, name);
      }
      await expect(refuseFullQueue(store, project.id)).rejects.toThrow('Too many trainings already wait');
      await expect(begin('b')).rejects.toThrow('Too many trainings already wait');
      expect(await findModel(store, project.id, 'b')).toBeUndefined();
      await claimTraining(store, 'one', HOUR);
      await refuseFullQueue(store, project.id);
      await begin('b');
    });

    test('takes fifty of one owner, and then only those of others', async () => {
      const projects = await roomyProjects('ann');
      for (const [index, id] of projects.slice(0, 49).entries()) await beginIn(id, `${index}`);
      await refuseFullQueue(store, project.id);
      await begin('a');
      await expect(refuseFullQueue(store, project.id)).rejects.toThrow('Too many trainings already wait');
      await expect(begin('b')).rejects.toThrow('Too many trainings already wait');
      const { id } = await createProject(store, 'bob', 'shop');
      await refuseFullQueue(store, id);
      await beginIn(id, 'a');
    });

    test('takes no more when many begin in several projects at once', async () => {
      const projects = await roomyProjects('ann');
      for (const id of projects.slice(0, 48)) await beginIn(id, 'a');
      const begun = await Promise.allSettled(projects.slice(48).map((id) => beginIn(id, 'a')));
      expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      expect(await countWaitingTrainings(store)).toBe(50);
    });

    /** Opens a store with a higher limit of projects, and creates 56 of them. */
    async function roomyProjects(owner: string): Promise<string[]> {
      await store.close();
      store = await Store.open(await database.empty());
      project = await createProject(store, 'ann', 'shop');
      const names = Array.from({ length: 56 }, (_, index) => `project_${index}`);
      const made = await Promise.all(names.map((name) => createProject(store, owner, name)));
      return made.map(({ id }) => id);
    }
  });
});

describe('the address of a store', () => {
  test.each([
    ['file:data/roster.db', 'file:data/roster.db'],
    [':memory:', ':memory:'],
    ['postgres://ann:secret@db.example:5433/roster?sslmode=require', 'postgres://db.example:5433/roster'],
    ['postgresql://ann:se%2Fcret@db.example/roster', 'postgres://db.example/roster'],
    ['postgres://db.example/roster?user=ann&password=secret', 'postgres://db.example/roster'],
    ['postgres://ann:secret@[::1]:5432/roster', 'postgres://[::1]:5432/roster'],
    ['postgres://ann:se/cret@db.example/roster', 'postgres://…'],
    ['postgres://ann:12/secret@db.example/roster', 'postgres://…'],
    ['postgres://ann:12#secret@db.example/roster', 'postgres://…'],
    ['postgres://ann:12?secret@db.example/roster', 'postgres://…'],
  ])('%s is shown as %s', (url, shown) => {
    expect(withoutCredentials(url)).toBe(shown);
  });

  test.each([
    ...(ON_POSTGRES ? WRONG_URLS : []),
    ['a host that does not listen', () => 'postgres://ann:s3cret-wr0ng@127.0.0.1:1/roster'],
    ['a password that is not escaped', () => 'postgres://ann:12/s3cret-wr0ng@127.0.0.1/roster'],
  ])('with %s shows no password', async (_, url) => {
    const failure = await Store.open(url()).catch((error: unknown) => String(error));
    expect(failure).toMatch(/the store postgres:\/\/.* \(DATABASE_URL\) cannot be opened: ./);
    expect(failure).not.toMatch(/s3cret|secret/);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type PostgresDatabase,
  startPostgres,
} from '../../contract-tests/targets/postgres-database.js';
import {
  LimitReachedError,
  NameTakenError,
  type Project,
  QueueFullError,
  Store,
  TrainingInProgressError,
  withoutCredentials,
} from './index.js';

const HOUR = 3_600_000;
const LONG_AGO = '2000-01-01T00:00:00.000Z';
const LAPSED = -1000;

let database: PostgresDatabase;
let databases = 0;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(() => database.remove());

describe.each([
  ['SQLite', async () => ':memory:'],
  ['PostgreSQL', () => database.create(`store_${++databases}`)],
])('a store on %s', (_, newUrl) => {
  let store: Store;
  let project: Project;
  beforeEach(async () => {
    store = await Store.open(await newUrl(), { mostResources: 3 });
    project = await store.projects.create('ann', 'shop');
  });
  afterEach(() => store.close());

  /** Writes to the project as an operation does. */
  function write<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return store.transaction(async (store) => {
      await store.projects.hold('ann', 'shop');
      return work(store);
    });
  }

  const agent = (name: string) => ({
    ...{ name, model_name: null, provider: null, prompt_template: null },
    ...{ model: null, data: null, settings: {} },
  });
  const skill = (name: string) => ({ name, type: 'sql', params: {} });
  const table = { target: 'y', rowCount: 1, table: new Uint8Array([0, 1, 255]) };
  const begin = (name: string) =>
    write((store) => store.models.beginTraining(project.id, name, table));

  describe('of several owners', () => {
    test('has a project of each by the same name, and shows nobody those of another', async () => {
      const other = await store.projects.create('bob', 'shop');
      expect(other.id).not.toBe(project.id);
      expect(await store.projects.list('bob', {})).toEqual([other]);
      expect(await store.projects.find('ann', 'shop')).toEqual(project);
      expect(await store.projects.find('eve', 'shop')).toBeUndefined();
      expect(await store.projects.hold('eve', 'shop')).toBeUndefined();
      expect(Object.keys(other).sort()).toEqual(['created_at', 'id', 'name']);
    });

    test('gives a new one the project `default`, and never again while there is another', async () => {
      await store.projects.beginOwner('bob');
      await store.projects.beginOwner('bob');
      expect(await store.projects.list('bob', {})).toMatchObject([{ name: 'default' }]);
      await store.projects.beginOwner('ann');
      expect(await store.projects.list('ann', {})).toEqual([project]);
    });

    test('bounds how many projects each has', async () => {
      await store.projects.create('ann', 'second');
      await store.projects.create('ann', 'third');
      const fourth = store.projects.create('ann', 'fourth');
      await expect(fourth).rejects.toThrow(new LimitReachedError('projects', 3));
      await store.projects.create('bob', 'fourth');
    });
  });

  describe('that bounds what a project holds', () => {
    type Write = (store: Store, name: string) => Promise<unknown>;
    const kinds: ['skills' | 'agents' | 'chatbots' | 'models', Write, Write][] = [
      [
        'skills',
        ({ skills }, name) => skills.create(project.id, skill(name)),
        ({ skills }, name) => skills.remove(project.id, name),
      ],
      [
        'agents',
        ({ agents }, name) => agents.create(project.id, agent(name), []),
        ({ agents }, name) => agents.remove(project.id, name),
      ],
      [
        'chatbots',
        ({ chatbots }, name) => chatbots.updateOrCreate(project.id, name, {}),
        ({ chatbots }, name) => chatbots.remove(project.id, name),
      ],
      [
        'models',
        ({ models }, name) => models.beginTraining(project.id, name, table),
        ({ models }, name) => models.remove(project.id, name),
      ],
    ];
    test.each(kinds)(
      'refuses %s beyond it, and takes one again when one is gone',
      async (kind, add, remove) => {
        for (const name of ['a', 'b', 'c']) await write((store) => add(store, name));
        const refused = write((store) => add(store, 'd'));
        await expect(refused).rejects.toThrow(new LimitReachedError(kind, 3));
        await write((store) => remove(store, 'b'));
        await write((store) => add(store, 'd'));
        await expect(write((store) => add(store, 'e'))).rejects.toThrow(LimitReachedError);
        const none = { skills: 0, agents: 0, chatbots: 0, models: 0 };
        expect(await write((store) => store.projects.remove(project))).toEqual({
          ...none,
          [kind]: 3,
        });
        for (const name of ['a', 'c', 'd']) await write((store) => remove(store, name));
        await write((store) => remove(store, 'd'));
        expect(await write((store) => store.projects.remove(project))).toBeUndefined();
        expect(await store.projects.list('ann', {})).toEqual([]);
      },
    );
  });

  describe('in a transaction', () => {
    test('undoes all of it when the work throws', async () => {
      const work = write(async (store) => {
        await store.skills.create(project.id, skill('a'));
        await store.transaction((store) => store.skills.create(project.id, skill('b')));
        throw new Error('enough');
      });
      await expect(work).rejects.toThrow('enough');
      expect(await store.skills.list(project.id, {})).toEqual([]);
      expect(await write((store) => store.projects.remove(project))).toBeUndefined();
    });

    test('refuses a name before it writes, so that the transaction can go on', async () => {
      await write((store) => store.skills.create(project.id, skill('a')));
      const answer = { fingerprint: 'f', status: 409, headers: {}, body: '' };
      await write(async (store) => {
        const again = store.skills.create(project.id, skill('a'));
        await expect(again).rejects.toThrow(NameTakenError);
        await store.answers.keep('ann', 'once', answer);
      });
      expect(await store.answers.find('ann', 'once', LONG_AGO)).toEqual(answer);
      expect(await store.skills.list(project.id, {})).toHaveLength(1);
    });

    test('lets nobody else write to a project that it holds', async () => {
      const steps: string[] = [];
      const first = write(async (store) => {
        steps.push('first begins');
        await pause(100);
        await store.skills.create(project.id, skill('first'));
        steps.push('first ends');
      });
      while (steps.length === 0) await pause(1);
      await write(async (store) => {
        steps.push('second begins');
        expect(await store.skills.list(project.id, {})).toHaveLength(1);
      });
      await first;
      expect(steps).toEqual(['first begins', 'first ends', 'second begins']);
    });
  });

  describe('of keys', () => {
    const key = { id: 'k1', name: 'desk', owner: 'ann', scopes: ['read', 'predict'] as const };
    const kept = { ...key, expires_at: '2999-01-01T00:00:00.000Z', hash: 'ab12' };

    test('keeps one as it was made, and lists it without its hash', async () => {
      expect(await store.keys.exist()).toBe(false);
      const made = await store.keys.create(kept);
      const { hash, ...shown } = kept;
      expect(made).toEqual({
        ...shown,
        created_at: expect.any(String),
        revoked_at: null,
        last_used_at: null,
      });
      expect(await store.keys.find('k1')).toEqual({ ...made, hash });
      expect(await store.keys.list()).toEqual([made]);
      expect(await store.keys.find('k2')).toBeUndefined();
    });

    test('revokes one once, and still knows that there was one', async () => {
      await store.keys.create(kept);
      expect(await store.keys.revoke('k1')).toBe(true);
      expect(await store.keys.revoke('k1')).toBe(false);
      expect(await store.keys.revoke('k2')).toBe(false);
      expect(await store.keys.find('k1')).toMatchObject({ revoked_at: expect.any(String) });
      expect(await store.keys.exist()).toBe(true);
    });

    test('knows the latest use, in whatever order uses are noted', async () => {
      await store.keys.create(kept);
      for (const hour of ['10', '12', '11']) {
        await store.keys.noteUse('k1', `2026-01-01T${hour}:00:00.000Z`);
      }
      const used = await store.keys.find('k1');
      expect(used?.last_used_at).toBe('2026-01-01T12:00:00.000Z');
    });
  });

  describe('of answers', () => {
    const answer = {
      fingerprint: 'f',
      status: 201,
      headers: { Location: '/é' },
      body: '{"a":"\\u0000"}',
    };

    test('gives back the answer to the owner and key alone', async () => {
      await store.answers.keep('ann', 'k', answer);
      expect(await store.answers.find('ann', 'k', LONG_AGO)).toEqual(answer);
      expect(await store.answers.find('bob', 'k', LONG_AGO)).toBeUndefined();
      expect(await store.answers.find('ann', 'l', LONG_AGO)).toBeUndefined();
    });

    test('gives back none that is outdated, and keeps another in its place', async () => {
      await store.answers.keep('ann', 'k', answer);
      const later = new Date(Date.now() + HOUR).toISOString();
      expect(await store.answers.find('ann', 'k', later)).toBeUndefined();
      await store.answers.keep('ann', 'k', { ...answer, status: 409 });
      expect(await store.answers.find('ann', 'k', LONG_AGO)).toMatchObject({ status: 409 });
      expect(await store.answers.forget(LONG_AGO)).toBe(0);
      expect(await store.answers.forget(later)).toBe(1);
      expect(await store.answers.find('ann', 'k', LONG_AGO)).toBeUndefined();
    });

    test('lets one transaction at a time have a key', async () => {
      const claims: boolean[] = [];
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.transaction(async (store) => {
            const claimed = await store.answers.claim('ann', 'k');
            claims.push(claimed);
            if (!claimed || (await store.answers.find('ann', 'k', LONG_AGO))) return 'not done';
            await pause(20);
            await store.answers.keep('ann', 'k', answer);
            return 'done';
          }),
        ),
      );
      expect(answers.filter((what) => what === 'done')).toHaveLength(1);
      expect(claims[0]).toBe(true);
    });
  });

  describe('of trainings', () => {
    const trained = {
      columns: [],
      metrics: {
        ...{ r2: 1, rmse: 0, mae: 0, baseline_rmse: 1, baseline_mae: 1 },
        ...{ interval_level: 0.8, interval_coverage: 0.8, held_out_rows: 1 },
      },
      artifact: new Uint8Array([7, 0, 9]),
    };

    test('gives the oldest that nobody has, each to one instance', async () => {
      await begin('a');
      await begin('b');
      expect(await store.models.waitingTrainings()).toBe(2);
      const claims = await Promise.all(
        ['one', 'two', 'three', 'four'].map((name) => store.models.claimTraining(name, HOUR)),
      );
      const given = claims.filter((claim) => claim !== undefined);
      expect(given.map(({ model }) => model).sort()).toEqual(['a', 'b']);
      expect(given[0]).toMatchObject({ attempts: 1, version: 1 });
      expect([...(given[0]?.table ?? [])]).toEqual([...table.table]);
      expect(await store.models.waitingTrainings()).toBe(0);
    });

    test('gives one again whose lease has lapsed, as another attempt, and the first has lost it', async () => {
      const { versionId } = await begin('a');
      await store.models.claimTraining('one', LAPSED);
      expect(await store.models.renewClaim(versionId, 'one', LAPSED, 0.5)).toBe(true);
      expect(await store.models.find(project.id, 'a')).toMatchObject({ progress: 0.5 });
      expect(await store.models.claimTraining('two', HOUR)).toMatchObject({ attempts: 2 });
      expect(await store.models.find(project.id, 'a')).toMatchObject({ progress: 0 });
      expect(await store.models.renewClaim(versionId, 'one', HOUR)).toBe(false);
      expect(await store.models.finishTraining(versionId, 'one', trained)).toBe(false);
      expect(await store.models.failTraining(versionId, 'one', 'lost')).toBe(false);
      await store.models.releaseClaim(versionId, 'one');
      expect(await store.models.finishTraining(versionId, 'two', trained)).toBe(true);
      expect(await store.models.find(project.id, 'a')).toMatchObject({ status: 'ready' });
      expect([...((await store.models.artifact(versionId)) ?? [])]).toEqual([...trained.artifact]);
      expect(await store.models.claimTraining('three', HOUR)).toBeUndefined();
    });

    test('leaves one alone whose lease is renewed', async () => {
      const { versionId } = await begin('a');
      await store.models.claimTraining('one', LAPSED);
      await store.models.renewClaim(versionId, 'one', HOUR);
      expect(await store.models.claimTraining('two', HOUR)).toBeUndefined();
    });

    test('does not count an attempt that was given back', async () => {
      const { versionId } = await begin('a');
      await store.models.claimTraining('one', HOUR);
      await store.models.releaseClaim(versionId, 'one');
      expect(await store.models.claimTraining('two', HOUR)).toMatchObject({ attempts: 1 });
    });

    test('tells the instance that has one when it is deleted', async () => {
      const { versionId } = await begin('a');
      await store.models.claimTraining('one', HOUR);
      expect(await write((store) => store.models.remove(project.id, 'a'))).toEqual([versionId]);
      expect(await store.models.renewClaim(versionId, 'one', HOUR)).toBe(false);
      expect(await store.models.finishTraining(versionId, 'one', trained)).toBe(false);
    });

    test('takes one a model, and a hundred that wait', async () => {
      await begin('a');
      await expect(begin('a')).rejects.toThrow(new TrainingInProgressError(1));
      for (let owner = 0; owner < 33; owner++) {
        const { id } = await store.projects.create(`owner_${owner}`, 'shop');
        for (const name of ['a', 'b', 'c']) {
          await store.transaction((store) => store.models.beginTraining(id, name, table));
        }
      }
      await expect(begin('b')).rejects.toThrow(QueueFullError);
      await store.models.claimTraining('one', HOUR);
      await begin('b');
    });
  });
});

describe('the address of a store', () => {
  test.each([
    ['file:data/roster.db', 'file:data/roster.db'],
    [':memory:', ':memory:'],
    [
      'postgres://ann:secret@db.example:5433/roster?sslmode=require',
      'postgres://db.example:5433/roster',
    ],
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
    ['a password that is wrong', () => database.url.replace(':secret@', ':s3cret-wr0ng@')],
    ['a database that is not there', () => `${database.url}_nowhere`],
    ['a host that does not listen', () => 'postgres://ann:s3cret-wr0ng@127.0.0.1:1/roster'],
    ['a password that is not escaped', () => 'postgres://ann:12/s3cret-wr0ng@127.0.0.1/roster'],
  ])('with %s shows no password', async (_, url) => {
    const failure = await Store.open(url()).catch((error: unknown) => String(error));
    expect(failure).toMatch(/the store postgres:\/\/.* \(DATABASE_URL\) cannot be opened: ./);
    expect(failure).not.toMatch(/s3cret|secret/);
  });
});

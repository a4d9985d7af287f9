import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OWNER_SCOPES } from '../../contract/scopes.js';
import { type Outcome, runRoster } from '../../testkit/service/roster-command.js';
import { startServer } from '../../testkit/service/server-process.js';
import { Callers } from '../auth/callers.js';
import { createKey } from '../auth/secrets.js';
import { keepKey } from '../projects/keys.js';
import { listProjects, lockProjectRow, removeProject } from '../projects/projects.js';
import { DatabaseSync } from '../store/database/sqlite-connection.js';
import { Store } from '../store/index.js';
import { listKeys, revokeKey } from '../store/keys.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-keys-'));
  file = join(folder, 'roster.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const keys = (...args: string[]): Promise<Outcome> => runRoster(['keys', ...args], { DATABASE_URL: `file:${file}` });

/** Creates a key with the command, and returns it. */
async function create(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await keys('create', '--name', 'a key', ...args);
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

/** Creates a key as the command does, without a separate process. */
async function keep(owner = 'local'): Promise<string> {
  const { text, id, hash } = createKey();
  const key = { id, hash, name: 'a key', owner, scopes: OWNER_SCOPES, expires_at: null };
  await inStore((store) => keepKey(store, key));
  return text;
}

const idOf = (key: string) => key.split('_')[1] ?? '';

/** Reads the store that the commands wrote to. */
async function inStore<T>(look: (store: Store) => Promise<T>): Promise<T> {
  const store = await Store.open(`file:${file}`);
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

async function removeDefault(store: Store, owner: string): Promise<void> {
  const project = await lockProjectRow(store, owner, 'default');
  if (!project) throw new Error(`${owner} has no project to delete`);
  expect(await removeProject(store, project)).toBeUndefined();
}

const caller = (key: string) =>
  inStore(async (store) => new Callers(store, pino({ level: 'silent' })).authenticate(key));

describe('keys create', () => {
  test('prints the key alone, and its properties to standard error', async () => {
    const { stdout, stderr } = await keys('create', '--name', 'first');
    expect(stdout).toMatch(/^roster_\w{16}_\w{43}\n$/);
    expect(stderr).toContain('shown this once');
    expect(stderr).not.toContain(stdout.trim());
    expect(stderr).toContain('from now on every request needs one');
    const second = await keys('create', '--name', 'second');
    expect(second.stderr).not.toContain('from now on');
  });

  test('by default creates a key with full access to the local owner’s resources', async () => {
    const all = await create();
    const one = await create('--owner', 'sales', '--scope', 'predict,read,predict');
    expect(await caller(all)).toEqual({
      id: idOf(all),
      owner: 'local',
      scopes: ['read', 'write', 'predict', 'ask'],
      key: { id: idOf(all), name: 'a key' },
    });
    expect(await caller(one)).toMatchObject({ owner: 'sales', scopes: ['read', 'predict'] });
    const operator = await create('--scope', 'operate');
    expect(await caller(operator)).toMatchObject({ scopes: ['operate'] });
  });

  test('creates an empty project for a new owner, and no other for an owner who has one', async () => {
    await create('--owner', 'sales');
    await keep('sales');
    await keep();
    await inStore(async (store) => {
      expect(await listProjects(store, { owner: 'sales' }, {})).toMatchObject([{ name: 'default' }]);
      expect(await listProjects(store, { owner: 'local' }, {})).toMatchObject([{ name: 'default' }]);
    });
  });

  test('creates no project again after its deletion, nor for the local owner’s first key', async () => {
    await inStore((store) => store.transaction((store) => removeDefault(store, 'local')));
    await keep();
    await keep('sales');
    await inStore((store) => store.transaction((store) => removeDefault(store, 'sales')));
    await keep('sales');
    await inStore(async (store) => {
      for (const owner of ['local', 'sales']) expect(await listProjects(store, { owner }, {})).toEqual([]);
    });
  });

  test('keeps the expiry and the limits', async () => {
    await create('--expires', '2999-01-31', '--limit', 'rows=100000', '--limit', 'requests=60');
    const [key] = await inStore(listKeys);
    expect(key?.expires_at).toBe('2999-02-01T00:00:00.000Z');
    expect(key?.limits).toEqual({ requests: 60, rows: 100_000 });
    expect((await keys('list')).stdout).toContain(' requests=60,rows=100000 ');
  });

  test('makes a key for one project of the owner, which is there', async () => {
    const key = await create('--owner', 'sales', '--project', 'default');
    const [listed] = await inStore(listKeys);
    expect(listed?.project).toBe('default');
    expect(await caller(key)).toMatchObject({ owner: 'sales', projectId: listed?.project_id });
    const missing = await keys('create', '--name', 'x', '--owner', 'new', '--project', 'shop');
    expect([missing.code, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('the owner "new" has no project "shop"; create it first');
    const both = await keys('create', '--name', 'x', '--project', 'default', '--scope', 'operate');
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('is for all owners')]);
    await inStore(async (store) => {
      expect(await listKeys(store)).toHaveLength(1);
      expect(await listProjects(store, { owner: 'new' }, {})).toEqual([]);
    });
  });

  test.each([
    [['--scope', 'read,admin'], 'one or more of read,write,predict,ask,operate'],
    [['--expires', '0d'], 'It has already passed'],
    [['--limit', 'requests=0'], 'limit of requests must be a whole number from 1'],
    [['--limit', 'rows=1.5'], 'limit of rows must be a whole number from 1'],
    [['--limit', 'tokens'], 'one of requests (a minute), rows (a day), tokens (a day)'],
    [['--limit', 'rows=1', '--limit', 'rows=2'], 'limit of rows is named twice'],
    [['--name', ''], 'visible characters'],
    [['--owner', '\n'], 'visible characters'],
    [['--colour', 'red'], 'unknown option'],
    [['surplus'], 'too many arguments'],
  ])('refuses %o, and creates nothing', async (args, words) => {
    const { code, stdout, stderr } = await keys('create', '--name', 'a key', ...args);
    expect(stderr).toContain(words);
    expect([code, stdout]).toEqual([1, '']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refuses a store that no other process sees', async () => {
    const env = { DATABASE_URL: ':memory:' };
    const { code, stderr } = await runRoster(['keys', 'create', '--name', 'x'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no other process sees')]);
  });

  test('reports a faulty configuration in one line', async () => {
    const env = { DATABASE_URL: 'roster.db' };
    const { code, stderr } = await runRoster(['keys', 'create', '--name', 'x'], env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: DATABASE_URL must be .*\n$/)]);
  });
});

describe('keys list', () => {
  test('shows owners, scopes and expiries, and no secret', async () => {
    const [active, expired, revoked] = [await keep(), await keep(), await keep()];
    await inStore((store) => revokeKey(store, idOf(revoked)));
    const database = new DatabaseSync(file);
    database.exec(`update api_keys set expires_at = '2020-01-01T00:00:00.000Z',
      last_used_at = '2019-12-31T00:00:00.000Z' where id = '${idOf(expired)}'`);
    database.close();

    const { stdout } = await keys('list');
    const [head, ...lines] = stdout.trim().split('\n');
    expect(head).toMatch(/^ID +NAME +OWNER +SCOPES +PROJECT +LIMITS +MADE BY +CREATED +EXPIRES +LAST USED +STATE$/);
    expect(lines).toEqual([
      expect.stringMatching(`^${idOf(active)} .* read,write,predict,ask .* never  +never  +active$`),
      expect.stringMatching(`^${idOf(expired)} .* 2020-01-01T00:00:00Z  2019-.*Z  expired$`),
      expect.stringMatching(`^${idOf(revoked)} .* revoked$`),
    ]);
    const json: unknown = JSON.parse((await keys('list', '--json')).stdout);
    expect(json).toMatchObject([
      { id: idOf(active), name: 'a key', owner: 'local', expires_at: null, state: 'active' },
      { id: idOf(expired), state: 'expired' },
      { id: idOf(revoked), state: 'revoked' },
    ]);
    for (const key of [active, expired, revoked]) {
      expect(stdout + JSON.stringify(json)).not.toContain(key.split('_')[2]);
    }
    expect(JSON.stringify(json)).not.toContain('hash');
  });
});

describe('keys revoke', () => {
  test('revokes one key, and no other', async () => {
    const [one, other] = [await keep(), await keep()];
    expect(await keys('revoke', idOf(one))).toMatchObject({ code: 0 });
    expect(await caller(one)).toBeUndefined();
    expect(await caller(other)).toBeDefined();
  });

  test('of a key that was revoked before changes nothing, and says so', async () => {
    const id = idOf(await keep());
    await inStore((store) => revokeKey(store, id));
    const [before] = await inStore(listKeys);
    const { code, stdout } = await keys('revoke', id);
    expect([code, stdout]).toEqual([0, expect.stringContaining('was revoked before')]);
    expect(await inStore(listKeys)).toEqual([before]);
  });

  test('of an unknown id is an error', async () => {
    const { code, stderr } = await keys('revoke', 'nobody');
    expect([code, stderr]).toEqual([1, expect.stringContaining('no key with the id nobody')]);
  });
});

describe('the commands of keys', () => {
  test('work while the service runs', async () => {
    const server = await startServer({ databaseFile: file });
    try {
      const key = await create();
      expect(await caller(key)).toBeDefined();
      expect(await keys('revoke', idOf(key))).toMatchObject({ code: 0 });
    } finally {
      await server.stop();
    }
  });

  test('do not wait long for a database that accepts connections and never replies', async () => {
    let connections = 0;
    const silent = createServer(() => {
      connections += 1;
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const env = { DATABASE_URL: `postgres://ann:s3cret@127.0.0.1:${port}/roster` };
    const { code, stderr } = await runRoster(['keys', 'list'], env);
    silent.close();
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .* cannot be opened: .*\n$/)]);
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThanOrEqual(2);
  });

  test('wait for a store that is briefly locked', async () => {
    await keep();
    const lock = new DatabaseSync(file);
    lock.exec('begin immediate');
    const creating = create();
    await delay(1000);
    lock.exec('rollback');
    lock.close();
    expect(await caller(await creating)).toBeDefined();
  });
});

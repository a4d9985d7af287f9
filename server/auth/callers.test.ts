import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { assert, asyncProperty, constantFrom, integer, string, tuple } from 'fast-check';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OWNER_SCOPES } from '../../contract/scopes.js';
import { anyText } from '../../testkit/any-text.js';
import { DatabaseSync } from '../store/database/sqlite-connection.js';
import { Store } from '../store/index.js';
import type { ApiKey } from '../store/keys.js';
import { insertKey, listKeys, revokeKey } from '../store/keys.js';
import { Callers } from './callers.js';
import { createKey } from './secrets.js';

let folder: string;
let file: string;
let store: Store;
let logged: string[];
let log: Logger;
let callers: Callers;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  folder = mkdtempSync(join(tmpdir(), 'roster-callers-'));
  file = join(folder, 'roster.db');
  store = await Store.open(`file:${file}`);
  const lines: string[] = [];
  logged = lines;
  log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  callers = new Callers(store, log);
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Makes a key as the command does; the answer is what its holder presents. */
async function keep(fields: Partial<ApiKey> = {}): Promise<string> {
  const { text, id, hash } = createKey();
  await insertKey(store, {
    id,
    hash,
    name: fields.name ?? 'a key',
    owner: fields.owner ?? 'local',
    scopes: fields.scopes ?? OWNER_SCOPES,
    expires_at: fields.expires_at ?? null,
  });
  return text;
}

const idOf = (key: string) => key.split('_')[1] ?? '';
const seconds = (count: number) => vi.advanceTimersByTime(count * 1000);

describe('while no key was ever made', () => {
  test('everyone is the local caller, who may do everything', async () => {
    expect(await callers.authenticate(undefined)).toEqual({
      id: null,
      owner: 'local',
      scopes: ['read', 'write', 'predict', 'ask', 'operate'],
      key: null,
    });
  });

  test('a key that is presented all the same is refused', async () => {
    expect(await callers.authenticate(createKey().text)).toBeUndefined();
    expect(await callers.authenticate('')).toBeUndefined();
  });
});

describe('once a key exists', () => {
  test('nobody without one comes in, a second later at every instance', async () => {
    const before = new Callers(store, log);
    expect(await before.authenticate(undefined)).toBeDefined();
    await keep();
    expect(await callers.authenticate(undefined)).toBeUndefined();
    seconds(1);
    expect(await before.authenticate(undefined)).toBeUndefined();
  });

  test('it stays so when the last key has been revoked or has expired', async () => {
    await keep({ expires_at: new Date(Date.now() + 1000).toISOString() });
    const key = await keep();
    await revokeKey(store, idOf(key));
    seconds(2);
    expect(await callers.authenticate(undefined)).toBeUndefined();
    expect(await new Callers(store, log).authenticate(undefined)).toBeUndefined();
  });

  test('who comes without one costs the store nothing', async () => {
    await keep();
    await callers.authenticate(undefined);
    seconds(60);
    await store.close();
    expect(await callers.authenticate(undefined)).toBeUndefined();
  });

  test('its holder is known by its owner and its scopes', async () => {
    const key = await keep({ owner: 'sales', scopes: ['predict'] });
    expect(await callers.authenticate(key)).toEqual({
      id: idOf(key),
      owner: 'sales',
      scopes: ['predict'],
      key: { id: idOf(key), name: 'a key' },
    });
  });
});

describe('what is no key', () => {
  test('is refused, whatever it is', async () => {
    const key = await keep();
    const parts = constantFrom(...key, 'roster_', '_', ' ', '\n', '\0', idOf(key), key);
    const texts = anyText({ maxLength: 300 });
    const built = string({ unit: parts, maxLength: 80 }).filter((text) => text !== key);
    await assert(
      asyncProperty(tuple(texts, built), async ([any, similar]) => {
        expect(await callers.authenticate(any)).toBeUndefined();
        expect(await callers.authenticate(similar)).toBeUndefined();
      }),
    );
    expect(await callers.authenticate('\ud800'.repeat(1_000_000))).toBeUndefined();
    expect(await callers.authenticate(key)).toBeDefined();
  });

  test('is refused though it differs from a key in one character only', async () => {
    const key = await keep();
    const other = integer({ min: 0, max: key.length - 1 });
    await assert(
      asyncProperty(other, constantFrom(...'0aZ_- é\n'), async (at, character) => {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect((await callers.authenticate(changed)) !== undefined).toBe(changed === key);
        expect(await callers.authenticate(key.slice(0, at))).toBeUndefined();
        expect(await callers.authenticate(key + character)).toBeUndefined();
      }),
    );
  });

  test('is refused though its id is one key’s and its secret another’s', async () => {
    const one = await keep({ owner: 'one' });
    const other = await keep({ owner: 'other' });
    await callers.authenticate(one);
    await callers.authenticate(other);
    const mixed = other.replace(idOf(other), idOf(one));
    expect(await callers.authenticate(mixed)).toBeUndefined();
    expect(await callers.authenticate(mixed.replace(idOf(one), createKey().id))).toBeUndefined();
  });

  test('is not remembered: a key is good as soon as it is kept', async () => {
    await keep();
    const { text, id, hash } = createKey();
    expect(await callers.authenticate(text)).toBeUndefined();
    const fields = { name: 'late', owner: 'local', scopes: OWNER_SCOPES, expires_at: null };
    await insertKey(store, { id, hash, ...fields });
    expect(await callers.authenticate(text)).toMatchObject({ key: { id, name: 'late' } });
  });
});

describe('a key', () => {
  test('is refused a second after it was revoked, though it is in constant use', async () => {
    const key = await keep();
    expect(await callers.authenticate(key)).toBeDefined();
    await revokeKey(store, idOf(key));
    for (let tenth = 0; tenth < 10; tenth++) {
      await callers.authenticate(key);
      seconds(0.1);
    }
    expect(await callers.authenticate(key)).toBeUndefined();
  });

  test('is good until the moment of its expiry, and not from then on', async () => {
    const key = await keep({ expires_at: new Date(Date.now() + 500).toISOString() });
    seconds(0.499);
    expect(await callers.authenticate(key)).toBeDefined();
    seconds(0.001);
    expect(await callers.authenticate(key)).toBeUndefined();
  });

  test('stays good for a second while the store does not answer', async () => {
    const key = await keep();
    await callers.authenticate(key);
    await store.close();
    expect(await callers.authenticate(key)).toBeDefined();
    seconds(1);
    await expect(callers.authenticate(key)).rejects.toThrow();
  });

  test('is nowhere in the store, and in no line of the log', async () => {
    const key = await keep();
    await callers.authenticate(key);
    await turn();
    await store.close();
    seconds(60);
    const asked = Promise.resolve(callers.authenticate(key));
    await asked.catch((error) => log.error({ err: error }, 'no answer'));
    const secret = key.split('_')[2] ?? '';
    expect(readFileSync(file, 'latin1')).toContain(idOf(key));
    expect(readFileSync(file, 'latin1')).not.toContain(secret);
    expect(logged.join()).toContain('no answer');
    expect(logged.join()).not.toContain(secret);
  });
});

describe('a caller who was let in', () => {
  const letIn = async (key?: string) => {
    const caller = await callers.authenticate(key);
    if (!caller) throw new Error('The caller was refused');
    return caller;
  };

  test('is good half a second after the key was revoked no more', async () => {
    const caller = await letIn(await keep());
    expect(await callers.isValid(caller)).toBe(true);
    await revokeKey(store, `${caller.key?.id}`);
    seconds(0.5);
    expect(await callers.isValid(caller)).toBe(false);
  });

  test('is good until the key expires, which is known while the store does not answer', async () => {
    const expires_at = new Date(Date.now() + 10_000).toISOString();
    const caller = await letIn(await keep({ expires_at }));
    seconds(9.9);
    expect(await callers.isValid(caller)).toBe(true);
    await store.close();
    seconds(0.1);
    expect(await callers.isValid(caller)).toBe(false);
  });

  test('is neither good nor bad while the store does not answer', async () => {
    const caller = await letIn(await keep());
    await store.close();
    seconds(0.5);
    await expect(callers.isValid(caller)).rejects.toThrow();
  });

  test('without a key is good until there is one', async () => {
    const caller = await letIn();
    expect(await callers.isValid(caller)).toBe(true);
    await keep();
    seconds(1);
    expect(await callers.isValid(caller)).toBe(false);
  });
});

describe('the last use of a key', () => {
  const lastUse = async () => (await listKeys(store))[0]?.last_used_at;

  test('is noted, once a minute at most', async () => {
    const key = await keep();
    const first = new Date().toISOString();
    await callers.authenticate(key);
    await expect.poll(lastUse).toBe(first);

    seconds(59);
    await callers.authenticate(key);
    await turn();
    expect(await lastUse()).toBe(first);

    seconds(1);
    const later = new Date().toISOString();
    await callers.authenticate(key);
    await expect.poll(lastUse).toBe(later);
  });

  test('does not count where the key is refused', async () => {
    const key = await keep();
    await revokeKey(store, idOf(key));
    await callers.authenticate(key);
    await callers.authenticate(`${key.slice(0, -1)}-`);
    await turn();
    expect(await lastUse()).toBeNull();
  });

  test('is logged as not noted, and lets the request go on, while the store is locked', async () => {
    const key = await keep();
    const lock = new DatabaseSync(file);
    lock.exec('begin immediate');
    expect(await callers.authenticate(key)).toBeDefined();
    await expect.poll(() => logged.join()).toContain('is not noted');
    lock.exec('rollback');
    lock.close();
  });
});

describe('for what works without the store, while it does not answer', () => {
  let isAway: boolean;
  beforeEach(() => {
    isAway = false;
    const shaky = new Proxy(store, {
      get: (target, name) => {
        if (isAway && name === 'keyReads') throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
        return Reflect.get(target, name);
      },
    });
    callers = new Callers(shaky, log);
  });

  test('the last answer about a key holds for an hour, unless the key expires, and is for its secret alone', async () => {
    const [key, unused] = [await keep(), await keep()];
    const ending = await keep({ expires_at: new Date(Date.now() + 1_800_000).toISOString() });
    for (const known of [key, ending]) expect(await callers.authenticateFromMemory(known)).toBeDefined();
    isAway = true;
    seconds(1799);
    for (const known of [key, ending]) {
      expect(await callers.authenticateFromMemory(known)).toMatchObject({ key: { id: idOf(known) } });
    }
    const similar = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');
    for (const other of [unused, similar]) {
      await expect(callers.authenticateFromMemory(other)).rejects.toThrow('refused');
    }
    await expect(callers.authenticate(key)).rejects.toThrow('refused');
    seconds(1);
    await expect(callers.authenticateFromMemory(ending)).rejects.toThrow('refused');
    seconds(1800);
    await expect(callers.authenticateFromMemory(key)).rejects.toThrow('refused');
    isAway = false;
    expect(await callers.authenticateFromMemory(key)).toBeDefined();
  });

  test('nobody needs a key, for an hour after the store said that there is none', async () => {
    expect(await callers.authenticateFromMemory(undefined)).toMatchObject({ owner: 'local', key: null });
    isAway = true;
    seconds(3599);
    expect(await callers.authenticateFromMemory(undefined)).toMatchObject({ owner: 'local', key: null });
    seconds(1);
    await expect(callers.authenticateFromMemory(undefined)).rejects.toThrow('refused');
  });
});

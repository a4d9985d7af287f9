import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { testedStore } from '../../../contract-tests/tested-store.js';
import { forgetAll } from '../../../testkit/store/forget-all.js';
import type { OwnStore } from '../../../testkit/store/own-store.js';
import { testOfDay } from '../../../testkit/test-of-day.js';
import type { Caller } from '../../auth/caller.js';
import { ProblemError } from '../../problems/problem.js';
import { DAY_MS } from '../../store/clock-watch.js';
import { Store } from '../../store/index.js';
import { USAGE } from '../../store/key-usage.js';
import { insertKey } from '../../store/keys.js';
import { RateLimits } from './rate-limits.js';

describe('a limit that instances share', () => {
  let own: OwnStore;
  let store: Store;
  let keys = 0;
  beforeAll(async () => {
    own = await testedStore();
    store = await Store.open(await own.empty());
  });
  afterAll(async () => {
    await store.close();
    await own.remove();
  });

  async function makeCaller(rows: number): Promise<Caller> {
    keys += 1;
    const id = `key-${keys}`;
    const fields = { name: id, owner: 'shop', scopes: [], expires_at: null };
    await insertKey(store, { ...fields, id, hash: '', limits: { rows } });
    return { id, owner: 'shop', scopes: [], key: { id, name: id }, limits: { rows } };
  }

  /** Returns whether so many rows were granted. */
  async function spend(instance: RateLimits, caller: Caller, rows: number): Promise<boolean> {
    try {
      await instance.spend(caller, 'rows', rows);
      return true;
    } catch (error) {
      if (error instanceof ProblemError && error.type === '/problems/too-many-requests') return false;
      throw error;
    }
  }

  testOfDay('is never exceeded, and all of it can be had, whatever they do and whenever they restart', async () => {
    const step = record({
      instance: constantFrom(0, 1, 2),
      rows: integer({ min: 1, max: 40 }),
      atOnce: integer({ min: 1, max: 4 }),
      restarts: constantFrom(true, false, false, false),
    });
    await assert(
      asyncProperty(integer({ min: 1, max: 300 }), array(step), async (max, steps) => {
        const caller = await makeCaller(max);
        const start = () => new RateLimits(0, store);
        const instances = [start(), start(), start()];
        let used = 0;
        for (const { instance, rows, atOnce, restarts } of steps) {
          const limits = instances[instance] ?? start();
          const tried = Array.from({ length: atOnce }, () => spend(limits, caller, rows));
          used += rows * (await Promise.all(tried)).filter(Boolean).length;
          expect(used).toBeLessThanOrEqual(max);
          if (!restarts) continue;
          await limits.stop();
          instances[instance] = start();
        }
        for (const limits of instances) await limits.stop();
        const alone = start();
        expect(await spend(alone, caller, max - used + 1)).toBe(false);
        if (used < max) expect(await spend(alone, caller, max - used)).toBe(true);
        expect(await spend(alone, caller, 1)).toBe(false);
        expect(await alone.list(caller)).toMatchObject([{ name: 'rows', limit: max, left: 0 }]);
      }),
      { numRuns: own.isPostgres ? 15 : 60 },
    );
  });

  testOfDay('costs few writes, and none where nothing is left', async () => {
    const caller = await makeCaller(6000);
    const limits = new RateLimits(0, store);
    let waits = 0;
    for (let row = 0; row < 6000; row += 1) {
      const asked = limits.spend(caller, 'rows', 1);
      if (asked) waits += 1;
      await asked;
    }
    expect(waits).toBeLessThan(120);
    expect(await spend(limits, caller, 1)).toBe(false);
    const refused = Array.from({ length: 1000 }, () => spend(limits, caller, 1));
    expect(new Set(await Promise.all(refused))).toEqual(new Set([false]));
  });

  testOfDay('counts tokens of an identity together, and none beyond the largest limit', async () => {
    keys += 1;
    const identity = { subject: `user-${keys}`, until: 0, signedBy: '' };
    const [small, large] = [2, 40].map((rows): Caller => {
      const id = `oidc:${identity.subject}`;
      return { id, owner: 'shop', scopes: [], key: null, identity, limits: { rows } };
    });
    const limits = new RateLimits(0, store);
    let [used, refused] = [0, 0];
    const take = async (caller: Caller) => ((await spend(limits, caller, 1)) ? used++ : refused++);
    if (!small || !large) throw new Error('There are two.');
    for (let row = 0; row < 5; row += 1) await take(small);
    expect([used, refused]).toEqual([2, 3]);
    for (let row = 0; row < 60; row += 1) await take(row % 3 === 0 ? small : large);
    for (let row = 0; row < 40; row += 1) await take(large);
    expect(used).toBe(40);
  });

  testOfDay('is forgotten two days after its period, and not before', async () => {
    const [old, recent] = [await makeCaller(5), await makeCaller(5)];
    const instance = new RateLimits(0, store);
    for (const caller of [old, recent]) expect(await spend(instance, caller, 5)).toBe(true);
    await store.work
      .updateTable('key_usage')
      .set({ began: Date.now() - 2 * DAY_MS - 60_000 })
      .where('key_id', '=', old.key?.id ?? '')
      .execute();
    await forgetAll(store, USAGE, 2 * DAY_MS);
    const left = await store.reads.selectFrom('key_usage').select('key_id').execute();
    const ids = left.map(({ key_id }) => key_id);
    expect(ids).toContain(recent.key?.id);
    expect(ids).not.toContain(old.key?.id);
    expect(await spend(new RateLimits(0, store), recent, 1)).toBe(false);
  });

  testOfDay('counts what was had though it is more than was left, and then nothing more', async () => {
    const caller = await makeCaller(10);
    const limits = new RateLimits(0, store);
    await limits.settle(caller, 'rows', 25);
    expect(await spend(limits, caller, 0)).toBe(false);
    expect(await spend(new RateLimits(0, store), caller, 1)).toBe(false);
  });
});

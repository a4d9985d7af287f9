import { beforeEach, describe, expect, test } from 'vitest';
import { CircuitBreaker } from './postgres.js';
import { StoreBusyError } from './unavailable.js';

const SKILLS = 'select "id" from "skills" where "name" = $1';
const USES = 'select "id" from "agent_skills" inner join "skills" on true';

let breaker: CircuitBreaker;
beforeEach(() => {
  breaker = new CircuitBreaker();
});

const succeed = async () => 'rows';
const timeOut = () => Promise.reject(Object.assign(new Error('lock timeout'), { code: '55P03' }));
const ask = (sql: string, execute: () => Promise<string> = succeed) => breaker.run(sql, execute);

describe('once a read has waited for a lock in vain', () => {
  beforeEach(() => expect(ask(SKILLS, timeOut)).rejects.toThrow('lock timeout'));

  test('one read of the same tables tries again, and others are refused without being tried', async () => {
    let finish = (_: string) => {};
    const trial = ask(SKILLS.replace('id', 'type'), () => new Promise((done) => (finish = done)));
    await expect(ask(SKILLS)).rejects.toThrow(StoreBusyError);
    finish('rows');
    expect(await trial).toBe('rows');
  });

  test('all go on when one has succeeded', async () => {
    await expect(ask(SKILLS, timeOut)).rejects.toThrow('lock timeout');
    await ask(SKILLS);
    expect(await Promise.all([ask(SKILLS), ask(SKILLS)])).toEqual(['rows', 'rows']);
  });

  test.each([
    USES,
    'select "id" from "agents"',
    'update "skills" set "name" = $1',
    'select "id" from "skills" for update',
    'commit',
  ])('this goes on: %s', async (sql) => {
    const trial = ask(SKILLS, () => new Promise(() => {}));
    expect(await ask(sql)).toBe('rows');
    void trial;
  });
});

test('reads that fail together let one read try again, and not one each', async () => {
  const fail: (() => void)[] = [];
  const pending = () => new Promise<string>((_, reject) => fail.push(() => timeOut().catch(reject)));
  const together = [ask(SKILLS, pending), ask(SKILLS, pending)];
  fail[0]?.();
  await expect(together[0]).rejects.toThrow('lock timeout');
  const trial = ask(SKILLS, () => new Promise(() => {}));
  fail[1]?.();
  await expect(together[1]).rejects.toThrow('lock timeout');
  await expect(ask(SKILLS)).rejects.toThrow(StoreBusyError);
  void trial;
});

test.each([
  ['a lock of a row says nothing of the table', 'select "id" from "projects" for update', timeOut],
  ['a lock by name is not a table', 'select pg_advisory_xact_lock($1)', timeOut],
  ['other failures are not locks', SKILLS, () => Promise.reject(new Error('gone'))],
])('%s', async (_, sql, fail) => {
  await expect(ask(sql, fail)).rejects.toThrow();
  expect(await Promise.all([ask(sql), ask(sql), ask(SKILLS), ask(SKILLS)])).toHaveLength(4);
});

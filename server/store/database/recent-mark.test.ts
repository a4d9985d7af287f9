import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RecentMark } from './recent-mark.js';

let mark: RecentMark;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  mark = new RecentMark();
});
afterEach(() => vi.useRealTimers());

test('what was read holds for a second, and no longer', () => {
  const first = mark.read();
  vi.advanceTimersByTime(999);
  expect(mark.read()).toBe(first);
  vi.advanceTimersByTime(1);
  expect(mark.read()).not.toBe(first);
});

test.each([
  'update "models" set "serving_version" = $1',
  'delete from "projects" where "id" = $1',
  'insert into "records" ("model_id") values ($1)',
])('it does not outlive a change by this instance: %s', (statement) => {
  const note = mark.watch();
  const first = mark.read();
  note(statement);
  const second = mark.read();
  expect(second).not.toBe(first);
  // A value read before the commit is old with it.
  note('commit');
  const third = mark.read();
  expect(third).not.toBe(second);
  note('insert into "promises" ("id") values ($1)');
  note('commit');
  expect(mark.read()).toBe(third);
});

test.each(['select "id" from "models"', 'insert into "promises" ("id") values ($1)', 'commit'])(
  'it outlives what changes nothing of it: %s',
  (statement) => {
    const first = mark.read();
    mark.watch()(statement);
    expect(mark.read()).toBe(first);
  },
);

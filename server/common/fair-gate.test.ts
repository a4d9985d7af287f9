import { beforeEach, expect, test } from 'vitest';
import { FairGate, type GateLimits } from './fair-gate.js';

const FOREVER = new AbortController().signal;

class Busy extends Error {}

let gate: FairGate;
/** The names of the work that has begun, in order. */
let begun: string[];
const openGate = (limits: Partial<GateLimits> = {}) => {
  gate = new FairGate({ slots: 3, maxWaiting: 9, busy: () => new Busy(), ...limits });
};
beforeEach(() => {
  begun = [];
  openGate();
});

/** Begins work that lasts until it is ended. */
function hold(owner: string, name: string, signal = FOREVER) {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const done = gate.run(owner, signal, () => {
    begun.push(name);
    return held;
  });
  return { done, end };
}

/** Lets everything begin that may. */
const settle = () => new Promise(setImmediate);

test('one owner leaves a slot to the others, who take turns', async () => {
  const [first] = ['a1', 'a2', 'a3', 'a4'].map((name) => hold('ann', name));
  await settle();
  expect(begun).toEqual(['a1', 'a2']);
  const bob = hold('bob', 'b1');
  await settle();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  hold('bob', 'b2');
  hold('cleo', 'c1');
  first?.end();
  await settle();
  expect(begun.slice(3)).toEqual(['a3']);
  bob.end();
  await settle();
  expect(begun.slice(4)).toEqual(['b2']);
});

test('work that fails gives its slot back', async () => {
  openGate({ slots: 1 });
  await expect(gate.run('ann', FOREVER, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await gate.run('bob', FOREVER, async () => 'done')).toBe('done');
});

test('work whose signal aborts while it waits is not begun, and leaves its place in the queue', async () => {
  openGate({ slots: 1, maxWaiting: 1 });
  const first = hold('ann', 'a1');
  const gone = new AbortController();
  const second = hold('ann', 'a2', gone.signal);
  await expect(hold('ann', 'a3').done).rejects.toThrow(Busy);
  gone.abort(new Error('gone'));
  await expect(second.done).rejects.toThrow('gone');
  await expect(hold('ann', 'a4', gone.signal).done).rejects.toThrow('gone');
  hold('ann', 'a5');
  first.end();
  await settle();
  expect(begun).toEqual(['a1', 'a5']);
});

test('an owner with too much that waits is refused, and another is not', async () => {
  openGate({ slots: 1, maxWaiting: 1 });
  hold('ann', 'a1');
  hold('ann', 'a2');
  await expect(hold('ann', 'a3').done).rejects.toThrow(Busy);
  const other = new AbortController();
  const { done } = hold('bob', 'b1', other.signal);
  other.abort(new Error('waited'));
  await expect(done).rejects.toThrow('waited');
});

test('work that has waited too long is refused', async () => {
  openGate({ slots: 1, maxWaitMs: 1, busy: (waitedMs) => new Busy(`waited ${waitedMs} ms`) });
  const first = hold('ann', 'a1');
  await expect(hold('ann', 'a2').done).rejects.toThrow('waited 1 ms');
  first.end();
  await first.done;
  expect(begun).toEqual(['a1']);
});

test('with any number of slots and one for each owner, work of an owner runs in order', async () => {
  openGate({ slots: Number.POSITIVE_INFINITY, slotsPerOwner: 1 });
  const first = hold('ann', 'a1');
  const second = hold('ann', 'a2');
  hold('bob', 'b1');
  await settle();
  expect(begun).toEqual(['a1', 'b1']);
  expect(gate.length).toEqual({ running: 2, waiting: 1 });
  first.end();
  await settle();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  second.end();
});

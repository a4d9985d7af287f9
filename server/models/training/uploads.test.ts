import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unavailable } from '../../problems/problem.js';
import { MIN_RATE, Upload, UploadSlots } from './uploads.js';

const tooSlow = () => unavailable('too slow');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Yields bytes at a rate, in bytes per second. */
async function* sentAt(rate: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    yield new Uint8Array(rate / 2);
  }
}

/** An upload that is read in its slot until it is given up. */
class Reading {
  readonly upload: Upload;
  state: 'waiting' | 'read' | 'given up' = 'waiting';

  constructor(slots: UploadSlots, owner: string, rate: number, isTaken = true) {
    this.upload = new Upload(owner, sentAt(rate), tooSlow);
    const { signal } = this.upload;
    const work = async () => {
      this.state = 'read';
      if (isTaken) for await (const _ of this.upload) signal.throwIfAborted();
      else await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    slots.run(this.upload, work).catch((error: unknown) => {
      expect(error).toMatchObject({ detail: 'too slow' });
      this.state = 'given up';
    });
  }
}

const states = (readings: readonly Reading[]) => readings.map(({ state }) => state);

describe('slots for uploads', () => {
  test('are freed for another owner when two owners trickle in all of them', async () => {
    const slots = new UploadSlots(4, 2);
    const hostile = ['a', 'a', 'b', 'b', 'a', 'a', 'b', 'b'].map((owner) => new Reading(slots, owner, 10));
    await vi.advanceTimersByTimeAsync(0);
    expect(states(hostile).filter((state) => state === 'read').length).toBe(4);
    const other = new Reading(slots, 'c', 10 * MIN_RATE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(other.state).toBe('read');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(other.state).toBe('read');
  });

  test('are kept by slow senders while nobody waits', async () => {
    const slots = new UploadSlots(2, 1);
    const slow = ['a', 'b'].map((owner) => new Reading(slots, owner, 10));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states(slow)).toEqual(['read', 'read']);
  });

  test('are kept by fast senders, and by those who are read slowly', async () => {
    const slots = new UploadSlots(2, 2);
    const fast = new Reading(slots, 'a', 2 * MIN_RATE);
    const unread = new Reading(slots, 'a', 10, false);
    const other = new Reading(slots, 'b', 10);
    await vi.advanceTimersByTimeAsync(19_000);
    expect(states([fast, unread, other])).toEqual(['read', 'read', 'waiting']);
  });

  test('are freed for another owner by any number of owners who send just enough', async () => {
    const slots = new UploadSlots(4, 2);
    const owners = ['a', 'b', 'c', 'd', 'e'];
    for (const owner of [...owners, ...owners, ...owners]) {
      new Reading(slots, owner, 1.2 * MIN_RATE);
    }
    const other = new Reading(slots, 'z', 10 * MIN_RATE);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(other.state).toBe('read');
  });

  test('are kept by those who are read no faster than they send, however long others wait', async () => {
    const slots = new UploadSlots(1, 1);
    const unread = new Reading(slots, 'a', 10, false);
    const other = new Reading(slots, 'b', 10 * MIN_RATE);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(states([unread, other])).toEqual(['read', 'waiting']);
  });

  test('are not taken from others for an owner who waits for its own', async () => {
    const slots = new UploadSlots(3, 2);
    const own = [1, 2, 3].map(() => new Reading(slots, 'a', 10, false));
    const other = new Reading(slots, 'b', 2 * MIN_RATE);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states([...own, other])).toEqual(['read', 'read', 'waiting', 'read']);
  });

  test('are given up by the owner who waits for another', async () => {
    const slots = new UploadSlots(4, 1);
    const others = ['b', 'c'].map((owner) => new Reading(slots, owner, 1));
    const own = ['a', 'a'].map((owner) => new Reading(slots, owner, 10));
    await vi.advanceTimersByTimeAsync(9_000);
    expect(states(own)).toEqual(['given up', 'read']);
    expect(states(others)).toEqual(['read', 'read']);
  });

  test('go to the owners in turn', async () => {
    const slots = new UploadSlots(1, 1);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    for (const owner of ['a', 'a', 'a', 'b', 'c']) {
      void slots.run(new Upload(owner, sentAt(1), tooSlow), () => {
        begun.push(owner);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    }
    for (let ended = 0; ended < 5; ended++) {
      await vi.advanceTimersByTimeAsync(0);
      ends[ended]?.();
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a']);
  });
});

import * as v from 'valibot';
import type { Steps } from '../trees/steps.js';

/**
 * Writes and reads values as lines of JSON in UTF-8: a head, then the items of its long lists, an item a line. So
 * a model of megabytes can be read in steps.
 */

const LINE_FEED = 0x0a;

/** Collects items, list by list, and puts a head before them. */
export class ItemLineWriter {
  readonly #items: unknown[] = [];

  /** Returns the number of items, which stands for the list in the head. */
  add(items: readonly unknown[]): number {
    // One by one: as arguments, thousands of items could exceed the stack.
    for (const item of items) this.#items.push(item);
    return items.length;
  }

  /** Returns all lines: the head, then the items. */
  finish(head: unknown): Uint8Array {
    const lines = [head, ...this.#items].map((item) => `${JSON.stringify(item)}\n`);
    return new TextEncoder().encode(lines.join(''));
  }
}

/** Reads lines in the order in which they were written. */
export class ItemLineReader {
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads a line. @throws {Error} if there is none, or it is not JSON. */
  next(): unknown {
    const end = this.#bytes.indexOf(LINE_FEED, this.#at);
    if (end < 0) throw new Error('A line is missing or was cut.');
    const line = this.#decoder.decode(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return JSON.parse(line);
  }

  /** Reads a list, a step for each item. */
  *items<T>(count: number, schema: v.GenericSchema<unknown, T>): Steps<T[]> {
    const items: T[] = [];
    while (items.length < count) {
      items.push(v.parse(schema, this.next()));
      yield;
    }
    return items;
  }

  /** Ends the reading. @throws {Error} if bytes are left. */
  end(): void {
    if (this.#at < this.#bytes.length) throw new Error('There are more lines than the head says.');
  }
}

import { columnName } from '../../table/column-names.js';
import type { CellMemory } from '../cells/cell-memory.js';
import { MAX_ADDED_NAMES } from '../cells/cell-plan.js';

/** The entries for a key in the kernel's table of names, beside the index of a column. */
const ALIAS = 0x10000;
const UNKNOWN = 0x20000;

/** Longer keys are not added: their rows are read by JavaScript. */
const MAX_KEY_BYTES = 100;

/** The keys of one body that are not written as the model's names are. */
export class KeyTable {
  readonly #lent: CellMemory;
  readonly #addsUnknown: boolean;
  readonly #indexOf: ReadonlyMap<string, number>;
  /** The place of the next key. */
  #end: number;
  #added = 0;
  /** By name, its number in the kernel. */
  readonly #unknown = new Map<string, number>();

  /** @param addsUnknown whether unknown names are added, and so counted by the kernel */
  constructor(lent: CellMemory, addsUnknown: boolean) {
    this.#lent = lent;
    this.#addsUnknown = addsUnknown;
    this.#indexOf = new Map(lent.plan.columns.map((name, index) => [name, index]));
    this.#end = lent.memory.allocate(MAX_ADDED_NAMES * (MAX_KEY_BYTES + 8));
  }

  /** Adds a key, which stands at an address between its quotes, so that later rows with it are read by the kernel. */
  add(start: number, length: number): void {
    if (this.#added === MAX_ADDED_NAMES || length > MAX_KEY_BYTES) return;
    const { memory, plan } = this.#lent;
    const { bytes, kernel } = memory;
    const value = this.#valueOf(Buffer.from(bytes.buffer, start, length).toString());
    if (value === undefined) return;
    bytes.copyWithin(this.#end, start, start + length);
    kernel.addText(plan.names, plan.namesMask, this.#end, length, value);
    this.#end += length + 8;
    this.#added++;
  }

  /** The unknown names that the kernel counts, by their number there. */
  get unknown(): Iterable<[string, number]> {
    return this.#unknown;
  }

  #valueOf(json: string): number | undefined {
    const key = String(JSON.parse(`"${json}"`));
    const index = this.#indexOf.get(key);
    if (index !== undefined) return index;
    const meant = this.#indexOf.get(columnName(key));
    if (meant !== undefined) return ALIAS + meant;
    if (!this.#addsUnknown) return undefined;
    const number = this.#unknown.get(key) ?? this.#unknown.size;
    this.#unknown.set(key, number);
    return UNKNOWN + number;
  }
}

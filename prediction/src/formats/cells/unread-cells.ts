import type { OutlierCheck } from '../../serving/row-check.js';
import type { PlannedFeature } from './cell-plan.js';

/** The reading of a cell by JavaScript. */
export interface ReadCell {
  readonly bin: number;
  readonly isSuspect: boolean;
}

/** Cells of a feature that are remembered, as many rows may say the same. */
const MAX_KNOWN = 4096;

/** Reads the cells that the kernel leaves to JavaScript, with the encoder of their feature. */
export class UnreadCells {
  readonly #finders: readonly OutlierCheck[];
  readonly #known: (Map<string, ReadCell> | undefined)[] = [];

  constructor(finders: readonly OutlierCheck[]) {
    this.#finders = finders;
  }

  /**
   * @param key the kind of the cell and its bytes; undefined, if it is too long to be remembered
   * @param readValue returns the value of the cell
   */
  read(
    { encoder, finder }: PlannedFeature,
    index: number,
    key: string | undefined,
    readValue: () => unknown,
  ): ReadCell {
    if (key === undefined) return this.#look(encoder, finder, readValue());
    this.#known[index] ??= new Map();
    const known = this.#known[index];
    const found = known.get(key);
    if (found) return found;
    const read = this.#look(encoder, finder, readValue());
    if (known.size === MAX_KNOWN) known.clear();
    known.set(key, read);
    return read;
  }

  #look(encoder: PlannedFeature['encoder'], finder: number, value: unknown): ReadCell {
    const isSuspect = this.#finders[finder]?.isSuspect(value) ?? false;
    return { bin: encoder.bin(value), isSuspect };
  }
}

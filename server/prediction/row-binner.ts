import { createEncoder, type Encoder } from './encoder.js';
import { maskBin } from './masking.js';
import type { Model } from './model.js';
import { ownValue } from './row-object.js';
import { MOST_BINS } from './tree.js';

/** One input that the model splits on. */
interface Input {
  name: string;
  encoder: Encoder;
  /** By bin: 1 if it is unfamiliar. */
  isUnfamiliar: Uint8Array;
  /** What unfamiliar bins are read as. */
  mask: number;
}

export interface BinnedRows {
  /** Feature by feature, as many bins each as there are rows. */
  bins: Uint8Array;
  /** By row: 1 if it is partial. */
  isPartial: Uint8Array;
}

/** Reads rows as a model sees them. */
export class RowBinner {
  readonly #inputs: readonly Input[];

  constructor({ columns, features, partial_rows }: Model) {
    this.#inputs = features.map(({ column, part, cuts }, feature) => {
      const summary = columns[column];
      // A decoded model was checked for it, and a trained one has it by construction.
      if (summary === undefined) throw new RangeError(`The model has no column ${column}.`);
      const unfamiliarBins = partial_rows?.unfamiliar_bins[feature] ?? [];
      const isUnfamiliar = new Uint8Array(MOST_BINS);
      for (const bin of unfamiliarBins) isUnfamiliar[bin] = 1;
      const encoder = createEncoder(summary, cuts, part);
      return { name: summary.name, encoder, isUnfamiliar, mask: maskBin(unfamiliarBins) };
    });
  }

  bin(rows: readonly unknown[]): BinnedRows {
    const bins = new Uint8Array(this.#inputs.length * rows.length);
    const isPartial = new Uint8Array(rows.length);
    for (const [feature, { name, encoder, isUnfamiliar, mask }] of this.#inputs.entries()) {
      const offset = feature * rows.length;
      for (let index = 0; index < rows.length; index++) {
        const bin = encoder.bin(ownValue(rows[index], name));
        const unfamiliar = isUnfamiliar[bin] === 1;
        if (unfamiliar) isPartial[index] = 1;
        bins[offset + index] = unfamiliar ? mask : bin;
      }
    }
    return { bins, isPartial };
  }
}

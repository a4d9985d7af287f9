import type { EntryVector, TimeVector, Vector } from '../columns/vector.js';
import type { BinnedInput, BinnedRows, RowBinner, RowBlock } from '../serving/row-binner.js';
import type { RowObject } from '../table/cells.js';
import { MISSING_BIN } from '../trees/binning/bin-mapper.js';

/** Rows that came together, by column. */
export interface ColumnBatch {
  readonly length: number;
  /** The columns under the model's names. */
  readonly vectors: ReadonlyMap<string, Vector>;
}

/** Rows of a batch, which it bins without an object a row. */
export class ColumnBlock implements RowBlock {
  readonly #binner: RowBinner;

  /** @param start the first of the rows. */
  constructor(
    readonly batch: ColumnBatch,
    readonly start: number,
    readonly rowCount: number,
    binner: RowBinner,
  ) {
    this.#binner = binner;
  }

  bin({ bins, isPartial }: BinnedRows): void {
    const count = this.rowCount;
    isPartial.fill(0, 0, count);
    for (const [feature, input] of this.#binner.inputs.entries()) {
      const of = bins.subarray(feature * count, (feature + 1) * count);
      this.#binColumn(this.batch.vectors.get(input.cell.name), input, of);
      maskUnfamiliar(of, input, isPartial);
    }
  }

  row(index: number): RowObject {
    const at = this.start + index;
    const { vectors } = this.batch;
    // As the key of an assignment, this name would set the prototype.
    if (vectors.has('__proto__')) {
      return Object.fromEntries(Array.from(vectors, ([name, vector]) => [name, vector.value(at)]));
    }
    const values: Record<string, unknown> = {};
    for (const [name, vector] of vectors) values[name] = vector.value(at);
    return values;
  }

  #binColumn(vector: Vector | undefined, input: BinnedInput, bins: Uint8Array): void {
    const { encoder } = input;
    const { start } = this;
    if (vector === undefined || vector.kind === 'missing') {
      bins.fill(MISSING_BIN);
    } else if (vector.kind === 'number') {
      const { values } = vector;
      for (let row = 0; row < bins.length; row++) bins[row] = encoder.bin(values[start + row]);
    } else if (vector.kind === 'time') {
      this.#binTimes(vector, input, bins);
    } else {
      this.#binEntries(vector, input, bins);
    }
  }

  #binTimes(vector: TimeVector, { encoder }: BinnedInput, bins: Uint8Array): void {
    const { start } = this;
    const { binOfTime } = encoder;
    for (let row = 0; row < bins.length; row++) {
      bins[row] = binOfTime
        ? binOfTime(vector.values[start + row] ?? Number.NaN)
        : encoder.bin(vector.value(start + row));
    }
  }

  #binEntries(vector: EntryVector, input: BinnedInput, bins: Uint8Array): void {
    const { codes, entries } = vector;
    const { start } = this;
    const binOf = entries.findings(input);
    for (let row = 0; row < bins.length; row++) {
      const code = codes[start + row] ?? 0;
      let bin = binOf[code] ?? -1;
      if (bin < 0) {
        bin = input.encoder.bin(vector.value(start + row));
        if (code >= 0) binOf[code] = bin;
      }
      bins[row] = bin;
    }
  }
}

function maskUnfamiliar(
  bins: Uint8Array,
  { isUnseen, mask }: BinnedInput,
  isPartial: Uint8Array,
): void {
  for (let row = 0; row < bins.length; row++) {
    if (isUnseen[bins[row] ?? 0] !== 1) continue;
    bins[row] = mask;
    isPartial[row] = 1;
  }
}

import { type ModelBase, maskBin } from '../model/model.js';
import { Cell, type RowObject } from '../table/cells.js';
import { createEncoder, type Encoder } from '../trees/binning/bin-mapper.js';
import { ForestScorers, scorerMemory } from '../trees/forest/forest-scorer.js';
import { type Forest, MAX_BINS } from '../trees/forest/tree.js';
import type { Steps } from '../trees/steps.js';

/** One input that the model splits on. */
export interface BinnedInput {
  /** The index of its column in the model's. */
  readonly column: number;
  readonly cell: Cell;
  readonly encoder: Encoder;
  /** By bin: 1 if it is unfamiliar. */
  readonly isUnseen: Uint8Array;
  /** The bin that replaces unfamiliar bins. */
  readonly mask: number;
}

export interface BinnedRows {
  /** Feature by feature, as many bins each as there are rows. */
  readonly bins: Uint8Array;
  /** By row: 1 if it is partial. */
  readonly isPartial: Uint8Array;
}

/** The parts of a model that bin rows. */
export type BinnedModel = Pick<ModelBase, 'columns' | 'features' | 'partial_rows'>;

/** Reads rows as a model sees them. */
export class RowBinner {
  static *create({ columns, features, partial_rows }: BinnedModel): Steps<RowBinner> {
    const inputs: BinnedInput[] = [];
    for (const [feature, described] of features.entries()) {
      const { column } = described;
      const summary = columns[column];
      // A decoded model was checked for it, and a trained one has it by construction.
      if (summary === undefined) throw new RangeError(`The model has no column ${column}.`);
      const unfamiliarBins = partial_rows?.unfamiliar_bins[feature] ?? [];
      const isUnseen = new Uint8Array(MAX_BINS);
      for (const bin of unfamiliarBins) isUnseen[bin] = 1;
      const encoder = createEncoder(summary, described);
      const mask = maskBin(unfamiliarBins);
      inputs.push({ column, cell: new Cell(summary.name), encoder, isUnseen, mask });
      yield;
    }
    return new RowBinner(inputs);
  }

  /** @param inputs that the model splits on, by feature. */
  private constructor(readonly inputs: readonly BinnedInput[]) {}

  /** Room for at most so many binned rows. */
  room(most: number): BinnedRows {
    return { bins: new Uint8Array(this.inputs.length * most), isPartial: new Uint8Array(most) };
  }

  /** Bins rows that are objects under the model's names. */
  bin(rows: readonly RowObject[], { bins, isPartial }: BinnedRows): void {
    const count = rows.length;
    isPartial.fill(0, 0, count);
    for (const [index, row] of rows.entries()) {
      if (this.#binRow(row, bins, index, count)) isPartial[index] = 1;
    }
  }

  /** Bins a row; returns whether it is partial. */
  #binRow(row: RowObject, bins: Uint8Array, index: number, stride: number): boolean {
    let isPartial = false;
    let place = index;
    for (const { cell, encoder, isUnseen, mask } of this.inputs) {
      const bin = encoder.bin(cell.of(row));
      const unfamiliar = isUnseen[bin] === 1;
      bins[place] = unfamiliar ? mask : bin;
      if (unfamiliar) isPartial = true;
      place += stride;
    }
    return isPartial;
  }
}

/** Rows that are predicted together, in the form in which their format holds them. */
export interface RowBlock {
  /** At most `BlockPredictor.maxRows`. */
  readonly rowCount: number;
  /** Bins the rows as `RowBinner` does: `rowCount` bins for each feature. */
  bin(binned: BinnedRows): void;
  /** Returns a row as an object under the model's names. Costs an object; a writer that can, does without. */
  row(index: number): RowObject;
  /** Returns what reads the values of a column by the index of a row, as JSON would have them; null where there is none. */
  readColumn(name: string): (index: number) => unknown;
}

/** Rows as objects, under the model's names. */
export class ObjectBlock implements RowBlock {
  constructor(
    readonly rows: readonly RowObject[],
    private readonly binner: RowBinner,
  ) {}

  get rowCount(): number {
    return this.rows.length;
  }

  bin(binned: BinnedRows): void {
    this.binner.bin(this.rows, binned);
  }

  row(index: number): RowObject {
    return this.rows[index] ?? {};
  }

  readColumn(name: string): (index: number) => unknown {
    const cell = new Cell(name);
    return (index) => cell.of(this.row(index));
  }
}

/** The forests of a model, made ready for scoring, and those that correct their scores of partial rows. */
export class ModelScorers {
  /** @param memory where the forests are laid out. */
  static *create(
    forests: readonly Forest[],
    corrections: readonly Forest[] | undefined,
    memory = scorerMemory(),
  ): Steps<ModelScorers> {
    return new ModelScorers(
      yield* ForestScorers.create(forests, memory),
      corrections && (yield* ForestScorers.create(corrections, memory)),
    );
  }

  private constructor(
    readonly forests: ForestScorers,
    readonly corrections: ForestScorers | undefined,
  ) {}

  /** The bytes of memory that they take. */
  get bytes(): number {
    return this.forests.bytes + (this.corrections?.bytes ?? 0);
  }
}

const NO_ROWS = new Uint32Array();

/** Scores the rows of one answer, block by block. The next block overwrites what is known of one. */
export class BlockScorer {
  /** Forest by forest, as many scores each as the block has rows. */
  readonly scores: Float64Array;
  readonly binned: BinnedRows;
  /** The rows of the block that are ordinary, and those that are partial. */
  ordinary: Uint32Array = NO_ROWS;
  partial: Uint32Array = NO_ROWS;
  readonly #scorers: ModelScorers;
  readonly #indexes: Uint32Array;

  constructor(scorers: ModelScorers, binner: RowBinner, maxRows: number) {
    this.#scorers = scorers;
    this.binned = binner.room(maxRows);
    this.#indexes = new Uint32Array(maxRows);
    this.scores = new Float64Array(maxRows * scorers.forests.count);
  }

  isPartial(row: number): boolean {
    return this.binned.isPartial[row] === 1;
  }

  score(block: RowBlock): void {
    const count = block.rowCount;
    block.bin(this.binned);
    this.#sortByKind(count);
    const { forests, corrections } = this.#scorers;
    forests.write(this.scores, this.binned.bins, count);
    if (corrections && this.partial.length > 0) {
      corrections.add(this.scores, this.partial, this.binned.bins, count);
    }
  }

  #sortByKind(count: number): void {
    const indexes = this.#indexes;
    const { isPartial } = this.binned;
    let ordinaryCount = 0;
    let last = count;
    for (let index = 0; index < count; index++) {
      if (isPartial[index] === 1) indexes[--last] = index;
      else indexes[ordinaryCount++] = index;
    }
    // A view of memory costs more than to score a row.
    const isAll = ordinaryCount === indexes.length;
    this.ordinary = isAll ? indexes : indexes.subarray(0, ordinaryCount);
    this.partial = ordinaryCount === count ? NO_ROWS : indexes.subarray(ordinaryCount, count);
  }
}

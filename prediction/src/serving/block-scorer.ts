import { ForestScorers, scorerMemory } from '../trees/forest/forest-scorer.js';
import type { Forest } from '../trees/forest/tree.js';
import type { Steps } from '../trees/steps.js';
import type { BinnedRows, RowBinner, RowBlock } from './row-binner.js';

/** The forests of a model, made ready for scoring, and those that correct their scores of partial rows. */
export class ModelScorers {
  static *create(
    forests: readonly Forest[],
    corrections: readonly Forest[] | undefined,
  ): Steps<ModelScorers> {
    const memory = scorerMemory();
    return new ModelScorers(
      yield* ForestScorers.create(forests, memory),
      corrections && (yield* ForestScorers.create(corrections, memory)),
    );
  }

  private constructor(
    readonly forests: ForestScorers,
    readonly corrections: ForestScorers | undefined,
  ) {}
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

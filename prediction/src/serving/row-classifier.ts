import { SetChooser } from '../classes/prediction-sets.js';
import { ProbabilityEstimator, type Scores } from '../classes/probabilities.js';
import { ForestScorer, scorerMemory } from '../forest/forest-scorer.js';
import type { Forest } from '../forest/tree.js';
import type { ClassificationModel } from '../model/class-model.js';
import type { Steps } from '../steps.js';
import type { PredictedClasses } from './predicted-classes.js';
import type { RowBlock } from './row-binner.js';
import { type BinnedRows, RowBinner } from './row-binner.js';
import { sortByKind } from './row-predictor.js';

/** The choice of sets, by kind of row. */
export interface SetChoices {
  readonly ordinary: SetChooser;
  readonly partial: SetChooser;
}

/** Arrays that one answer after another block works in. */
export interface ClassWorkspace {
  readonly binned: BinnedRows;
  readonly indexes: Uint32Array;
  /** Forest by forest, as many scores each as the block has rows. */
  readonly scores: Float64Array;
}

/** Forests, made ready for scoring. */
class ForestScorers {
  readonly #bases: readonly number[];
  readonly #scorers: readonly ForestScorer[];

  /** @param memory where the forests are laid out. */
  static *create(
    forests: readonly Forest[],
    memory: ReturnType<typeof scorerMemory>,
  ): Steps<ForestScorers> {
    const scorers: ForestScorer[] = [];
    for (const { trees } of forests) scorers.push(yield* ForestScorer.create(trees, memory));
    return new ForestScorers(
      forests.map(({ base }) => base),
      scorers,
    );
  }

  private constructor(bases: readonly number[], scorers: readonly ForestScorer[]) {
    this.#bases = bases;
    this.#scorers = scorers;
  }

  get count(): number {
    return this.#scorers.length;
  }

  /** Writes the scores of all of `count` rows. */
  write(scores: Float64Array, bins: Uint8Array, count: number): void {
    for (const [index, scorer] of this.#scorers.entries()) {
      const sums = scores.subarray(index * count, (index + 1) * count);
      sums.fill(this.#bases[index] ?? 0);
      scorer.addToAll(sums, bins, count);
    }
  }

  /** Adds to the scores of some of `count` rows. */
  add(scores: Float64Array, rows: Uint32Array, bins: Uint8Array, count: number): void {
    for (const [index, scorer] of this.#scorers.entries()) {
      scorer.addTo(scores.subarray(index * count, (index + 1) * count), rows, bins, count);
    }
  }
}

/** The parts of a classifier for partial rows. */
interface PartialClassifier {
  readonly corrections: ForestScorers;
  readonly estimator: ProbabilityEstimator;
}

/** From rows to probabilities of classes. */
export class RowClassifier {
  readonly #model: ClassificationModel;
  readonly #binner: RowBinner;
  readonly #forests: ForestScorers;
  readonly #estimator: ProbabilityEstimator;
  readonly #partial: PartialClassifier | null;

  static *create(model: ClassificationModel): Steps<RowClassifier> {
    const { class_forests, partial_rows } = model;
    const memory = scorerMemory();
    return new RowClassifier(
      model,
      yield* RowBinner.create(model),
      yield* ForestScorers.create(class_forests, memory),
      partial_rows && {
        corrections: yield* ForestScorers.create(partial_rows.correction_forests, memory),
        estimator: new ProbabilityEstimator(partial_rows.probabilities),
      },
    );
  }

  private constructor(
    model: ClassificationModel,
    binner: RowBinner,
    forests: ForestScorers,
    partial: PartialClassifier | null,
  ) {
    this.#model = model;
    this.#binner = binner;
    this.#forests = forests;
    this.#estimator = new ProbabilityEstimator(model.probabilities);
    this.#partial = partial;
  }

  /** @throws {RangeError} if the confidence is not within 0.01 to 0.99. */
  setChoices(confidence: number): SetChoices {
    const { sets, partial_rows } = this.#model;
    const ordinary = new SetChooser(sets, confidence);
    return {
      ordinary,
      partial: partial_rows ? new SetChooser(partial_rows.sets, confidence) : ordinary,
    };
  }

  /** @param most the most rows that are predicted at once. */
  workspace(most: number): ClassWorkspace {
    return {
      binned: this.#binner.room(most),
      indexes: new Uint32Array(most),
      scores: new Float64Array(most * this.#forests.count),
    };
  }

  get binner(): RowBinner {
    return this.#binner;
  }

  /** Predicts the rows of a block. */
  predict(
    block: RowBlock,
    { binned, indexes, scores }: ClassWorkspace,
    { probabilities, isPartial, classCount }: PredictedClasses,
  ): void {
    const count = block.rowCount;
    block.bin(binned);
    isPartial.set(binned.isPartial.subarray(0, count));
    this.#forests.write(scores, binned.bins, count);
    const ordinaryCount = sortByKind(binned.isPartial, count, indexes);
    const ofBlock: Scores = { values: scores, stride: count };
    const write = (estimator: ProbabilityEstimator, some: Uint32Array) => {
      for (const row of some) estimator.write(probabilities, row * classCount, ofBlock, row);
    };
    write(this.#estimator, indexes.subarray(0, ordinaryCount));
    if (!this.#partial || ordinaryCount === count) return;
    const partial = indexes.subarray(ordinaryCount, count);
    this.#partial.corrections.add(scores, partial, binned.bins, count);
    write(this.#partial.estimator, partial);
  }
}

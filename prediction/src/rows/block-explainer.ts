import type { ModelBase } from '../model/model.js';
import { expectedScore, ForestExplainer, hasCovers } from '../trees/explaining/explainer.js';
import type { Forest } from '../trees/forest/tree.js';
import { finish } from '../trees/steps.js';
import type { BlockScorer } from './row-binner.js';

/** The most columns of a model that contributions are answered for: each row has a number for each. */
export const MAX_EXPLAINED_COLUMNS = 1000;

/** A forest, and the one that corrects its scores of partial rows. */
interface Explained {
  readonly forest: Forest;
  readonly correction: Forest | undefined;
}

interface Explainers {
  readonly ordinary: ForestExplainer;
  readonly correction: ForestExplainer | undefined;
}

/** Computes contributions to the scores of a model. Its forests are laid out when they are first asked for. */
export class ModelExplainer {
  /** The names of the columns that may contribute: those that the model uses, in their order. */
  readonly names: readonly string[];
  readonly #forests: readonly Explained[];
  readonly #playerOf: readonly number[];
  readonly #explainers: Explainers[] = [];
  /** By forest: the scores of ordinary and of partial rows of which nothing is known. */
  readonly #expected: readonly (readonly [ordinary: number, partial: number])[];

  /**
   * Returns the explainer of a model; undefined, if its trees were stored without the rows of their leaves.
   *
   * @param corrections for each forest, if the model has a part for partial rows.
   */
  static of(
    model: Pick<ModelBase, 'columns' | 'features'>,
    forests: readonly Forest[],
    corrections: readonly Forest[] | undefined,
  ): ModelExplainer | undefined {
    const all = [...forests, ...(corrections ?? [])];
    return all.every(({ trees }) => hasCovers(trees)) ? new ModelExplainer(model, forests, corrections) : undefined;
  }

  private constructor(
    { columns, features }: Pick<ModelBase, 'columns' | 'features'>,
    forests: readonly Forest[],
    corrections: readonly Forest[] | undefined,
  ) {
    const used = [...new Set(features.map(({ column }) => column))];
    this.names = used.map((column) => columns[column]?.name ?? '');
    this.#playerOf = features.map(({ column }) => used.indexOf(column));
    this.#forests = forests.map((forest, index) => ({ forest, correction: corrections?.[index] }));
    this.#expected = this.#forests.map(({ forest, correction }) => {
      const ordinary = expectedScore(forest);
      return [ordinary, ordinary + (correction ? expectedScore(correction) : 0)];
    });
  }

  /** Returns the score that a forest gives to a row of which nothing is known. */
  expected(forest: number, isPartial: boolean): number {
    return this.#expected[forest]?.[isPartial ? 1 : 0] ?? 0;
  }

  /** Adds the contributions to the scores of some rows of a block, row by row. */
  addTo(values: Float64Array, forest: number, rows: Uint32Array, isPartial: boolean, bins: Uint8Array, count: number) {
    const { ordinary, correction } = this.#explainersOf(forest);
    ordinary.addTo(values, this.names.length, rows, bins, count);
    if (isPartial) correction?.addTo(values, this.names.length, rows, bins, count);
  }

  #explainersOf(forest: number): Explainers {
    const known = this.#explainers[forest];
    if (known) return known;
    const explained = this.#forests[forest];
    if (!explained) throw new RangeError(`The model has no forest ${forest}.`);
    const create = (one: Forest) => finish(ForestExplainer.create(one, this.#playerOf));
    const explainers = {
      ordinary: create(explained.forest),
      correction: explained.correction && create(explained.correction),
    };
    this.#explainers[forest] = explainers;
    return explainers;
  }
}

/** Explains the scores of one answer's rows, block by block. */
export class BlockExplainer {
  /** Contributions to the score of a row, `length` for each row. */
  readonly values: Float64Array;
  /** By row: the score that it would have if nothing were known of it. */
  readonly bases: Float64Array;
  readonly length: number;

  constructor(
    private readonly model: ModelExplainer,
    maxRows: number,
  ) {
    this.length = model.names.length;
    this.values = new Float64Array(maxRows * this.length);
    this.bases = new Float64Array(maxRows);
  }

  /**
   * Explains the rows of a block that was scored.
   *
   * @param forestOf the forest whose score of a row is explained.
   */
  explain(scorer: BlockScorer, count: number, forestOf: (row: number) => number): void {
    this.values.fill(0, 0, count * this.length);
    this.#explain(scorer, count, scorer.ordinary, false, forestOf);
    this.#explain(scorer, count, scorer.partial, true, forestOf);
  }

  #explain(
    { binned }: BlockScorer,
    count: number,
    rows: Uint32Array,
    isPartial: boolean,
    forestOf: (row: number) => number,
  ): void {
    const byForest = new Map<number, number[]>();
    for (const row of rows) {
      const forest = forestOf(row);
      this.bases[row] = this.model.expected(forest, isPartial);
      const ofForest = byForest.get(forest);
      if (ofForest) ofForest.push(row);
      else byForest.set(forest, [row]);
    }
    for (const [forest, ofForest] of byForest) {
      this.model.addTo(this.values, forest, Uint32Array.from(ofForest), isPartial, binned.bins, count);
    }
  }
}

import { expectedScore, ForestExplainer, hasCovers, MAX_TABLE_BYTES } from '../trees/explaining/explainer.js';
import { scorerMemory } from '../trees/forest/forest-scorer.js';
import { PackedForest } from '../trees/forest/packed-forest.js';
import type { Forest } from '../trees/forest/tree.js';
import { finish, type Steps } from '../trees/steps.js';
import type { BlockScorer } from './row-binner.js';

/** A forest, and the one that corrects its scores of partial rows. */
interface Pair<T> {
  readonly ordinary: T;
  readonly correction: T | undefined;
}

/** The columns of a model, and the index of that of each feature. */
interface ExplainedModel {
  readonly columns: readonly { readonly name: string }[];
  readonly features: readonly { readonly column: number }[];
}

/** The models that were explained last in this process. Others lay out their forests anew when they are explained. */
const recent = new Set<ModelExplainer>();

/** The bytes that they may take together, unless it is one. */
const MAX_RECENT_BYTES = 128 * 1024 * 1024;

/**
 * Computes contributions to the scores of a model. Its forests are packed until they are first explained, as most models
 * never are; in each process, only the models that were explained last have them laid out.
 */
export class ModelExplainer {
  /** The names of the columns that may contribute: those that the model uses, in their order. */
  readonly names: readonly string[];
  /** The bytes that the packed forests take. */
  readonly bytes: number;
  readonly #forests: readonly Pair<PackedForest>[];
  readonly #playerOf: readonly number[];
  /** By forest: the scores of ordinary and of partial rows of which nothing is known. */
  readonly #expected: readonly (readonly [ordinary: number, partial: number])[];
  readonly #explainers = new Map<number, Pair<ForestExplainer>>();
  #memory: ReturnType<typeof scorerMemory>;

  /**
   * Returns the explainer of a model; undefined, if its trees were stored without the rows of their leaves.
   *
   * @param corrections for each forest, if the model has a part for partial rows.
   */
  static of(
    model: ExplainedModel,
    forests: readonly Forest[],
    corrections: readonly Forest[] | undefined,
  ): ModelExplainer | undefined {
    const all = [...forests, ...(corrections ?? [])];
    return all.every(({ trees }) => hasCovers(trees)) ? new ModelExplainer(model, forests, corrections) : undefined;
  }

  private constructor(
    { columns, features }: ExplainedModel,
    forests: readonly Forest[],
    corrections: readonly Forest[] | undefined,
  ) {
    const used = [...new Set(features.map(({ column }) => column))];
    const placeOf = new Map(used.map((column, place) => [column, place]));
    this.names = used.map((column) => columns[column]?.name ?? '');
    this.#playerOf = features.map(({ column }) => placeOf.get(column) ?? 0);
    const pairs = forests.map((ordinary, index) => ({ ordinary, correction: corrections?.[index] }));
    this.#expected = pairs.map(({ ordinary, correction }) => {
      const expected = expectedScore(ordinary);
      return [expected, expected + (correction ? expectedScore(correction) : 0)];
    });
    this.#forests = pairs.map(({ ordinary, correction }) => {
      return {
        ordinary: new PackedForest(ordinary.trees),
        correction: correction && new PackedForest(correction.trees),
      };
    });
    this.bytes = this.#forests.reduce((sum, { ordinary, correction }) => {
      return sum + ordinary.bytes + (correction?.bytes ?? 0);
    }, 0);
  }

  /** Returns the score that a forest gives to a row of which nothing is known. */
  expected(forest: number, isPartial: boolean): number {
    return this.#expected[forest]?.[isPartial ? 1 : 0] ?? 0;
  }

  /** Adds the contributions to the scores of some rows of a block, row by row. */
  addTo(values: Float64Array, forest: number, rows: Uint32Array, isPartial: boolean, bins: Uint8Array, count: number) {
    const { ordinary, correction } = finish(this.#layOut(forest));
    ordinary.addTo(values, this.names.length, rows, bins, count);
    if (isPartial) correction?.addTo(values, this.names.length, rows, bins, count);
    // Tables are laid out with the first rows.
    forgetOldest(this);
  }

  get forestCount(): number {
    return this.#forests.length;
  }

  /** True if all forests are laid out. */
  get isReady(): boolean {
    return this.#explainers.size === this.#forests.length;
  }

  /** Lays out the forests in steps. */
  *prepare(): Steps<void> {
    for (const forest of this.#forests.keys()) yield* this.#layOut(forest);
  }

  *#layOut(forest: number): Steps<Pair<ForestExplainer>> {
    recent.delete(this);
    recent.add(this);
    const known = this.#explainers.get(forest);
    if (known) return known;
    const packed = this.#forests[forest];
    if (!packed) throw new RangeError(`The model has no forest ${forest}.`);
    const maxBytes = MAX_TABLE_BYTES / this.#forests.length / (packed.correction ? 2 : 1);
    this.#memory ??= scorerMemory();
    const create = (one: PackedForest) => {
      return ForestExplainer.create([...one.trees()], this.#playerOf, this.#memory, maxBytes);
    };
    const ordinary = yield* create(packed.ordinary);
    const explainers = { ordinary, correction: packed.correction && (yield* create(packed.correction)) };
    this.#explainers.set(forest, explainers);
    return explainers;
  }

  /** About how many bytes it takes now, apart from the packed forests: those of the trees and tables that are laid out. */
  get laidOutBytes(): number {
    let bytes = this.#memory?.size ?? 0;
    for (const { ordinary, correction } of this.#explainers.values())
      bytes += ordinary.bytes + (correction?.bytes ?? 0);
    return bytes;
  }

  /** Frees what is laid out. */
  forget(): void {
    recent.delete(this);
    this.#explainers.clear();
    this.#memory = undefined;
  }
}

/** Frees what is laid out of the models that were explained longest ago, if all take too much. */
function forgetOldest(latest: ModelExplainer): void {
  let bytes = 0;
  for (const explainer of recent) bytes += explainer.laidOutBytes;
  for (const oldest of recent) {
    if (bytes <= MAX_RECENT_BYTES || oldest === latest) return;
    bytes -= oldest.laidOutBytes;
    oldest.forget();
  }
}

/** The explanation of a prediction: the base, and the contribution of each column. */
export interface Explanation {
  readonly base: number;
  /** In the order of the model's columns. */
  readonly columns: readonly { readonly name: string; readonly value: number }[];
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

  /** Names the numbers of a row. @param contributions those of its columns. */
  describe(base: number, contributions: Float64Array): Explanation {
    const columns = this.model.names.map((name, index) => ({ name, value: contributions[index] ?? 0 }));
    return { base, columns };
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
    if (this.model.forestCount === 1) {
      const base = this.model.expected(0, isPartial);
      for (const row of rows) this.bases[row] = base;
      if (rows.length > 0) this.model.addTo(this.values, 0, rows, isPartial, binned.bins, count);
      return;
    }
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

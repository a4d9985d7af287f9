import { KernelMemory } from '../../kernel/kernel-memory.js';
import type { Steps } from '../steps.js';
import { JsScorer } from './js-scorer.js';
import { type MaskTables, writeMaskTables } from './mask-tables.js';
import type { Forest, Tree } from './tree.js';

/** Scores rows with the kernel, or without it in a process that cannot load it. Both give the same bits. */
export type ForestScorer = WasmScorer | JsScorer;

/** Lays out a forest in steps; without the kernel, in one. @param memory undefined, where the kernel cannot be had. */
export function* createScorer(trees: readonly Tree[], memory = scorerMemory()): Steps<ForestScorer> {
  if (memory === undefined) return new JsScorer(trees);
  try {
    return yield* WasmScorer.create(trees, memory);
  } catch {
    return new JsScorer(trees);
  }
}

/** Forests that are scored together, each with its base. */
export class ForestScorers {
  /** @param memory where the forests are laid out. */
  static *create(forests: readonly Forest[], memory = scorerMemory()): Steps<ForestScorers> {
    const scorers: ForestScorer[] = [];
    for (const { trees } of forests) scorers.push(yield* createScorer(trees, memory));
    return new ForestScorers(
      forests.map(({ base }) => base),
      scorers,
    );
  }

  private constructor(
    private readonly bases: readonly number[],
    private readonly scorers: readonly ForestScorer[],
  ) {}

  get count(): number {
    return this.scorers.length;
  }

  /** The bytes of memory that the forests take. */
  get bytes(): number {
    return this.scorers.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Writes the scores of the rows 0 to count − 1, forest by forest. */
  write(scores: Float64Array, bins: Uint8Array, count: number): void {
    for (let index = 0; index < this.scorers.length; index++) {
      const sums = viewSums(scores, index, count);
      sums.fill(this.bases[index] ?? 0, 0, count);
      this.scorers[index]?.addToAll(sums, bins, count);
    }
  }

  /** Adds to the scores of some of `count` rows. */
  add(scores: Float64Array, rows: Uint32Array, bins: Uint8Array, count: number): void {
    for (let index = 0; index < this.scorers.length; index++) {
      const sums = viewSums(scores, index, count);
      const base = this.bases[index] ?? 0;
      if (base !== 0) for (const row of rows) sums[row] = (sums[row] ?? 0) + base;
      this.scorers[index]?.addTo(sums, rows, bins, count);
    }
  }
}

/** The sums of a forest; for the first, no view, which costs more than to score a row. */
function viewSums(scores: Float64Array, forest: number, count: number): Float64Array {
  return forest === 0 ? scores : scores.subarray(forest * count, (forest + 1) * count);
}

/**
 * Returns memory that several forests may be laid out in: a process has addresses for a few hundred memories,
 * and a classifier has up to two hundred forests. Undefined, if there is none.
 */
export function scorerMemory(): KernelMemory | undefined {
  try {
    return new KernelMemory();
  } catch {
    return undefined;
  }
}

/** The number of rows scored together: their bins and sums fit into the L1 cache. */
const BLOCK = 256;

/** Scores rows with the mask tables of a forest. */
export class WasmScorer {
  readonly #memory: KernelMemory;
  readonly #groups: number;
  readonly #groupCount: number;
  /** The features that the forest splits on. */
  readonly #features: readonly number[];
  /** Addresses of the bins of a block of rows, by feature, and of its sums. */
  readonly #bins: number;
  readonly #sums: number;
  /** See `JsScorer.bytes`. */
  readonly bytes: number;

  /**
   * Lays out a forest in steps.
   *
   * @param memory contains the mask tables; forests may share one
   * @throws {RangeError} as `KernelMemory.allocate`.
   */
  static *create(trees: readonly Tree[], memory: KernelMemory): Steps<WasmScorer> {
    const start = memory.end;
    return new WasmScorer(yield* writeMaskTables(memory, trees), memory, start);
  }

  private constructor({ groups, groupCount, features }: MaskTables, memory: KernelMemory, start: number) {
    this.#memory = memory;
    this.#groups = groups;
    this.#groupCount = groupCount;
    this.#features = features;
    this.#bins = memory.allocate(BLOCK * features.length);
    this.#sums = memory.allocate(8 * BLOCK);
    this.bytes = memory.end - start;
  }

  /** See `JsScorer.addTo`. */
  addTo(sums: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const ofBlock = this.#views();
    for (let start = 0; start < rows.length; start += BLOCK) {
      const block = rows.subarray(start, start + BLOCK);
      for (const [slot, feature] of this.#features.entries()) {
        gather(ofBlock.bins, slot * block.length, bins, feature * stride, block);
      }
      for (let index = 0; index < block.length; index++) {
        ofBlock.sums[index] = sums[block[index] ?? 0] ?? 0;
      }
      this.#addTrees(block.length);
      for (let index = 0; index < block.length; index++) {
        sums[block[index] ?? 0] = ofBlock.sums[index] ?? 0;
      }
    }
  }

  /** See `JsScorer.addToAll`. */
  addToAll(sums: Float64Array, bins: Uint8Array, count: number): void {
    if (count === 1) {
      this.#addToOne(sums, bins);
      return;
    }
    const ofBlock = this.#views();
    for (let start = 0; start < count; start += BLOCK) {
      const length = Math.min(BLOCK, count - start);
      for (const [slot, feature] of this.#features.entries()) {
        const first = feature * count + start;
        ofBlock.bins.set(bins.subarray(first, first + length), slot * length);
      }
      ofBlock.sums.set(sums.subarray(start, start + length));
      this.#addTrees(length);
      sums.set(ofBlock.sums.subarray(0, length), start);
    }
  }

  /** Adds to the sum of a single row, for which making views would take longer than scoring. */
  #addToOne(sums: Float64Array, bins: Uint8Array): void {
    const { bytes, doubles } = this.#memory;
    const features = this.#features;
    for (let slot = 0; slot < features.length; slot++) {
      bytes[this.#bins + slot] = bins[features[slot] ?? 0] ?? 0;
    }
    doubles[this.#sums / 8] = sums[0] ?? 0;
    this.#addTrees(1);
    sums[0] = doubles[this.#sums / 8] ?? 0;
  }

  /** Made anew for each call: a forest that was laid out after this one may have moved the memory. */
  #views() {
    const { bytes, doubles } = this.#memory;
    return {
      bins: bytes.subarray(this.#bins, this.#bins + BLOCK * this.#features.length),
      sums: doubles.subarray(this.#sums / 8, this.#sums / 8 + BLOCK),
    };
  }

  #addTrees(rowCount: number): void {
    const { kernel } = this.#memory;
    kernel.addForest(this.#groups, this.#groupCount, this.#bins, this.#sums, rowCount);
  }
}

function gather(
  target: Uint8Array,
  targetOffset: number,
  source: Uint8Array,
  sourceOffset: number,
  rows: Uint32Array,
): void {
  for (let index = 0; index < rows.length; index++) {
    target[targetOffset + index] = source[sourceOffset + (rows[index] ?? 0)] ?? 0;
  }
}

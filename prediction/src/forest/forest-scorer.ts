import { KernelMemory } from '../kernel/kernel-memory.js';
import { finish, type Steps } from '../steps.js';
import { JsScorer } from './js-scorer.js';
import type { Tree } from './tree.js';
import { WasmScorer } from './wasm-scorer.js';

/**
 * Scores rows with the kernel, or without it in a process that cannot load it. Both give the same
 * bits.
 */
export class ForestScorer {
  readonly #scorer: WasmScorer | JsScorer;

  private constructor(scorer: WasmScorer | JsScorer) {
    this.#scorer = scorer;
  }

  /** @param memory where the forest is laid out; undefined, where the kernel cannot be had. */
  static of(trees: readonly Tree[], memory = scorerMemory()): ForestScorer {
    return finish(ForestScorer.create(trees, memory));
  }

  /** Returns the same in steps; without the kernel, in one. */
  static *create(trees: readonly Tree[], memory = scorerMemory()): Steps<ForestScorer> {
    return new ForestScorer(yield* createScorer(trees, memory));
  }

  /**
   * Adds the trees' values to the sums of the given rows.
   *
   * @param bins feature by feature, `stride` bins each: the bin of a row is at
   *   feature × stride + row.
   */
  addTo(sums: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    this.#scorer.addTo(sums, rows, bins, stride);
  }

  /**
   * Adds the trees' values to the sums of the rows 0 to count − 1.
   *
   * @param bins feature by feature, `count` bins each.
   */
  addToAll(sums: Float64Array, bins: Uint8Array, count: number): void {
    this.#scorer.addToAll(sums, bins, count);
  }
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

function* createScorer(
  trees: readonly Tree[],
  memory: KernelMemory | undefined,
): Steps<WasmScorer | JsScorer> {
  if (memory === undefined) return new JsScorer(trees);
  try {
    return yield* WasmScorer.create(trees, memory);
  } catch {
    return new JsScorer(trees);
  }
}

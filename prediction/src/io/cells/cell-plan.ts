import { KernelMemory } from '../../kernel/kernel-memory.js';
import { readsPoints } from '../../rows/answer-layout.js';
import type { RowColumns } from '../../rows/blocks.js';
import { type OutlierCheck, usualRange } from '../../rows/outlier-checks.js';
import type { BinnedInput } from '../../rows/row-binner.js';

import type { ColumnSummary } from '../../table/column-profile.js';
import type { CutGrid } from '../../trees/binning/bin-mapper.js';
import { layWords } from './word-list.js';

/** Bytes of the parts of a plan: see `kernel/assembly/cells/plan.ts`. */
const HEADER = 24;
const FEATURE = 96;
const SLOT = 16;

/** Names beside the model's that a body may add to the table. */
export const MAX_ADDED_NAMES = 256;

const KIND = { number: 0, category: 1, date: 2 } as const;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A feature of the model, as cells are binned for it. */
export interface PlannedFeature extends BinnedInput {
  /** The index of the finder of suspect values, which the first feature of a column has; else −1. */
  readonly finder: number;
  /** The same for the finder of unreadable values. */
  readonly unreadable: number;
}

/** The memory where plans are laid out first: all zero. A process has addresses for a few hundred memories only. */
let drafts: KernelMemory | undefined;

const plans = new WeakMap<object, CellPlan>();

/**
 * The facts of a model that the kernel needs to read its rows, laid out as it is in the kernel's memory, so
 * that it can be put into any one.
 */
export class CellPlan {
  /** The names of the columns of a row's cells: see `AnswerLayout.sent`. */
  readonly columns: readonly string[];
  readonly features: readonly PlannedFeature[];
  readonly finders: readonly OutlierCheck[];
  /** Finders, by index, whose column no feature bins, and its index: a forecaster has no features. */
  readonly unbinned: readonly { readonly finder: number; readonly column: number }[];
  /** The place of the image, and the place where the kernel finds the plan. */
  readonly start: number;
  readonly image: Uint8Array;
  /** The beginning of the image that bodies change. */
  readonly changingBytes: number;
  /** The table of names. */
  readonly names: number;
  readonly namesMask: number;
  /** The address of the first feature. */
  readonly #featuresAt: number;

  /**
   * Returns the plan of a model. It is made once.
   *
   * @throws {Error} if this process has no WebAssembly, or no address space for another memory.
   */
  static of(blocks: RowColumns): CellPlan {
    const known = plans.get(blocks.names);
    if (known) return known;
    const plan = new CellPlan(blocks);
    plans.set(blocks.names, plan);
    return plan;
  }

  private constructor({ columns, layout, binner, check }: RowColumns) {
    this.columns = layout.sent;
    this.finders = check().finders;
    const finderOf = new Map<string, number>();
    const unreadableOf = new Map<string, number>();
    for (const [index, { cell, kind }] of this.finders.entries()) {
      (kind === 'unreadable' ? unreadableOf : finderOf).set(cell.name, index);
    }
    this.features = binner.inputs.map((input) => {
      const { name } = input.cell;
      const finder = finderOf.get(name) ?? -1;
      const unreadable = unreadableOf.get(name) ?? -1;
      // The other features of a column are of the same value.
      finderOf.delete(name);
      unreadableOf.delete(name);
      return { ...input, finder, unreadable };
    });
    this.unbinned = Array.from([...finderOf, ...unreadableOf], ([name, finder]) => ({
      finder,
      column: this.columns.indexOf(name),
    }));

    drafts ??= new KernelMemory();
    const memory = drafts;
    const slots = slotsFor(this.columns.length + MAX_ADDED_NAMES);
    this.start = memory.allocate(HEADER);
    this.#featuresAt = memory.allocate(FEATURE * this.features.length);
    this.names = memory.allocate(SLOT * slots);
    this.namesMask = slots - 1;
    const changingEnd = memory.allocate(0);
    this.changingBytes = changingEnd - this.start;
    const header = [this.columns.length, columns.length, this.features.length];
    memory.words.set([...header, this.#featuresAt, this.names, this.namesMask], this.start / 4);
    for (const [index, name] of this.columns.entries()) {
      layText(memory, this, keyBytes(name), index);
    }
    for (const [index, feature] of this.features.entries()) {
      const summary = columns[feature.column];
      if (summary) layFeature(memory, this.#featuresAt + FEATURE * index, feature, summary);
    }
    const end = memory.allocate(0);
    this.image = memory.bytes.slice(this.start, end);
    memory.bytes.fill(0, this.start, end);
    memory.free(this.start);
  }

  /** The number of suspect values that the kernel found for a feature. */
  countSuspects({ words }: KernelMemory, feature: number): number {
    return words[(this.#featuresAt + FEATURE * feature) / 4 + 6] ?? 0;
  }
}

/** The bytes of a key of JSON between its quotes, as it is usually written. */
function keyBytes(name: string): Uint8Array {
  return Buffer.from(JSON.stringify(name).slice(1, -1));
}

function layFeature(
  memory: KernelMemory,
  at: number,
  { column, encoder, isUnseen, mask, finder }: PlannedFeature,
  summary: ColumnSummary,
): void {
  const isCategory = summary.kind === 'category';
  const [data, size] = isCategory ? layCategories(memory, encoder) : layGrid(memory, at, encoder.grid);
  const wordsAt = layWords(memory, summary.missing_words);
  const { words, doubles, bytes } = memory;
  words.set([column, KIND[summary.kind], data, size, encoder.binOfOthers, mask], at / 4);
  words[at / 4 + 23] = wordsAt;
  words[at / 4 + 7] = Number(isCategory ? finder >= 0 : !readsPoints(summary.reading));
  const { least, most } = usualRange(summary);
  doubles.set(finder >= 0 ? [least, most] : [-Infinity, Infinity], at / 8 + 4);
  for (const [bin, unfamiliar] of isUnseen.entries()) {
    const place = at + 48 + (bin >> 3);
    if (unfamiliar === 1) bytes[place] = (bytes[place] ?? 0) | (1 << (bin & 7));
  }
}

/** Returns the address of the cuts, and that of the numbers of cuts before each field of their grid. */
function layGrid(memory: KernelMemory, at: number, grid: CutGrid | null): [number, number] {
  // JavaScript bins the parts of dates.
  if (grid === null) return [0, 0];
  const { cuts, cutsBefore, fieldsInUnit } = grid;
  const data = memory.allocate(8 * Math.max(cuts.length, 1));
  const before = memory.allocate(2 * cutsBefore.length);
  memory.doubles.set(cuts, data / 8);
  memory.bytes.set(new Uint8Array(cutsBefore.buffer), before);
  memory.doubles[at / 8 + 10] = fieldsInUnit;
  memory.words[at / 4 + 22] = cutsBefore.length - 2;
  return [data, before];
}

/** Returns the address and the mask of the table of a column's categories. */
function layCategories(memory: KernelMemory, encoder: BinnedInput['encoder']): [number, number] {
  const { texts } = encoder;
  const slots = slotsFor(texts.length);
  const names = memory.allocate(SLOT * slots);
  const table = { names, namesMask: slots - 1 };
  for (const category of texts) {
    // A lone surrogate has no UTF-8: such a cell has an escape, and is not looked up here.
    if (LONE_SURROGATE.test(category)) continue;
    layText(memory, table, Buffer.from(category), encoder.bin(category));
  }
  return [names, slots - 1];
}

/** A power of two of slots, at least half of which stay free. */
function slotsFor(texts: number): number {
  return 2 ** Math.ceil(Math.log2(2 * texts + 2));
}

/** Adds a text to a table, and its bytes to the memory. */
function layText(
  memory: KernelMemory,
  { names, namesMask }: Pick<CellPlan, 'names' | 'namesMask'>,
  text: Uint8Array,
  value: number,
): void {
  const at = memory.allocate(text.length + 8);
  memory.bytes.set(text, at);
  memory.kernel.addText(names, namesMask, at, text.length, value);
}

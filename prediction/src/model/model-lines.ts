import * as v from 'valibot';
import type { ColumnSummary } from '../table/column-profile.js';
import type { ModelFeature } from '../trees/binning/dataset.js';
import type { Forest, Tree } from '../trees/forest/tree.js';
import type { Steps } from '../trees/steps.js';
import { columnSchema, featureSchema, type forestHeadSchema, treeSchema } from './schemas.js';

/**
 * Models as lines of JSON in UTF-8: a head, then the items of its long lists, an item a line: columns, features and
 * trees. So a model of megabytes can be read in steps.
 */

const LINE_FEED = 0x0a;

/** A forest in the head of an encoded model. */
type ForestHead = v.InferOutput<typeof forestHeadSchema>;

/** Collects items, list by list, and puts a head before them. In the head stands the number of a list's items. */
export class ModelLineWriter {
  readonly #lines: string[] = [];

  inputs(model: { columns: readonly ColumnSummary[]; features: readonly ModelFeature[] }) {
    return { columns: this.items(model.columns), features: this.items(model.features) };
  }

  forest({ base, trees }: Forest): ForestHead {
    return { base, trees: this.items(trees) };
  }

  /** Returns all lines: the head, then the items. */
  finish(head: unknown): Uint8Array {
    const lines = [JSON.stringify(head), ...this.#lines, ''];
    return new TextEncoder().encode(lines.join('\n'));
  }

  /** Adds a list; returns the number of its items. */
  items(items: Iterable<unknown>): number {
    const before = this.#lines.length;
    for (const item of items) this.#lines.push(JSON.stringify(item));
    return this.#lines.length - before;
  }
}

/** Lets columns with the same words share one list. */
function shareWords(columns: readonly ColumnSummary[]): ColumnSummary[] {
  const lists = new Map<string, readonly string[]>();
  return columns.map((column) => {
    const { missing_words } = column;
    if (missing_words === undefined) return column;
    const key = JSON.stringify(missing_words);
    const list = lists.get(key) ?? missing_words;
    lists.set(key, list);
    return { ...column, missing_words: list };
  });
}

/** Reads lines in the order in which they were written, and checks that they refer to what the model has. */
export class ModelLineReader {
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #at = 0;
  #treeSchema: v.GenericSchema<unknown, Tree> = treeSchema;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads a line. @throws {Error} if there is none, or it is not JSON. */
  next(): unknown {
    const end = this.#bytes.indexOf(LINE_FEED, this.#at);
    if (end < 0) throw new Error('A line is missing or was cut.');
    const line = this.#decoder.decode(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return JSON.parse(line);
  }

  /** Reads the parts of a model that every task reads first. */
  *inputs(head: { columns: number; features: number }): Steps<{ columns: ColumnSummary[]; features: ModelFeature[] }> {
    const columns = shareWords(yield* this.items(head.columns, columnSchema));
    const ofColumns = v.pipe(
      featureSchema,
      v.check(({ column }) => column < columns.length, 'A feature refers to a column that the model does not have.'),
    );
    const features = yield* this.items(head.features, ofColumns);
    this.#treeSchema = v.pipe(
      treeSchema,
      v.check(
        ({ splits }) => splits.every(({ feature }) => feature < features.length),
        'A split refers to a feature that the model does not have.',
      ),
    );
    return { columns, features };
  }

  /** Reads a forest. Call `inputs` first, which reads the features that splits refer to. */
  *forest({ base, trees }: ForestHead): Steps<Forest> {
    return { base, trees: yield* this.items(trees, this.#treeSchema) };
  }

  *forests(heads: readonly ForestHead[]): Steps<Forest[]> {
    const forests: Forest[] = [];
    for (const head of heads) forests.push(yield* this.forest(head));
    return forests;
  }

  /** Ends the reading. @throws {Error} if bytes are left. */
  end(): void {
    if (this.#at < this.#bytes.length) throw new Error('There are more lines than the head says.');
  }

  /** Reads a list, a step for each item. */
  *items<T>(count: number, schema: v.GenericSchema<unknown, T>): Steps<T[]> {
    const items: T[] = [];
    while (items.length < count) {
      items.push(v.parse(schema, this.next()));
      yield;
    }
    return items;
  }
}

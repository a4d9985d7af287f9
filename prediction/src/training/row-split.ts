import type { RowTable } from '../table/table.js';
import { foldGroups, type GroupFolds, partByOrder } from '../table/validation.js';

export const FOLDS = 5;

/** The choice of the rows that measure a model. */
export type RowSplit =
  | { readonly method: 'random'; readonly order: Uint32Array }
  | ({ readonly method: 'group' } & GroupFolds)
  | ({ readonly method: 'last' } & Parts);

/** Rows of a table in three parts. */
export interface Parts {
  readonly train: Uint32Array;
  /** Decides the number of trees; models of errors are trained on it. */
  readonly validation: Uint32Array;
  /** Calibrates and measures. */
  readonly test: Uint32Array;
}

/** The shares of random hold-outs. */
const VALIDATION_SHARE = 0.1;
const TEST_SHARE = 0.18;

/** The most rows of either set: more rows are worth more for training. */
const MAX_IN_PART = 25_000;

/** Chooses the rows that measure a model of a table. @param order all rows, in random order. */
export function splitRows({ validation, rowCount }: RowTable, order: Uint32Array): RowSplit {
  if (validation === undefined) return { method: 'random', order };
  if (validation.method === 'group') return { method: 'group', ...foldGroups(validation, order, FOLDS) };
  const { train, validation: middle, test } = partByOrder(validation, rowCount);
  return { method: 'last', train: train.sort(), validation: thinOut(middle), test: thinOut(test) };
}

/**
 * Returns the order in which rows learn from the targets of those before them: a random one, in which rows of a group
 * stay together, and the rows that measure a model as the last ones come last, without learning from each other.
 *
 * @param order all rows, in random order.
 */
export function orderToLearn({ validation, rowCount }: RowTable, split: RowSplit, order: Uint32Array) {
  if (split.method === 'random') return { order };
  if (split.method === 'group') {
    return { order: split.order, ...(validation?.method === 'group' && { blockOf: validation.codes }) };
  }
  const blockOf = new Uint8Array(rowCount).fill(1);
  for (const row of split.train) blockOf[row] = 0;
  const last = order.filter((row) => blockOf[row] === 1);
  const learnt = new Uint32Array(rowCount);
  learnt.set(order.filter((row) => blockOf[row] === 0));
  learnt.set(last, rowCount - last.length);
  return { order: learnt, blockOf };
}

/** Returns the parts of a table that is too large for folds. */
export function holdOut(split: RowSplit): Parts {
  switch (split.method) {
    case 'last':
      return split;
    case 'random': {
      const { order } = split;
      const validated = countPart(order.length, VALIDATION_SHARE);
      const heldOut = validated + countPart(order.length, TEST_SHARE);
      return {
        validation: order.slice(0, validated),
        test: order.slice(validated, heldOut),
        train: order.slice(heldOut).sort(),
      };
    }
    case 'group': {
      // Where most groups are, one of them says least of all the others.
      const { foldOf, groups, order } = split;
      const [test, validation] = [...groups.keys()].sort((one, other) => (groups[other] ?? 0) - (groups[one] ?? 0));
      const inFold = (fold: number | undefined) => order.filter((row) => foldOf[row] === fold);
      return {
        validation: thinOut(inFold(validation)),
        test: thinOut(inFold(test)),
        train: order.filter((row) => foldOf[row] !== test && foldOf[row] !== validation).sort(),
      };
    }
  }
}

function countPart(rowCount: number, share: number): number {
  return Math.min(Math.round(share * rowCount), MAX_IN_PART);
}

/** Returns rows in their order, of more than a part may have evenly spaced ones. */
export function thinOut(rows: Uint32Array, most = MAX_IN_PART): Uint32Array {
  if (rows.length <= most) return rows;
  return Uint32Array.from({ length: most }, (_, at) => rows[Math.floor((at * rows.length) / most)] ?? 0);
}

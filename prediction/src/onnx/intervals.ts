import { allWidths, type ErrorModel, widthAt } from '../intervals/conformal.js';
import { MAX_STEPS, MAX_WHOLE_SLACK, SLACK, type TargetScale, type TargetSupport } from '../intervals/target-range.js';
import type { Steps } from '../trees/steps.js';
import type { Arithmetic } from './arithmetic.js';
import { Tensor, type Value } from './graph.js';
import { addForests, addTree, type Node, searchTree, type TreeColumn } from './trees.js';

/** The confidence of a request, as the graph has it. */
export interface AskedConfidence {
  /** True if none is asked for. */
  readonly isOwn: Value;
  /** One within those that can be promised. */
  readonly level: Value;
}

/** Adds the confidences of intervals, and how far they reach in standard units, rows × 1, as `ErrorEstimator` has them. */
export function* addReach(
  arithmetic: Arithmetic,
  { error_forest, error_floor, calibration }: ErrorModel,
  rows: { readonly matrix: Value; readonly columns: readonly TreeColumn[] },
  asked: AskedConfidence,
  widest: number,
): Steps<{ level: Value; reach: Value }> {
  const { graph, plus, most, over, times, choose, toIndex, pick } = arithmetic;
  const sum = yield* addForests(graph, rows.matrix, [error_forest], rows.columns);
  const error = plus(most(sum, 0), error_floor);
  const { upper_bounds, scores } = calibration;
  const leaves = scores.map((_, group) => ({ leaf: group }));
  const group = toIndex(addTree(graph, error, searchTree(0, upper_bounds, leaves)));
  const at = addWidthsAt(arithmetic, scores, asked.level);
  const own = addWidthsWithin(arithmetic, calibration, error, over(widest, error));
  const level = choose(asked.isOwn, own.level, pick(at.level, group));
  const score = choose(asked.isOwn, own.score, pick(at.score, group));
  return { level, reach: times(score, error) };
}

/** Widths: their levels, and their scores. */
interface Widths {
  readonly level: Value;
  readonly score: Value;
}

/** Adds the widths of all groups at a level, as `widthAt` has them. */
function addWidthsAt(
  { graph, plus, minus, times, least, most, ceil, toIndex, pick }: Arithmetic,
  scores: readonly (readonly number[])[],
  level: Value,
): Widths {
  const perGroup = (of: (group: readonly number[], index: number) => number) =>
    graph.tensor(Tensor.doubles(scores.map(of)));
  const highest = perGroup(({ length }) => Math.floor((100 * length) / (length + 1)) / 100);
  const kept = least(level, highest);
  const sizes = perGroup(({ length }) => length + 1);
  const rank = most(ceil(minus(times(sizes, kept), 1e-9)), 1);
  // Where the scores of each group begin among those of all, less 1, for ranks begin at 1.
  const starts = perGroup((_, index) => scores.slice(0, index).flat().length - 1);
  const place = toIndex(plus(rank, starts));
  const reached = scores.flatMap((group) => reachedLevels(group));
  return {
    level: most(kept, pick(graph.tensor(Tensor.doubles(reached)), place)),
    score: pick(graph.tensor(Tensor.doubles(scores.flat())), place),
  };
}

/** The level that a width reaches by itself, by rank; 0, if it is the one that was asked for. */
function reachedLevels(scores: readonly number[]): number[] {
  const levels = new Array<number>(scores.length).fill(0);
  let last = scores.length;
  for (let rank = scores.length; rank >= 1; rank--) {
    if (scores[rank - 1] !== scores[last - 1]) last = rank;
    if (last > rank) levels[rank - 1] = Math.floor((100 * last) / (scores.length + 1)) / 100;
  }
  return levels;
}

/** Adds the widths at the highest level whose score is at most a number, as `highestWithin` has them. */
function addWidthsWithin(
  { graph, times, toIndex, pick }: Arithmetic,
  { upper_bounds, scores }: ErrorModel['calibration'],
  error: Value,
  limit: Value,
): Widths {
  const lowest = widthAt([], 0);
  const widths = scores.map((group) => {
    const all = allWidths(group);
    return all.length > 0 ? all : [lowest];
  });
  let start = 0;
  const ofGroups = widths.map((group): Node => {
    const first = start;
    start += group.length;
    // A score that is equal to the limit is within it: the order is turned round, where bounds are within, too.
    const bounds = group.map(({ score }) => -score).reverse();
    const leaves = Array.from({ length: group.length + 1 }, (_, above) => {
      return { leaf: first + Math.max(group.length - above, 1) - 1 };
    });
    return searchTree(1, bounds, leaves);
  });
  const matrix = graph.add('Concat', [error, times(limit, -1)], { axis: 1 });
  const place = toIndex(addTree(graph, matrix, searchTree(0, upper_bounds, ofGroups)));
  const list = (of: 'level' | 'score') =>
    graph.tensor(Tensor.doubles(widths.flatMap((group) => group.map((width) => width[of]))));
  return { level: pick(list('level'), place), score: pick(list('score'), place) };
}

/** A predicted value and its interval: rows × 1. */
export interface Interval {
  readonly value: Value;
  readonly min: Value;
  readonly max: Value;
}

/** Adds the values of standard units, rounded as `Rounding` does. */
export function addBounds(
  arithmetic: Arithmetic,
  scale: TargetScale,
  /** Steps in 1; 0 if nothing is rounded. */
  steps: number,
  standard: Value,
  reach: Value,
): Interval {
  const { plus, minus, times, over, atMost, atLeast, absolute, round, choose, toFinite, graph } = arithmetic;
  const fromStandard = (value: Value) =>
    toFinite(times(plus(times(value, scale.spread), scale.centre), scale.magnitude));
  const value = fromStandard(standard);
  const min = fromStandard(minus(standard, reach));
  const max = fromStandard(plus(standard, reach));
  if (steps === 0) return { value, min, max };
  const roundTo = (exact: Value, turn: (nearest: Value, count: Value) => Value) => {
    const count = round(times(exact, steps));
    const isFine = graph.add('Less', [absolute(count), MAX_STEPS]);
    return choose(isFine, turn(over(count, steps), count), exact);
  };
  return {
    value: roundTo(value, (nearest) => nearest),
    min: roundTo(min, (nearest, count) => choose(atMost(nearest, min), nearest, over(minus(count, 1), steps))),
    max: roundTo(max, (nearest, count) => choose(atLeast(nearest, max), nearest, over(plus(count, 1), steps))),
  };
}

/** Adds what keeps a prediction to what the target can be, as `withinSupport` does. */
export function addSupport(arithmetic: Arithmetic, support: TargetSupport, { value, min, max }: Interval): Interval {
  const { plus, minus, times, over, least, most, floor, ceil, atMost, atLeast, choose, graph } = arithmetic;
  const { lower, upper, is_whole, values, keeps_mean } = support;
  const keepWithin = (number: Value) => least(most(number, lower ?? -Infinity), upper ?? Infinity);
  const all = values && graph.tensor(Tensor.doubles(values));
  const nearestTo = (number: Value): Value => {
    if (all === null) return is_whole ? arithmetic.round(number) : number;
    const distances = arithmetic.absolute(minus(all, number));
    return arithmetic.pick(all, graph.add('ArgMin', [distances], { axis: 1, keepdims: 1 }));
  };
  const within = keepWithin(value);
  const kept = is_whole && !keeps_mean ? nearestTo(within) : within;
  const slack = (one: Value, other: Value) => times(minus(over(one, 2), over(other, 2)), 2 * SLACK);
  const below = most(minus(min, slack(value, min)), -Number.MAX_VALUE);
  const above = least(plus(max, slack(max, value)), Number.MAX_VALUE);
  const leastFrom = (options: Value, bound: Value) =>
    graph.add('ReduceMin', [choose(atLeast(options, bound), options, Infinity), graph.longs([1])], { keepdims: 1 });
  const mostUpTo = (options: Value, bound: Value) =>
    graph.add('ReduceMax', [choose(atMost(options, bound), options, -Infinity), graph.longs([1])], { keepdims: 1 });
  const nextUp = (): Value => {
    if (all !== null) return leastFrom(all, below);
    if (is_whole) return keepWithin(ceil(most(below, minus(min, MAX_WHOLE_SLACK))));
    return keepWithin(lower === null ? min : choose(atMost(below, lower), lower, min));
  };
  const nextDown = (): Value => {
    if (all !== null) return mostUpTo(all, above);
    if (is_whole) return keepWithin(floor(least(above, plus(max, MAX_WHOLE_SLACK))));
    return keepWithin(upper === null ? max : choose(atLeast(above, upper), upper, max));
  };
  const low = nextUp();
  const high = nextDown();
  const holds = atMost(low, high);
  const nearest = nearestTo(kept);
  const narrowest = (): [Value, Value] => {
    if (!keeps_mean) return [kept, kept];
    return all === null ? [floor(kept), ceil(kept)] : [mostUpTo(all, kept), leastFrom(all, kept)];
  };
  const [from, to] = narrowest();
  return { value: kept, min: least(choose(holds, low, nearest), from), max: most(choose(holds, high, nearest), to) };
}

import type { BinnedFeatures, Forest, Split, Tree, TreeParams } from 'roster-prediction/internals';
import { Learner, squaredLoss } from 'roster-prediction/internals';

/**
 * The reference for the kernel in tests: the same trees grown, and rows scored, in the plainest
 * way. A node's sums are counted anew from its rows, and rows walk down the trees.
 */

interface Found {
  feature: number;
  gain: number;
  /** The bins that go left. */
  left: readonly number[];
}

/** Grows as `learnForest`, where every tree is grown on all of the rows. */
export function referenceForest(
  features: BinnedFeatures,
  rows: Uint32Array,
  target: Float64Array,
  limits: TreeParams,
  rounds: number,
): Forest {
  const base = rows.reduce((sum, row) => sum + (target[row] ?? 0), 0) / rows.length;
  const residuals = target.map((value) => value - base);
  const trees: Tree[] = [];
  for (let round = 0; round < rounds; round++) {
    const tree = growTree(features, [...rows], residuals, limits);
    for (const row of rows) residuals[row] = (residuals[row] ?? 0) - findLeafValue(tree, features, row);
    trees.push(tree);
  }
  return { base, trees };
}

/** The value of the leaf that a row comes to. */
export function findLeafValue({ splits, leaves }: Tree, { bins, rowCount }: BinnedRows, row: number) {
  let child = splits.length > 0 ? 0 : ~0;
  for (let split = splits[child]; split !== undefined; split = splits[child]) {
    child = holds(split, bins[split.feature * rowCount + row] ?? 0) ? split.left : split.right;
  }
  return leaves[~child] ?? Number.NaN;
}

type BinnedRows = Pick<BinnedFeatures, 'bins' | 'rowCount'>;

function holds({ left_bins }: Split, bin: number): boolean {
  return left_bins.some((first, at) => at % 2 === 0 && first <= bin && bin <= (left_bins[at + 1] ?? 0));
}

function growTree(
  features: BinnedFeatures,
  rows: readonly number[],
  residuals: Float64Array,
  limits: TreeParams,
): Tree {
  const { numbers, unit } = quantise(rows, residuals);
  const find = (ofNode: readonly number[]) => findSplit(features, ofNode, numbers, limits);
  const leaves = [{ rows, found: find(rows), attach: (_child: number) => {} }];
  const splits: Split[] = [];
  while (leaves.length < limits.maxLeaves) {
    const best = leaves.reduce((a, b) => ((b.found?.gain ?? 0) > (a.found?.gain ?? 0) ? b : a));
    const { found } = best;
    if (found === undefined) break;
    const split = { feature: found.feature, left_bins: ranges(found.left), left: 0, right: 0 };
    best.attach(splits.push(split) - 1);
    const goesLeft = (row: number) => found.left.includes(readBin(features, found.feature, row));
    const left = best.rows.filter(goesLeft);
    const right = best.rows.filter((row) => !goesLeft(row));
    const grown = (ofNode: readonly number[], side: 'left' | 'right') => ({
      rows: ofNode,
      found: find(ofNode),
      attach: (child: number) => {
        split[side] = child;
      },
    });
    leaves[leaves.indexOf(best)] = grown(left, 'left');
    leaves.push(grown(right, 'right'));
  }
  for (const [index, { attach }] of leaves.entries()) attach(~index);
  const values = leaves.map((leaf) => {
    const sum = leaf.rows.reduce((all, row) => all + (numbers.get(row) ?? 0), 0);
    return ((0.1 * sum) / (leaf.rows.length + (limits.lambda ?? 0))) * unit + 0;
  });
  return { splits, leaves: values, covers: leaves.map((leaf) => leaf.rows.length) };
}

/** Residuals as whole numbers of a power of two, the finest that the kernel can sum up. */
function quantise(rows: readonly number[], residuals: Float64Array) {
  const largest = Math.max(...rows.map((row) => Math.abs(residuals[row] ?? 0)));
  const countBits = Math.floor(Math.log2(rows.length)) + 1;
  const bits = Math.min(30, 62 - 2 * countBits);
  const exponent = largest === 0 ? -1022 : Math.floor(Math.log2(largest)) + 1;
  const scale = 2 ** Math.min(bits - exponent, 1000);
  const numbers = new Map(rows.map((row) => [row, toNearest((residuals[row] ?? 0) * scale)]));
  return { numbers, unit: 1 / scale };
}

/** To the nearest whole number, halves to the even one. */
function toNearest(value: number): number {
  const shift = 1.5 * 2 ** 52;
  return value + shift - shift;
}

function readBin({ bins, rowCount }: BinnedRows, feature: number, row: number): number {
  return bins[feature * rowCount + row] ?? 0;
}

/** The sum of the quantised residuals of rows, and the number of rows. */
interface Sums {
  sum: number;
  rows: number;
}

interface Node {
  total: Sums;
  bins: readonly Sums[];
  minRowsPerLeaf: number;
  lambda: number;
}

interface Candidate {
  gain: number;
  left: readonly number[];
}

function findSplit(
  features: BinnedFeatures,
  rows: readonly number[],
  numbers: ReadonlyMap<number, number>,
  { minRowsPerLeaf, lambda = 0 }: TreeParams,
): Found | undefined {
  if (rows.length < 2 * minRowsPerLeaf) return undefined;
  let best: Found | undefined;
  for (const [feature, binCount] of features.binCounts.entries()) {
    const bins = Array.from({ length: binCount }, () => ({ sum: 0, rows: 0 }));
    for (const row of rows) {
      const ofBin = bins[readBin(features, feature, row)];
      if (ofBin === undefined) throw new RangeError('There is a bin beyond the last.');
      ofBin.sum += numbers.get(row) ?? 0;
      ofBin.rows++;
    }
    const node = { bins, total: add(bins), minRowsPerLeaf, lambda };
    const find = features.isCategory[feature] ? findCategories : findThreshold;
    const found = find(node, best?.gain ?? 0);
    if (found !== undefined) best = { feature, ...found };
  }
  return best;
}

function add(parts: readonly Sums[]): Sums {
  const none = { sum: 0, rows: 0 };
  return parts.reduce((a, b) => ({ sum: a.sum + b.sum, rows: a.rows + b.rows }), none);
}

function findThreshold(node: Node, leastGain: number): Candidate | undefined {
  const right = bestThreshold(node, [], leastGain);
  const missing = node.bins[0]?.rows ?? 0;
  if (missing > 0) return bestThreshold(node, [0], right?.gain ?? leastGain) ?? right;
  if (right === undefined) return undefined;
  const leftRows = add(pick(node.bins, right.left)).rows;
  return 2 * leftRows > node.total.rows ? { ...right, left: [0, ...right.left] } : right;
}

/** Compares as the kernel does, whose roundings decide between splits that are equally good. */
function bestThreshold(
  { bins, total, minRowsPerLeaf, lambda }: Node,
  start: readonly number[],
  leastGain: number,
): Candidate | undefined {
  const explained = square(total.sum) / (total.rows + lambda);
  let over = leastGain + explained;
  let under = 1;
  let best: readonly number[] | undefined;
  const left = [...start];
  let ofLeft = add(pick(bins, start));
  for (let last = 1; last < bins.length; last++) {
    left.push(last);
    ofLeft = add([ofLeft, ...pick(bins, [last])]);
    const ofRight = { sum: total.sum - ofLeft.sum, rows: total.rows - ofLeft.rows };
    if (bins[last]?.rows === 0) continue;
    if (Math.min(ofLeft.rows, ofRight.rows) < minRowsPerLeaf) continue;
    const [leftRows, rightRows] = [ofLeft.rows + lambda, ofRight.rows + lambda];
    const numerator = square(ofLeft.sum) * rightRows + square(ofRight.sum) * leftRows;
    const denominator = leftRows * rightRows;
    if (numerator * under <= over * denominator) continue;
    over = numerator;
    under = denominator;
    best = [...left];
  }
  return best && { gain: over / under - explained, left: best };
}

function findCategories(node: Node, leastGain: number): Candidate | undefined {
  const { bins, minRowsPerLeaf, lambda } = node;
  const means = bins.map(({ sum, rows }) => sum / (rows + 10));
  const known = [...bins.keys()]
    .filter((bin) => (bins[bin]?.rows ?? 0) >= Math.max(1, minRowsPerLeaf / 2))
    .sort((a, b) => (means[a] ?? 0) - (means[b] ?? 0));
  const isFew = bins.length - 2 <= 4;
  const longest = Math.min(32, (known.length + 1) >> 1);
  const orders = isFew
    ? known.toSorted((a, b) => a - b).map((bin) => [bin])
    : [known.slice(0, longest), known.toReversed().slice(0, longest)];
  let best: Candidate | undefined;
  for (const order of orders) {
    const rule = isFew
      ? { stepRows: minRowsPerLeaf, smoothing: lambda }
      : { stepRows: 5 * minRowsPerLeaf, smoothing: 10 };
    best = bestBeginning(node, order, rule, best?.gain ?? leastGain) ?? best;
  }
  if (best === undefined || 2 * add(pick(bins, best.left)).rows <= node.total.rows) return best;
  const lacking = [...bins.keys()].filter((bin) => bins[bin]?.rows === 0);
  return { ...best, left: [...best.left, ...lacking] };
}

function bestBeginning(
  { bins, total, minRowsPerLeaf }: Node,
  order: readonly number[],
  { stepRows, smoothing }: { stepRows: number; smoothing: number },
  leastGain: number,
): Candidate | undefined {
  let best: Candidate | undefined;
  let triedRows = 0;
  for (let length = 1; length <= order.length; length++) {
    const left = order.slice(0, length);
    const ofLeft = add(pick(bins, left));
    const rightRows = total.rows - ofLeft.rows;
    if (rightRows < stepRows) break;
    if (ofLeft.rows < minRowsPerLeaf || ofLeft.rows - triedRows < stepRows) continue;
    triedRows = ofLeft.rows;
    const gain =
      square(ofLeft.sum) / (ofLeft.rows + smoothing) +
      square(total.sum - ofLeft.sum) / (rightRows + smoothing) -
      square(total.sum) / total.rows;
    if (gain > (best?.gain ?? leastGain)) best = { gain, left };
  }
  return best;
}

function pick(bins: readonly Sums[], chosen: readonly number[]): Sums[] {
  return chosen.flatMap((bin) => bins[bin] ?? []);
}

/** Bins as ascending ranges [first, last, …]. */
function ranges(bins: readonly number[]): number[] {
  const sorted = bins.toSorted((a, b) => a - b);
  return sorted.flatMap((bin, index) => [
    ...(sorted[index - 1] === bin - 1 ? [] : [bin]),
    ...(sorted[index + 1] === bin + 1 ? [] : [bin]),
  ]);
}

/** Not a power, which need not be rounded as a product is. */
function square(value: number): number {
  return value * value;
}

/** Grows a forest on some rows of a table, by its kernel. */
export function learnForest(
  features: BinnedFeatures,
  rows: Uint32Array,
  target: Float64Array,
  limits: TreeParams,
  rounds: number,
): Forest {
  const booster = new Learner(features).booster(rows, limits, squaredLoss(target));
  const [forest] = booster.addRounds(rounds);
  if (forest === undefined) throw new Error('No forest was grown.');
  return forest;
}

/** Makes a tree of random shape, whose splits send random ranges of bins left. */
export function randomTree(leafCount: number, featureCount: number, random: () => number): Tree {
  const below = (end: number) => Math.floor(random() * end);
  const splits: Split[] = [];
  const attach: ((child: number) => void)[] = [() => {}];
  while (attach.length < leafCount) {
    const runs = Array.from({ length: 2 * (1 + below(3)) }, () => below(256));
    const left_bins = runs.sort((a, b) => a - b).filter((bin, at) => bin > (runs[at - 1] ?? -1));
    if (left_bins.length % 2 === 1) left_bins.pop();
    if (left_bins.length === 0) continue;
    const split: Split = { feature: below(featureCount), left_bins, left: 0, right: 0 };
    const at = below(attach.length);
    attach[at]?.(splits.push(split) - 1);
    attach[at] = (child) => {
      split.left = child;
    };
    attach.push((child) => {
      split.right = child;
    });
  }
  for (const [leaf, set] of attach.entries()) set(~leaf);
  return { splits, leaves: attach.map(() => random() - 0.5), covers: attach.map(() => 1 + below(100)) };
}

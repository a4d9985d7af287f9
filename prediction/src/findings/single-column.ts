import { seededRandom, shuffledRange } from '../trees/random.js';

/** The folds in which rows are held out. */
export const FOLDS = 5;
export const SEED = 52;

/** The neighbours that vote on a class. */
const NEIGHBOURS = 3;

/**
 * The part of a target's variance that lies between a row and the nearer of its two neighbours in the order of a column,
 * beyond which the column does not explain 99 % of it. Without any relation it is about .8, under a fine one about .01.
 */
const MAX_ROUGHNESS = 0.1;

/** Returns whether the ranks of a target vary in categories by more than a part of their variance, which no prediction by category can explain. */
export function variesInCategories(x: Float64Array, ranked: Float64Array, most: number): boolean {
  const sums = new Map<number, { sum: number; rows: number }>();
  let [squares, all] = [0, 0];
  for (let at = 0; at < x.length; at++) {
    const rank = ranked[at] ?? 0;
    const key = x[at] ?? Number.NaN;
    const own = sums.get(key);
    if (own === undefined) sums.set(key, { sum: rank, rows: 1 });
    else {
      own.sum += rank;
      own.rows++;
    }
    squares += rank * rank;
    all += rank;
  }
  let within = squares;
  for (const { sum, rows } of sums.values()) within -= (sum * sum) / rows;
  return within > most * (squares - (all * all) / Math.max(1, x.length));
}

/** Returns whether the ranks of a target differ between neighbours in the order of a column so much that it cannot follow from the column. */
export function variesBesideNeighbours(x: Float64Array, ranked: Float64Array): boolean {
  const order = sortedPresent(x, allOf(x));
  let [rough, squares, all] = [0, 0, 0];
  for (let at = 0; at < ranked.length; at++) {
    const rank = ranked[at] ?? 0;
    squares += rank * rank;
    all += rank;
  }
  const variance = squares - (all * all) / Math.max(1, ranked.length);
  for (let at = 1; at < order.length - 1; at++) {
    const rank = ranked[order[at] ?? 0] ?? 0;
    const before = rank - (ranked[order[at - 1] ?? 0] ?? 0);
    const after = rank - (ranked[order[at + 1] ?? 0] ?? 0);
    rough += Math.min(before * before, after * after);
    if (rough > MAX_ROUGHNESS * variance) return true;
  }
  return false;
}

/** Returns the number of rows whose class is neither that of the row before nor that of the row behind, in the order of a column. */
export function differsFromNeighbours(x: Float64Array, y: Float64Array): number {
  const order = sortedPresent(x, allOf(x));
  let different = 0;
  for (let at = 1; at < order.length - 1; at++) {
    const own = y[order[at] ?? 0];
    if (own !== y[order[at - 1] ?? 0] && own !== y[order[at + 1] ?? 0]) different++;
  }
  return different;
}

function allOf(x: Float64Array): Uint32Array {
  const all = new Uint32Array(x.length);
  for (let at = 0; at < all.length; at++) all[at] = at;
  return all;
}

/** Returns folds in which rows of one value are in different ones, as far as there are folds. */
export function spreadFolds(x: Float64Array): Uint32Array {
  const folds = new Uint32Array(x.length);
  for (const [place, at] of sortedPresent(x, allOf(x)).entries()) folds[at] = place % FOLDS;
  return folds;
}

/** Predicts held-out rows by the mean of their category in the other folds; the mean of all where it has none. */
export function predictByCategory(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const predicted = new Float64Array(y.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const sums = new Map<number, [sum: number, rows: number]>();
    const all: [number, number] = [0, 0];
    for (let at = 0; at < y.length; at++) {
      if (folds[at] === fold) continue;
      const key = x[at] ?? Number.NaN;
      const own = sums.get(key) ?? [0, 0];
      sums.set(key, own);
      for (const sum of [own, all]) [sum[0], sum[1]] = [sum[0] + (y[at] ?? 0), sum[1] + 1];
    }
    for (let at = 0; at < y.length; at++) {
      if (folds[at] !== fold) continue;
      const [sum, count] = sums.get(x[at] ?? Number.NaN) ?? all;
      predicted[at] = sum / count;
    }
  }
  return predicted;
}

/** Predicts held-out rows by a line between the nearest lower and higher values of the other folds; missing ones by their mean. */
export function predictByNeighbours(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const order = sortedPresent(x, allOf(x));
  const predicted = predictByCategory(
    x.map((value) => (Number.isNaN(value) ? value : 0)),
    y,
    folds,
  );
  for (let fold = 0; fold < FOLDS; fold++) {
    const points = meansByValue(order, x, y, (at) => folds[at] !== fold);
    let next = 0;
    for (const at of order) {
      if (folds[at] !== fold) continue;
      const value = x[at] ?? 0;
      while (next < points.length && (points[next]?.x ?? 0) < value) next++;
      const above = points[next] ?? points[next - 1];
      const below = points[next - 1] ?? above;
      if (above === undefined || below === undefined) continue;
      const part = above.x > below.x ? Math.min(1, (value - below.x) / (above.x - below.x)) : 0;
      predicted[at] = below.y + part * (above.y - below.y);
    }
  }
  return predicted;
}

/** Returns the rows with a value, sorted by it; rows with equal values stay in the order of `among`. */
function sortedPresent(x: Float64Array, among: Uint32Array): Uint32Array {
  return among.filter((at) => Number.isFinite(x[at])).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0));
}

function meansByValue(order: Uint32Array, x: Float64Array, y: Float64Array, isUsed: (at: number) => boolean) {
  const points: { x: number; y: number; rows: number }[] = [];
  for (const at of order) {
    if (!isUsed(at)) continue;
    const value = x[at] ?? 0;
    const last = points.at(-1);
    if (last?.x === value) {
      last.rows++;
      last.y += ((y[at] ?? 0) - last.y) / last.rows;
    } else points.push({ x: value, y: y[at] ?? 0, rows: 1 });
  }
  return points;
}

/** Predicts the class of held-out rows as the most frequent one of their category in the other folds. */
export function classByCategory(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const predicted = new Float64Array(y.length).fill(Number.NaN);
  for (let fold = 0; fold < FOLDS; fold++) {
    const votes = new Map<number, Map<number, number>>();
    for (let at = 0; at < y.length; at++) {
      if (folds[at] === fold) continue;
      const key = x[at] ?? Number.NaN;
      const own = votes.get(key) ?? new Map<number, number>();
      votes.set(key, own.set(y[at] ?? 0, (own.get(y[at] ?? 0) ?? 0) + 1));
    }
    for (let at = 0; at < y.length; at++) {
      if (folds[at] === fold) predicted[at] = mostFrequent(votes.get(x[at] ?? Number.NaN));
    }
  }
  return predicted;
}

/** Predicts the class of held-out rows by the nearest values of the other folds, in their order. */
export function classByNeighbours(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const predicted = classByCategory(
    x.map((value) => (Number.isNaN(value) ? value : 0)),
    y,
    folds,
  );
  // Rows of one value are in random order: in that of the table, the nearest ones would be its neighbours there.
  const random = shuffledRange(x.length, seededRandom(SEED));
  const order = sortedPresent(x, random);
  for (const [place, at] of order.entries()) {
    const votes = new Map<number, number>();
    for (const side of [-1, 1]) {
      for (let seen = 0, next = place + side; seen < NEIGHBOURS && next >= 0 && next < order.length; next += side) {
        const other = order[next] ?? 0;
        if (folds[other] === folds[at]) continue;
        seen++;
        // A row of the same value counts as much as all others.
        const weight = x[other] === x[at] ? 2 * NEIGHBOURS + 1 : 1;
        votes.set(y[other] ?? 0, (votes.get(y[other] ?? 0) ?? 0) + weight);
      }
    }
    predicted[at] = mostFrequent(votes);
  }
  return predicted;
}

function mostFrequent(votes: ReadonlyMap<number, number> | undefined): number {
  let [best, most] = [Number.NaN, 0];
  for (const [value, count] of votes ?? []) if (count > most) [best, most] = [value, count];
  return best;
}

import { quantile } from './statistics.js';

/** Two units of one quantity: `larger = factor · smaller + offset`, as numbers. */
interface UnitPair {
  readonly smaller: string;
  readonly larger: string;
  readonly factor: number;
  readonly offset: number;
}

const pair = (smaller: string, larger: string, factor: number, offset = 0): UnitPair => {
  return { smaller, larger, factor, offset };
};

/**
 * Quantities by the names that columns of them have. Factors as small as these are met by chance, as between petrol and
 * diesel engines, so that only a column whose name says that it has a length, a weight or a temperature can have them.
 */
const QUANTITIES: readonly { readonly name: RegExp; readonly pairs: readonly UnitPair[] }[] = [
  {
    name: /weight|mass|gewicht|masse|(?:^|[^a-z])(?:wt|kgs?|lbs?|pounds?|bwt)(?:[^a-z]|$)/i,
    pairs: [pair('kilograms', 'pounds', 2.20462), pair('ounces', 'grams', 28.3495)],
  },
  {
    name: /height|length|width|depth|size|distance|altitude|elevation|girth|waist|gr(?:ö|oe)(?:ß|ss)e|l(?:ä|ae)nge|h(?:ö|oe)he|breite|tiefe|entfernung|(?:^|[^a-z])(?:cm|mm|m|km|ft|feet|foot|in|inch(?:es)?|miles?|mi|dist|ht)(?:[^a-z]|$)/i,
    pairs: [
      pair('inches', 'centimetres', 2.54),
      pair('metres', 'feet', 3.28084),
      pair('miles', 'kilometres', 1.60934),
      pair('feet', 'centimetres', 30.48),
      pair('metres', 'inches', 39.3701),
    ],
  },
  {
    name: /temp|fever|fieber|(?:^|[^a-z])(?:tmax|tmin|celsius|fahrenheit)(?:[^a-z]|$)/i,
    pairs: [pair('degrees Celsius', 'degrees Fahrenheit', 1.8, 32), pair('degrees Celsius', 'kelvins', 1, 273.15)],
  },
];

/** Words of names of which the values have no unit. */
const WITHOUT_UNIT = /ratio|share|percent|rate|count|number|anteil|anzahl|verh(?:ä|ae)ltnis/i;

const MAX_NAME = 200;

/** The fewest different values: of few whole numbers, two may be apart by any factor. */
const MIN_DISTINCT = 25;

/** The fewest values of either group. */
const MIN_ROWS = 6;
const MIN_SHARE = 0.003;

/** The groups meet where so few values lie, as a part of the smaller group, in the middle third between their medians. */
const MAX_BETWEEN = 0.1;

/**
 * The largest distance of the medians of two groups in one unit: a part of the spread of the larger group, and about one
 * standard error of the median of the smaller one; and a part of the value.
 */
const NEAR_SPREAD = 0.5;
const NEAR_VALUE = 0.12;

/** The largest ratio of the widths of two groups in one unit, by the values of the smaller one: quartiles of few say little. */
const MAX_WIDER = [
  { values: 40, wider: 1.5 },
  { values: 20, wider: 2 },
  { values: 0, wider: 5 },
] as const;

/** Two groups of values that are the same quantity in two units. */
export interface KnownUnits {
  /** The least value of the upper group. */
  readonly from: number;
  readonly pair: UnitPair;
}

/**
 * Finds two groups of the values of a column which agree once the upper one is converted into the unit of the lower one.
 *
 * @param sorted values, ascending
 */
export function findKnownUnits(name: string, sorted: Float64Array): KnownUnits | undefined {
  const shown = name.slice(0, MAX_NAME);
  const quantity = WITHOUT_UNIT.test(shown) ? undefined : QUANTITIES.find((each) => each.name.test(shown));
  if (quantity === undefined || new Set(sorted).size < MIN_DISTINCT) return undefined;
  const cuts = new Set([widestGap(sorted), halve(sorted)]);
  for (const cut of cuts) {
    if (cut === undefined) continue;
    const [below, above] = [sorted.subarray(0, cut), sorted.subarray(cut)];
    if (!isApart(sorted, below, above)) continue;
    const found = quantity.pairs.find((each) => agree(below, above, each));
    if (found) return { from: ((below.at(-1) ?? 0) + (above[0] ?? 0)) / 2, pair: found };
  }
  return undefined;
}

const leastOf = (sorted: Float64Array) => Math.max(MIN_ROWS, Math.ceil(MIN_SHARE * sorted.length));

/** Returns the index above the widest gap that leaves enough values on both sides. */
function widestGap(sorted: Float64Array): number | undefined {
  const least = leastOf(sorted);
  let [cut, widest] = [undefined as number | undefined, 0];
  for (let at = least; at <= sorted.length - least; at++) {
    const gap = (sorted[at] ?? 0) - (sorted[at - 1] ?? 0);
    if (gap > widest) [cut, widest] = [at, gap];
  }
  return cut;
}

/** Returns the index that parts the values into the two groups with the least squares within (Otsu 1979). */
function halve(sorted: Float64Array): number | undefined {
  const least = leastOf(sorted);
  const all = sorted.reduce((sum, value) => sum + value, 0);
  let [cut, best, sum] = [undefined as number | undefined, 0, 0];
  for (let at = 1; at < sorted.length; at++) {
    sum += sorted[at - 1] ?? 0;
    if (at < least || at > sorted.length - least || sorted[at] === sorted[at - 1]) continue;
    const distance = (all - sum) / (sorted.length - at) - sum / at;
    const between = at * (sorted.length - at) * distance * distance;
    if (between > best) [cut, best] = [at, between];
  }
  return cut;
}

function isApart(sorted: Float64Array, below: Float64Array, above: Float64Array): boolean {
  const [low, high] = [quantile(below, 0.5), quantile(above, 0.5)];
  const third = (high - low) / 3;
  const between = sorted.reduce((count, value) => count + Number(value >= low + third && value <= high - third), 0);
  return third > 0 && between <= MAX_BETWEEN * Math.min(below.length, above.length);
}

function agree(below: Float64Array, above: Float64Array, { factor, offset }: UnitPair): boolean {
  const converted = above.map((value) => (value - offset) / factor);
  const smaller = Math.min(below.length, above.length);
  const [one, other] = [spreadOf(below), spreadOf(converted)];
  const wider = MAX_WIDER.find(({ values }) => smaller >= values)?.wider ?? 1;
  if (!(one > 0) || other > wider * one || one > wider * Math.max(other, 1e-9)) return false;
  const distance = Math.abs(quantile(converted, 0.5) - quantile(below, 0.5));
  const size = Math.abs(quantile(below, 0.5));
  const spread = below.length > above.length ? one : other;
  // Values around zero have no typical size.
  const near = (NEAR_SPREAD + 1 / Math.sqrt(smaller)) * spread;
  return distance <= near && (offset !== 0 || distance <= NEAR_VALUE * size);
}

const spreadOf = (group: Float64Array) => quantile(group, 0.75) - quantile(group, 0.25);

/** Maps values to positions, linearly. */
export interface Scale {
  /** Returns the position of a value, in units of the drawing. */
  (value: number): number;
  /** Round values to label, within the domain. */
  readonly ticks: readonly number[];
}

/**
 * Creates a linear scale.
 * @param domain the smallest and the largest value
 * @param range their positions
 * @param tickCount about how many ticks
 */
export function linearScale(
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
  tickCount = 5,
): Scale {
  const width = high - low || 1;
  const scale = (value: number) => from + ((value - low) / width) * (to - from);
  return Object.assign(scale, { ticks: placeTicks(low, low + width, tickCount) });
}

/** The most ticks to try. */
const MOST_TICKS = 10;

/** Returns multiples of 1, 2 or 5 times a power of ten, at least two. */
function placeTicks(low: number, high: number, tickCount: number): number[] {
  const rough = (high - low) / tickCount;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  const step = factor * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  if (last - first < 1 && tickCount < MOST_TICKS) return placeTicks(low, high, 2 * tickCount);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const tick = (first + index) * step;
    return Math.abs(tick) < step / 1e6 ? 0 : tick;
  });
}

/** Returns the smallest and the largest of some values, widened by a share of their distance. */
export function extent(values: readonly number[], margin = 0): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const widened = (high - low) * margin;
  return [low - widened, high + widened];
}

/** Creates a scale of times in milliseconds, whose ticks are evenly spaced. */
export function dateScale(
  [low, high]: readonly [number, number],
  range: readonly [number, number],
  tickCount = 5,
): Scale {
  const steps = Math.max(1, Math.floor(tickCount) - 1);
  const ticks = Array.from({ length: steps }, (_, i) => low + ((high - low) * (i + 0.5)) / steps);
  return Object.assign(linearScale([low, high], range), { ticks });
}

/** The distance of an outlier of a plot from the middle half of all values, in widths of that half. */
const FAR = 4;

/**
 * Returns the extent of values without the few that would make the rest a dot, and how many those are. Scales place
 * them at the edge of the plot (`clamped`).
 */
export function robustExtent(values: readonly number[], margin = 0): { domain: [number, number]; outside: number } {
  const sorted = values.filter(Number.isFinite).sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const width = at(0.75) - at(0.25);
  const [low, high] = [at(0.25) - FAR * width, at(0.75) + FAR * width];
  const inside = width > 0 ? sorted.filter((value) => value >= low && value <= high) : sorted;
  return { domain: extent(inside, margin), outside: sorted.length - inside.length };
}

/** Creates a linear scale that places values outside its domain at its ends. */
export function clamped(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const scale = linearScale(domain, range);
  const [least, most] = [Math.min(...range), Math.max(...range)];
  return Object.assign((value: number) => Math.min(most, Math.max(least, scale(value))), { ticks: scale.ticks });
}

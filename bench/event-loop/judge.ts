/** The measurement of a place of one size. */
export interface Measured {
  readonly bytes: number;
  readonly status: number;
  /** The longest turn of the event loop, in milliseconds. */
  readonly hold: number;
}

/** The bounds of holds. */
export interface Bounds {
  /** In milliseconds, of any size. */
  readonly hold: number;
  /** The power of the size with which holds may grow: 1 is linear, 2 quadratic. */
  readonly slope: number;
  /** Holds below it, in milliseconds, have no slope. */
  readonly floor: number;
}

/** The bounds of the long form, and those of the short form, which must not fail by chance on a loaded machine. */
export const BOUNDS: Bounds = { hold: 50, slope: 1.3, floor: 10 };
export const GROSS_BOUNDS: Bounds = { hold: 1000, slope: 1.7, floor: 200 };

/** A shorter hold counts as this many milliseconds: from it to the floor, growth is not steep yet. */
const NOISE_MS = 2;

/**
 * Returns the power of the size with which the hold grows between the two largest sizes: the slope of a line through
 * both on a plot with two logarithmic scales. Undefined if there is nothing to compare: for one size, for answers with
 * different statuses, and for holds that are shorter than `floor`, in milliseconds.
 */
export function slopeOf(series: readonly Measured[], floor: number): number | undefined {
  const [smaller, larger] = series.slice(-2);
  if (smaller === undefined || larger === undefined) return undefined;
  if (larger.hold < floor || smaller.status !== larger.status) return undefined;
  const growth = larger.hold / Math.max(smaller.hold, NOISE_MS);
  return Math.log(growth) / Math.log(larger.bytes / smaller.bytes);
}

/** A way in which a series is out of bounds. */
export interface Fault<T extends Measured> {
  readonly at: T;
  readonly slope: number | undefined;
}

/**
 * Returns the fault of a series of ascending sizes: the longest of the holds that are too long or grow too fast.
 * Undefined if the series is within its bounds.
 */
export function findFault<T extends Measured>(series: readonly T[], bounds: Bounds): Fault<T> | undefined {
  const faults = series
    .map((at, index) => ({ at, slope: slopeOf(series.slice(0, index + 1), bounds.floor) }))
    .filter(({ at, slope = 0 }) => at.hold > bounds.hold || slope > bounds.slope);
  return faults.toSorted((one, other) => other.at.hold - one.at.hold)[0];
}

/**
 * Measures each size once, the largest of two first: if its hold has no slope, the other one is not needed. If the
 * series is out of bounds, measures again, and the shortest hold of each size counts: garbage collection in between is
 * not caused by a request, nor is the code that is compiled for the first one.
 * @param rounds how often, at most
 * @returns the series, and its fault if every round had one
 */
export async function measureSeries<T extends Measured>(
  sizes: readonly number[],
  measure: (bytes: number) => Promise<T>,
  bounds: Bounds,
  rounds: number,
): Promise<{ readonly series: readonly T[]; readonly fault: Fault<T> | undefined }> {
  const series: T[] = [];
  for (const bytes of sizes.toReversed()) {
    series.unshift(await measure(bytes));
    if (sizes.length === 2 && series.every(({ hold }) => hold < bounds.floor)) break;
  }
  for (let round = 1; round < rounds && findFault(series, bounds); round += 1) {
    for (const [at, before] of series.entries()) {
      const again = await measure(before.bytes);
      if (again.hold < before.hold) series[at] = again;
    }
  }
  return { series, fault: findFault(series, bounds) };
}

/** Levels of simple exponential smoothing that are tried. */
const ALPHAS = [0.05, 0.12, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.99];

/** Damped trends that are tried: the damping, the weight of the level, and that of the trend relative to it. */
const DAMPED_TRENDS = [0.85, 0.96].flatMap((damping) =>
  [0.6, 0.3, 0.1, 0.95].flatMap((alpha) => [0.1, 0, 0.3].map((beta) => ({ damping, alpha, beta }))),
);

/** Values of the first season from which the damped trend begins. */
const FIRST_VALUES = 8;

/** A forecast beyond a series. */
export interface Extrapolation {
  /** By step from 1 on. */
  readonly at: (step: number) => number;
  /** Which of the parameters that are tried was the best. */
  readonly choice: number;
}

/** The straight line of least squares through values at 0, 1 … count − 1. */
export function fitLine(values: Float64Array, count = values.length) {
  let sum = 0;
  let moment = 0;
  for (let at = 0; at < count; at++) {
    const value = values[at] ?? 0;
    sum += value;
    moment += value * at;
  }
  const middle = (count - 1) / 2;
  const spread = (count * (count * count - 1)) / 12;
  const slope = spread > 0 ? (moment - middle * sum) / spread : 0;
  return { slope, start: sum / count - slope * middle };
}

/**
 * The Theta method as simple exponential smoothing with half of the linear trend as its drift
 * (Assimakopoulos & Nikolopoulos 2000; Hyndman & Billah 2003). The first level is that of least
 * squares, which is found in the same pass: errors are linear in it.
 *
 * @param only the choice of an earlier fit to the same values; the others are then not tried.
 */
export function fitTheta(values: Float64Array, only?: number): Extrapolation {
  const count = values.length;
  let best = { squares: Number.POSITIVE_INFINITY, choice: 0, alpha: 1, level: values[count - 1] ?? 0 };
  for (const [choice, alpha] of ALPHAS.entries()) {
    if (only !== undefined && choice !== only) continue;
    const keep = 1 - alpha;
    let level = 0;
    let weight = 1;
    let squares = 0;
    let products = 0;
    let weights = 0;
    for (let at = 0; at < count; at++) {
      const error = (values[at] ?? 0) - level;
      squares += error * error;
      products += error * weight;
      weights += weight * weight;
      level += alpha * error;
      weight *= keep;
    }
    const first = products / weights;
    const least = squares - first * products;
    if (least < best.squares) best = { squares: least, choice, alpha, level: level + weight * first };
  }
  const { alpha, level, choice } = best;
  const drift = fitLine(values).slope / 2;
  const offset = (1 - (1 - alpha) ** count) / alpha - 1;
  return { at: (step) => level + drift * (step + offset), choice };
}

/** Exponential smoothing with a damped trend (Gardner & McKenzie 1985), by a search over a grid. @param only see `fitTheta` */
export function fitDampedTrend(values: Float64Array, only?: number): Extrapolation {
  const count = values.length;
  const line = fitLine(values, Math.min(count, FIRST_VALUES));
  let best = { squares: Number.POSITIVE_INFINITY, choice: 0, level: 0, trend: 0, damping: 1 };
  for (const [choice, { damping, alpha, beta }] of DAMPED_TRENDS.entries()) {
    if (only !== undefined && choice !== only) continue;
    const trendShare = alpha * beta;
    let level = line.start - line.slope;
    let trend = line.slope;
    let squares = 0;
    for (let at = 0; at < count && squares < best.squares; at++) {
      trend *= damping;
      const expected = level + trend;
      const error = (values[at] ?? 0) - expected;
      squares += error * error;
      level = expected + alpha * error;
      trend += trendShare * error;
    }
    if (squares < best.squares) best = { squares, choice, level, trend, damping };
  }
  const { level, trend, damping, choice } = best;
  // The sum of damping, damping² … up to the step.
  return { at: (step) => level + (trend * damping * (1 - damping ** step)) / (1 - damping), choice };
}

import type { Outcome } from './backtest.js';
import { USUAL_MOVE } from './base-forecast.js';
import { MIN_SCORES } from './series.js';

/** Steps whose dependence is estimated together: those up to so many times as far, both ways. */
const NEIGHBOURS = 1.5;

/**
 * Estimates for each step how many independent scores are worth as much as those of a backtest. Series that one shock
 * moves have scores that are large at the same moments, and forecasts of h steps share h − 1 of them with the next.
 *
 * The scores are replaced by those of an exponential distribution with the same ranks, so that large ones count most.
 * The variance of their mean is that of sums by moment, with autocovariances of fewer lags than steps (Driscoll & Kraay
 * 1998) in the weights of Bartlett, and without the bias of few moments (Kiefer & Vogelsang 2005). Its ratio to that of
 * independent scores is the design effect (Kish 1965), which is averaged over neighbouring steps.
 *
 * @param outcomes by step
 * @param starts by series its place on the grid
 * @returns by step at most the number of outcomes, and at least 1 where there is one
 */
export function countEffective(outcomes: readonly (readonly Outcome[])[], starts: readonly number[]): number[] {
  const effects = outcomes.map((ofStep, step) => findDesignEffect(ofStep, step + 1, starts));
  return outcomes.map(({ length }, step) => {
    const from = Math.floor((step + 1) / NEIGHBOURS) - 1;
    const near = effects.slice(Math.max(0, from), Math.ceil((step + 1) * NEIGHBOURS));
    const known = near.filter((effect) => !Number.isNaN(effect));
    const effect = known.reduce((sum, one) => sum + one, 0) / Math.max(known.length, 1);
    return Math.max(length / Math.max(effect, 1), Math.min(length, 1));
  });
}

/** Outcomes of a step that are compared, about; of more, those of every so many series. */
const MAX_COMPARED = 8000;

/** @returns NaN where there are too few outcomes to tell */
function findDesignEffect(all: readonly Outcome[], lags: number, starts: readonly number[]): number {
  const stride = Math.max(1, Math.floor(all.length / MAX_COMPARED));
  const outcomes = stride === 1 ? all : all.filter(({ series }) => series % stride === 0);
  if (outcomes.length < 2) return Number.NaN;
  // A movement that series share counts for each pair of them.
  return 1 + (compareMoments(outcomes, lags, starts) - 1) * (all.length / outcomes.length);
}

function compareMoments(outcomes: readonly Outcome[], lags: number, starts: readonly number[]): number {
  const count = outcomes.length;
  const scores = outcomes.map(scoreOf);
  const order = [...scores.keys()].sort((one, other) => (scores[one] ?? 0) - (scores[other] ?? 0));
  const sums = new Map<number, number>();
  let squares = 0;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [rank, index] of order.entries()) {
    const { series = 0, position = 0 } = outcomes[index] ?? {};
    const moment = (starts[series] ?? 0) + position;
    const value = -Math.log(1 - (rank + 0.5) / count) - 1;
    sums.set(moment, (sums.get(moment) ?? 0) + value);
    squares += value * value;
    first = Math.min(first, moment);
    last = Math.max(last, moment);
  }
  const width = Math.min(lags, last - first + 1);
  let variance = 0;
  for (const [moment, sum] of sums) {
    variance += sum * sum;
    for (let lag = 1; lag < width; lag++) {
      variance += 2 * (1 - lag / width) * sum * (sums.get(moment + lag) ?? 0);
    }
  }
  const share = width / (last - first + 1);
  return variance / squares / (1 - share + (share * share) / 3);
}

/**
 * Returns the outcomes whose scores say something about other series: those with a measured scale. A series that never
 * moved has a score of 0 while it stays, and one without bound when it begins to move: pooled with others, such scores
 * would make all intervals too narrow or absurdly wide. The history alone decides, so that intervals hold among the
 * series that have moved (Mondrian conformal prediction: Vovk, Gammerman & Shafer 2005). Series that never moved use
 * the same scores. Where those with a measured scale are too few to calibrate a step, it keeps all its outcomes: then
 * an assumed scale is at least the usual move of the actual value, so that no score is without bound.
 *
 * @param outcomes by step
 */
export function selectScored(outcomes: readonly (readonly Outcome[])[]): readonly (readonly Outcome[])[] {
  return outcomes.map((ofStep) => {
    const measured = ofStep.filter(({ isScaleAssumed }) => !isScaleAssumed);
    return measured.length < MIN_SCORES ? ofStep.map(withUsualScale) : measured;
  });
}

function withUsualScale(outcome: Outcome): Outcome {
  const { isScaleAssumed, scale, actual } = outcome;
  return isScaleAssumed ? { ...outcome, scale: Math.max(scale, USUAL_MOVE * Math.abs(actual)) } : outcome;
}

/** Returns the error in units of the expected one. */
export function scoreOf({ actual, forecast, scale }: Outcome): number {
  return Math.abs(actual - forecast) / scale;
}

/**
 * Returns the level whose quantile holds a level on average, of scores that depend on each other: that of pooled
 * clusters (Dunn, Wasserman & Ramdas 2022), with the number of scores that they are worth in place of the clusters.
 *
 * @param count the number of scores
 * @param effective how many independent ones they are worth
 */
export function widenLevel(level: number, count: number, effective: number): number {
  return Math.min(1, level * (1 + 1 / effective - 1 / count));
}

import type { Outcome } from './backtest.js';
import { scoreOf, selectScored } from './effective-scores.js';
import { type Answer, mixNaive, type NaiveShare } from './forecaster.js';

/** Outcomes by step. */
type Outcomes = readonly (readonly Outcome[])[];

/** Where no earlier window can tell how much the correction by trees is worth. */
const USUAL_WEIGHT = 0.5;
const MIN_OUTCOMES = 100;

/** The largest excess of a model's error over that of the best naive forecast, on the last backtest. */
const MAX_WORSE = 0.01;

/** The shares of naive forecasts that are tried. */
const SHARES = [0, 0.25, 0.5, 0.75, 1];

/** Returns the answer with the least error, in units of what was expected. @param byAnswer outcomes of an earlier window. */
export function chooseAnswer(
  answers: readonly Answer[],
  byAnswer: readonly Outcomes[],
): { readonly answer: Answer; readonly index: number } {
  const usual = answers.findIndex(({ weight }) => weight === USUAL_WEIGHT);
  let best = { index: usual, loss: Number.POSITIVE_INFINITY };
  const count = byAnswer[0]?.reduce((sum, ofStep) => sum + ofStep.length, 0) ?? 0;
  for (const [index, outcomes] of count < MIN_OUTCOMES ? [] : byAnswer.entries()) {
    let loss = 0;
    for (const ofStep of selectScored(outcomes)) for (const outcome of ofStep) loss += scoreOf(outcome);
    if (loss < best.loss) best = { index, loss };
  }
  return { answer: answers[best.index] ?? { weight: USUAL_WEIGHT }, index: best.index };
}

/**
 * Chooses whether forecasts are mixed with the best naive ones: where these are better by more than a hundredth, with the
 * smallest share that suffices, because a mean of two forecasts is often better than both.
 *
 * @param outcomes of the last window, so that the model is never worse by more than that on its backtest
 * @returns undefined where none is mixed with
 */
export function chooseGuard(outcomes: Outcomes): NaiveShare | undefined {
  const count = outcomes.find(({ length }) => length > 0)?.[0]?.naives.length ?? 0;
  const isScaled = outcomes.some((ofStep) => ofStep.some(({ naiveError }) => naiveError > 0));
  const lossOf = (naive: NaiveShare) => sumErrors(outcomes, (outcome) => mix(outcome, naive), isScaled);
  let best = { index: 0, loss: Number.POSITIVE_INFINITY };
  for (let index = 0; index < count; index++) {
    const loss = lossOf({ index, share: 1 });
    if (loss < best.loss) best = { index, loss };
  }
  const { index, loss } = best;
  const share = SHARES.find((one) => lossOf({ index, share: one }) <= (1 + MAX_WORSE) * loss) ?? 0;
  return share === 0 ? undefined : { index, share };
}

/** Returns outcomes as if forecasts had been mixed with naive ones. */
export function mixOutcomes(outcomes: Outcomes, naive: NaiveShare | undefined): Outcomes {
  if (!naive) return outcomes;
  return outcomes.map((ofStep) => ofStep.map((outcome) => ({ ...outcome, forecast: mix(outcome, naive) })));
}

function mix({ forecast, naives, isIntermittent }: Outcome, { index, share }: NaiveShare): number {
  return isIntermittent ? forecast : mixNaive(forecast, naives[index] ?? forecast, share);
}

/** @param isScaled whether errors are in units of those of repeating seasons, as MASE has them. */
function sumErrors(outcomes: Outcomes, read: (outcome: Outcome) => number, isScaled: boolean): number {
  let sum = 0;
  for (const ofStep of outcomes) {
    for (const outcome of ofStep) {
      const { actual, naiveError, unit, isIntermittent } = outcome;
      // Where most values are 0, to forecast 0 has the least absolute error, and says nothing.
      if (isIntermittent || (isScaled && !(naiveError > 0))) continue;
      const error = Math.abs(actual - read(outcome));
      sum += isScaled ? error / naiveError : error * unit;
    }
  }
  return sum;
}

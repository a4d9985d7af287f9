/**
 * A test by betting of whether promises are kept as often as was promised, which may be read after every truth.
 *
 * It bets at fair odds against the promises: a promise of confidence c pays its odds if it is broken more often than
 * in 1 − c of the cases. If all are kept at least as often as promised, given what came before, the wealth is a
 * non-negative supermartingale that begins with 1, so the chance that it ever reaches 1,000 is at most 1 in 1,000
 * (Ville 1939; Ramdas et al. 2023, *Game-theoretic statistics and safe anytime-valid inference*).
 *
 * The wealth is a mixture over how much more often promises are broken (a grid of bets, as in Waudby-Smith & Ramdas
 * 2024, *Estimating means of bounded random variables by betting*), and over the truth from which they are: a bettor
 * begins at each truth with a part of the money, so that a good year does not use up what a bad week would win. Other
 * detectors that begin at each truth bound the time between false alarms (Shin, Ramdas & Rinaldo 2024, *E-detectors*);
 * with money that is parted, the bound is one of their probability, for all time. Bettors with the same odds need one
 * number.
 */

/** The state of an alarm, as JSON of some 300 bytes. */
export interface AlarmState {
  /** The truths that were bet on. */
  readonly truths: number;
  /** For each of the odds what the bettors who have begun own, of 1 at the start. */
  readonly wealth: readonly number[];
  /** The wealth of all. */
  readonly evidence: number;
  /** The most that it ever was. */
  readonly highest_evidence: number;
  /** The number of the truth, from 1, after which the alarm was raised; null, if it was not. It stays. */
  readonly raised_at: number | null;
}

/** What became of a promise. */
export interface Outcome {
  /** The chance with which it was to be kept; more than 0, at most 1. */
  readonly confidence: number;
  readonly isKept: boolean;
}

/** The evidence at which an alarm is raised: one false alarm in as many models. */
const ALARM_EVIDENCE = 1000;

/** By how much the odds of a broken promise are raised: of .9, the bets are on .878, .857, .818, .783, .692, .529. */
const ODDS = [1.25, 1.5, 2, 2.5, 4, 8];

/** The part of the money that is bet from the first truth on. */
const FIRST_SHARE = 0.2;

/** Of what is left, half is bet within so many truths, and two thirds within twice as many. */
const HALF_TIME = 5000;

/** Promises that are certain are bet on as if they were not quite. */
const MAX_CONFIDENCE = 1 - 1e-6;
/** Of many models, each has bets; what it owns must stay a finite number. */
const MAX_WEALTH = 1e250;

export function startAlarm(): AlarmState {
  return {
    truths: 0,
    wealth: ODDS.map(() => FIRST_SHARE),
    evidence: 1,
    highest_evidence: 1,
    raised_at: null,
  };
}

/**
 * Bets on what became of promises, in the order in which it was heard. Each is bet on once.
 *
 * @throws {RangeError} if a confidence is not within 0 to 1.
 */
export function bet(state: AlarmState, outcomes: Iterable<Outcome>): AlarmState {
  const wealth = Float64Array.from(state.wealth);
  let { truths, evidence, highest_evidence, raised_at } = state;
  for (const { confidence, isKept } of outcomes) {
    if (!(confidence > 0 && confidence <= 1)) {
      throw new RangeError(`A confidence must be within 0 to 1, but is ${confidence}.`);
    }
    const miss = 1 - Math.min(confidence, MAX_CONFIDENCE);
    const begins = unspentAfter(truths) - unspentAfter(truths + 1);
    truths++;
    let sum = 0;
    for (const [index, odds] of ODDS.entries()) {
      const broken = (odds * miss) / (1 - miss + odds * miss);
      const factor = isKept ? (1 - broken) / (1 - miss) : broken / miss;
      const owned = Math.min(((wealth[index] ?? 0) + begins) * factor, MAX_WEALTH);
      wealth[index] = owned;
      sum += owned;
    }
    evidence = sum / ODDS.length + unspentAfter(truths);
    highest_evidence = Math.max(highest_evidence, evidence);
    if (evidence >= ALARM_EVIDENCE) raised_at ??= truths;
  }
  return { truths, wealth: Array.from(wealth), evidence, highest_evidence, raised_at };
}

/** Returns the part of the money that no bettor has begun with after so many truths. */
function unspentAfter(truths: number): number {
  return ((1 - FIRST_SHARE) * HALF_TIME) / (HALF_TIME + truths);
}

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
  /** For each stream, and each of the odds, what the bettors who have begun own, of 1 at the start. */
  readonly wealth: readonly (readonly number[])[];
  /** The wealth of all: the mean of the streams. */
  readonly evidence: number;
  /** The most that it ever was. */
  readonly highest_evidence: number;
  /** The number of the truth, from 1, after which the alarm was raised; null, if it was not. It stays. */
  readonly raised_at: number | null;
}

/** The outcome of a promise. */
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

/** Half of the rest is bet within so many truths, and two thirds within twice as many. */
const HALF_TIME = 5000;

/** Promises that are certain are bet on as if they were not quite. */
const MAX_CONFIDENCE = 1 - 1e-6;
/** The bets of a single one of many models; its capital must stay a finite number. */
const MAX_WEALTH = 1e250;

/** @param streams the promises of each truth; where there are several, they may depend on each other. */
export function startAlarm(streams = 1): AlarmState {
  return {
    truths: 0,
    wealth: Array.from({ length: streams }, () => ODDS.map(() => FIRST_SHARE)),
    evidence: 1,
    highest_evidence: 1,
    raised_at: null,
  };
}

/**
 * Bets on what became of the promises of a truth, one for each stream. Truths are bet on in the order in which they
 * come, each once.
 *
 * @throws {RangeError} if a confidence is not within 0 to 1.
 */
export function bet(state: AlarmState, outcomes: readonly Outcome[]): AlarmState {
  const begins = unspentAfter(state.truths) - unspentAfter(state.truths + 1);
  const truths = state.truths + 1;
  const wealth = state.wealth.map((ofStream, stream) => {
    const { confidence, isKept } = outcomes[stream] ?? { confidence: 1, isKept: true };
    if (!(confidence > 0 && confidence <= 1)) {
      throw new RangeError(`A confidence must be within 0 to 1, but is ${confidence}.`);
    }
    const miss = 1 - Math.min(confidence, MAX_CONFIDENCE);
    return ODDS.map((odds, index) => {
      const broken = (odds * miss) / (1 - miss + odds * miss);
      const factor = isKept ? (1 - broken) / (1 - miss) : broken / miss;
      return Math.min(((ofStream[index] ?? 0) + begins) * factor, MAX_WEALTH);
    });
  });
  const owned = wealth.flat();
  const evidence = owned.reduce((sum, each) => sum + each / owned.length, unspentAfter(truths));
  return {
    truths,
    wealth,
    evidence,
    highest_evidence: Math.max(state.highest_evidence, evidence),
    raised_at: state.raised_at ?? (evidence >= ALARM_EVIDENCE ? truths : null),
  };
}

/** Returns the part of the money that no bettor has begun with after so many truths. */
function unspentAfter(truths: number): number {
  return ((1 - FIRST_SHARE) * HALF_TIME) / (HALF_TIME + truths);
}

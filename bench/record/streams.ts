import { wilson } from '../../prediction/src/intervals/wilson.js';
import {
  bet,
  findIntervalNeeds,
  moveShifts,
  type Outcome,
  SHIFT_LEVELS,
  shiftAt,
  startAlarm,
  startShifts,
} from '../../prediction/src/recording.js';
import { seededRandom } from '../../prediction/src/trees/random.js';
import { median } from '../../testkit/numbers.js';
import type { Finding, Scenario } from '../scenarios.js';

const TRUTHS = 10_000;
const PROMISED = 0.9;
const ALLOWED = 1 / 1000;

/** Makes up what became of promises of .9, each kept with a chance that depends on its number. */
function* makeOutcomes(
  count: number,
  seed: number,
  chance: (at: number) => number,
): Generator<Outcome> {
  const random = seededRandom(seed);
  for (let at = 0; at < count; at++) {
    yield { confidence: PROMISED, isKept: random() < chance(at) };
  }
}

/** Returns the number of the truth after which the alarm is raised; null if it is not. */
function watch(outcomes: Iterable<Outcome>): number | null {
  let state = startAlarm();
  for (const outcome of outcomes) {
    state = bet(state, [outcome]);
    if (state.raised_at !== null) return state.raised_at;
  }
  return null;
}

const SEEDS_OF_CHANGED = 1_000_000;

/** Returns the median number of truths from a change to .8 until the alarm. */
function alarmDelay(start: number, streams: number): number {
  return median(
    Array.from({ length: streams }, (_, stream) => {
      const chance = (at: number) => (at < start ? PROMISED : 0.8);
      const outcomes = makeOutcomes(start + TRUTHS, SEEDS_OF_CHANGED + stream, chance);
      return (watch(outcomes) ?? Number.POSITIVE_INFINITY) - start;
    }),
  );
}

/** Returns the most promises of a day that may be kept for a one-sided binomial test to reject. */
function criticalCount(rows: number, level: number): number {
  let logChance = rows * Math.log(1 - PROMISED);
  let sum = 0;
  for (let kept = 0; ; kept++) {
    sum += Math.exp(logChance);
    if (sum > level) return kept - 1;
    logChance += Math.log((rows - kept) / (kept + 1)) + Math.log(PROMISED / (1 - PROMISED));
  }
}

/**
 * Returns the median number of truths, from a change to .8 at a uniformly random truth of a day, until the end of the
 * day whose exact binomial test rejects, at 1/1,000 parted over all days (Bonferroni).
 */
function dailyDelay(rows: number, streams: number): number {
  const critical = criticalCount(rows, ALLOWED / (TRUTHS / rows));
  return median(
    Array.from({ length: streams }, (_, stream) => {
      const random = seededRandom(SEEDS_OF_CHANGED + stream);
      const start = Math.floor(rows * random());
      for (let end = rows; ; end += rows) {
        let kept = 0;
        for (let at = end - rows; at < end; at++) {
          kept += Number(random() < (at < start ? PROMISED : 0.8));
        }
        if (kept <= critical) return end - start;
      }
    }),
  );
}

export const alarm: Scenario = {
  name: 'alarm',
  hasShort: true,
  run: async ({ isShort }) => {
    const changed = isShort ? 50 : 501;
    const daily = [50, 100, 200].map((rows) => `${dailyDelay(rows, changed)} at ${rows} a day`);
    const delays = [0, 1000, 5000].map((start) => alarmDelay(start, changed));
    return [
      countFalseAlarms(isShort ? 500 : 20_000),
      {
        asked: 'median truths until the alarm after coverage falls from .9 to .8',
        measured: `${delays.join(', ')} after 0, 1,000, 5,000 truths without change; a daily exact test, corrected for ${TRUTHS} truths: ${daily.join(', ')}`,
      },
    ];
  },
};

const FEW = 1000;

function countFalseAlarms(streams: number): Finding {
  let alarms = 0;
  let alarmsOfFew = 0;
  for (let stream = 0; stream < streams; stream++) {
    const outcomes = makeOutcomes(TRUTHS, stream, () => PROMISED);
    if (watch(outcomes) === null) continue;
    alarms++;
    if (stream < FEW) alarmsOfFew++;
  }
  const few = Math.min(FEW, streams);
  return {
    asked: `streams of ${TRUTHS} truths without change, read after each: at most one in 1,000 raises the alarm`,
    measured: `${tellShare(alarms, streams)}; of them the first ${tellShare(alarmsOfFew, few)}`,
    // A share of one in 1,000 exactly is that of many streams; of a few, chance may find one more.
    passed: alarms <= Math.max(2, ALLOWED * streams),
    mustHold: true,
  };
}

function tellShare(alarms: number, streams: number): string {
  const band = wilson(alarms / streams, streams).map((share) => share.toFixed(5));
  return `${streams} streams: ${alarms} alarms, ${(alarms / streams).toFixed(5)} (${band.join(' to ')})`;
}
/** A deviate of the standard normal distribution (Box & Muller 1958). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The log of the width that keeps each of the levels where errors are normal with a deviation of 1. */
const NORMAL_WIDTHS = [
  0.12566, 0.38532, 0.67449, 0.84162, 1.03643, 1.28155, 1.43953, 1.64485, 1.95996, 2.57583,
].map(Math.log);

/** The state that moves with the truths. */
interface Adapter {
  /** The reach of the next interval, in deviations of the training; infinite, if all is promised. */
  reach(level: number): number;
  learn(level: number, error: number): void;
}

class OwnAdapter implements Adapter {
  #shifts = startShifts();

  reach(level: number): number {
    const trained = Math.exp(NORMAL_WIDTHS[SHIFT_LEVELS.indexOf(level)] ?? 0);
    return trained * Math.exp(shiftAt(this.#shifts, level));
  }

  learn(level: number, error: number): void {
    const shift = shiftAt(this.#shifts, level);
    const reach = this.reach(level);
    const promise = { value: 0, min: -reach, max: reach, confidence: level, shift };
    this.#shifts = moveShifts(this.#shifts, findIntervalNeeds(promise, NORMAL_WIDTHS, error));
  }
}

/** The trained calibration alone. */
class Trained implements Adapter {
  reach(level: number): number {
    return Math.exp(NORMAL_WIDTHS[SHIFT_LEVELS.indexOf(level)] ?? 0);
  }
  learn(): void {}
}

const CALIBRATION_ROWS = 1000;

/**
 * Adaptive conformal inference as published (Gibbs & Candès 2021): the level moves by γ × (miss − (1 − level)), and
 * the width is the quantile of the calibration's scores at that level; above the highest, all is promised.
 */
class PlainAci implements Adapter {
  readonly #scores: Float64Array;
  #miss: number | undefined;

  constructor(readonly step: number) {
    const random = seededRandom(11);
    this.#scores = Float64Array.from({ length: CALIBRATION_ROWS }, () =>
      Math.abs(normal(random)),
    ).sort();
  }

  reach(level: number): number {
    const miss = this.#miss ?? 1 - level;
    const rank = Math.ceil((CALIBRATION_ROWS + 1) * (1 - miss) - 1e-9);
    if (rank < 1) return 0;
    return this.#scores[rank - 1] ?? Number.POSITIVE_INFINITY;
  }

  learn(level: number, error: number): void {
    const isMissed = Math.abs(error) > this.reach(level);
    this.#miss = (this.#miss ?? 1 - level) + this.step * (1 - level - Number(isMissed));
  }
}

const CHANGES = {
  'no change': () => 1,
  'a jump to twice': (at: number) => (at < TRUTHS / 2 ? 1 : 2),
  'a jump to four times': (at: number) => (at < TRUTHS / 2 ? 1 : 4),
  'a drift to three times': (at: number) => 1 + (2 * at) / TRUTHS,
  'a season of 1,000 truths, from half to twice': (at: number) =>
    2 ** Math.sin((2 * Math.PI * at) / 1000),
};

/** The promises that were kept, and the width of intervals. */
interface Kept {
  /** Of all truths. */
  readonly coverage: number;
  /** In the 100 truths from the 200th after half of them. */
  readonly recovered: number;
  /** The mean width beside the trained one, of finite ones. */
  readonly width: number;
  /** The share of intervals that promise all. */
  readonly infinite: number;
}

function follow(
  create: () => Adapter,
  level: number,
  change: (at: number) => number,
  streams: number,
): Kept {
  const sums = { coverage: 0, recovered: 0, width: 0, infinite: 0 };
  const trained = new Trained().reach(level);
  const from = TRUTHS / 2 + 200;
  for (let stream = 0; stream < streams; stream++) {
    const random = seededRandom(stream);
    const adapter = create();
    for (let at = 0; at < TRUTHS; at++) {
      const error = change(at) * normal(random);
      const reach = adapter.reach(level);
      const isKept = Math.abs(error) <= reach;
      sums.coverage += Number(isKept);
      if (at >= from && at < from + 100) sums.recovered += Number(isKept);
      if (Number.isFinite(reach)) sums.width += reach / trained;
      else sums.infinite++;
      adapter.learn(level, error);
    }
  }
  const truths = streams * TRUTHS;
  return {
    coverage: sums.coverage / truths,
    recovered: sums.recovered / (100 * streams),
    width: sums.width / (truths - sums.infinite),
    infinite: sums.infinite / truths,
  };
}

const PEERS: readonly [string, () => Adapter][] = [
  ['trained', () => new Trained()],
  ['plain ACI, γ = .005', () => new PlainAci(0.005)],
  ['plain ACI, γ = .05', () => new PlainAci(0.05)],
];

export const adapting: Scenario = {
  name: 'adapting',
  hasShort: true,
  run: async ({ isShort }) => {
    const streams = isShort ? 20 : 200;
    const findings: Finding[] = [];
    for (const level of [0.8, 0.9, 0.95]) {
      for (const [name, change] of Object.entries(CHANGES)) {
        const own = follow(() => new OwnAdapter(), level, change, streams);
        const peers = PEERS.map(
          ([peer, create]) => `${peer} ${tell(follow(create, level, change, streams / 10))}`,
        );
        findings.push({
          asked: `${name}, promised ${level}: within .01 in the long run, within .03 after 200 truths, without change at most 5 % wider`,
          measured: `${tell(own)}; ${peers.join('; ')}`,
          passed:
            Math.abs(own.coverage - level) <= 0.01 &&
            own.recovered >= level - 0.03 &&
            (name !== 'no change' || own.width <= 1.05),
          mustHold: true,
        });
      }
    }
    return findings;
  },
};

function tell({ coverage, recovered, width, infinite }: Kept): string {
  const all = infinite > 0 ? `, ${(100 * infinite).toFixed(1)} % infinite` : '';
  return `${coverage.toFixed(3)} (after 200 ${recovered.toFixed(3)}, width × ${width.toFixed(2)}${all})`;
}

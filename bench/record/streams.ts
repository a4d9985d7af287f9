import { wilson } from 'roster-prediction/browser';
import { seededRandom } from 'roster-prediction/internals';
import { bet, type Outcome, startAlarm } from 'roster-prediction/recording';
import { median } from '../../testkit/numbers.js';
import type { Finding, Scenario } from '../scenarios.js';
import { type Adapter, normal, OwnAdapter, PEERS, Trained } from './adapters.js';

const TRUTHS = 10_000;
const PROMISED = 0.9;
const ALLOWED = 1 / 1000;

/** Makes up what became of promises of .9, each kept with a chance that depends on its number. */
function* makeOutcomes(count: number, seed: number, chance: (at: number) => number): Generator<Outcome> {
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

const CHANGES = {
  'no change': () => 1,
  'a jump to twice': (at: number) => (at < TRUTHS / 2 ? 1 : 2),
  'a jump to four times': (at: number) => (at < TRUTHS / 2 ? 1 : 4),
  'a drift to three times': (at: number) => 1 + (2 * at) / TRUTHS,
  'a season of 1,000 truths, from half to twice': (at: number) => 2 ** Math.sin((2 * Math.PI * at) / 1000),
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
  create: (level: number) => Adapter,
  level: number,
  change: (at: number) => number,
  streams: number,
): Kept {
  const sums = { coverage: 0, recovered: 0, width: 0, infinite: 0 };
  const trained = new Trained(level).reach();
  const from = TRUTHS / 2 + 200;
  for (let stream = 0; stream < streams; stream++) {
    const random = seededRandom(stream);
    const adapter = create(level);
    for (let at = 0; at < TRUTHS; at++) {
      const error = change(at) * normal(random);
      const reach = adapter.reach();
      const isKept = Math.abs(error) <= reach;
      sums.coverage += Number(isKept);
      if (at >= from && at < from + 100) sums.recovered += Number(isKept);
      if (Number.isFinite(reach)) sums.width += reach / trained;
      else sums.infinite++;
      adapter.learn(error);
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

export const adapting: Scenario = {
  name: 'adapting',
  hasShort: true,
  run: async ({ isShort }) => {
    const streams = isShort ? 20 : 200;
    const findings: Finding[] = [];
    for (const level of [0.8, 0.9, 0.95]) {
      for (const [name, change] of Object.entries(CHANGES)) {
        const own = follow((at) => new OwnAdapter(at), level, change, streams);
        const peers = PEERS.map(([peer, create]) => `${peer} ${tell(follow(create, level, change, streams / 10))}`);
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

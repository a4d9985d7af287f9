import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../testkit/root.js';
import type { Finding } from '../scenarios.js';
import { type HeldOut, intervalScore, judge, mean, meanSeasonalDifference } from './judge.js';
import { leftOut, withSeries } from './with-series.js';

const SCRIPT = fileURLToPath(new URL('bench/forecast/peers.R', root));

/** Series of each set that the peers forecast: auto.arima takes seconds for one, and tbats a minute. */
const SAMPLE = 40;
const SAMPLE_OF_SEASONS = 6;

/** Forecasts of one series by a peer, with bounds at 0.95, by step. */
interface PeerForecast {
  readonly value: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Forecasts of a sample of the series by peer. */
type PeerForecasts = ReadonlyMap<string, readonly PeerForecast[]>;

/** The error to compare of a set, and the same of a peer. */
interface Ratios {
  readonly mase: number;
  readonly msis: number;
}

/** Compares with R's `ets` and `auto.arima`, or with those that know several seasons, on a sample of the same series. */
function comparePeers(name: string, files: readonly string[], most: number, askedMase: number | undefined) {
  return withSeries(name, files, async (sets) => {
    const ratios = new Map<string, Ratios[]>();
    const findings: Finding[] = [];
    for (const held of sets) {
      const { msis, mases } = judge(held);
      const sample = sampleSeries(held, msis, most);
      const answers = await askPeers(held, sample).catch(() => undefined);
      if (!answers) return [leftOut('there is no Rscript with the package forecast')];
      const own = { mase: meanOf(mases, sample), msis: meanOf(msis, sample) };
      for (const [peer, forecasts] of answers) {
        const scores = forecasts.map((forecast, at) => scorePeer(held, sample[at] ?? 0, forecast));
        const theirs = { mase: mean(scores.map(({ mase }) => mase)), msis: mean(scores.map(({ msis }) => msis)) };
        const ofPeer = ratios.get(peer) ?? [];
        ratios.set(peer, [...ofPeer, { mase: own.mase / theirs.mase, msis: own.msis / theirs.msis }]);
        findings.push({
          asked: `${held.name}: MASE and MSIS of ${sample.length} series, and those of ${peer}`,
          measured: `${own.mase.toFixed(3)}, ${own.msis.toFixed(2)} and ${theirs.mase.toFixed(3)}, ${theirs.msis.toFixed(2)}`,
        });
      }
    }
    for (const [peer, ofSets] of ratios) {
      const mase = geometricMean(ofSets.map(({ mase }) => mase));
      const msis = geometricMean(ofSets.map(({ msis }) => msis));
      findings.push({
        asked: `MSIS ÷ that of ${peer} < 1 in the geometric mean of the sets`,
        measured: msis.toFixed(3),
        passed: msis < 1,
      });
      if (askedMase === undefined) continue;
      findings.push({
        asked: `MASE ÷ that of ${peer} ≤ ${askedMase} in the geometric mean of the sets`,
        measured: mase.toFixed(3),
        passed: mase <= askedMase,
      });
    }
    return findings;
  });
}

function meanOf(values: readonly number[], sample: readonly number[]): number {
  return mean(sample.map((index) => values[index] ?? 0));
}

function geometricMean(ratios: readonly number[]): number {
  return Math.exp(mean(ratios.map(Math.log)));
}

/** Evenly over those that have a score. */
function sampleSeries({ coming }: HeldOut, msis: readonly number[], most: number): number[] {
  const usable = [...coming.keys()].filter((index) => !Number.isNaN(msis[index]));
  const stride = Math.max(1, Math.floor(usable.length / most));
  return usable.filter((_, at) => at % stride === 0).slice(0, most);
}

/** @throws {Error} if there is no R with the package, or it forecasts nothing */
async function askPeers({ set, horizon }: HeldOut, sample: readonly number[]): Promise<PeerForecasts> {
  const seasons = (set.seasons ?? [set.season]).join(',');
  const child = promisify(execFile)('Rscript', [SCRIPT, seasons, String(horizon)], { maxBuffer: 2 ** 26 });
  const lines = sample.map((index) => [...(set.series[index]?.values ?? [])].join(','));
  child.child.stdin?.end(`${lines.join('\n')}\n`);
  const answers = new Map<string, PeerForecast[]>();
  for (const line of (await child).stdout.trim().split('\n')) {
    const ofSeries: Record<string, PeerForecast> = JSON.parse(line);
    for (const [peer, forecast] of Object.entries(ofSeries))
      answers.set(peer, [...(answers.get(peer) ?? []), forecast]);
  }
  return answers;
}

function scorePeer({ set, coming }: HeldOut, index: number, { value, low, high }: PeerForecast): Ratios {
  const scale = meanSeasonalDifference(set.series[index]?.values ?? new Float64Array(), set.season);
  const actuals = [...(coming[index] ?? [])];
  const errors = actuals.map((actual, step) => Math.abs(actual - (value[step] ?? 0)));
  const scores = actuals.map((actual, step) => intervalScore(low[step] ?? 0, high[step] ?? 0, actual));
  return { mase: mean(errors) / scale, msis: mean(scores) / scale };
}

/** The largest MASE asked for, in units of that of the best of the four peers. */
const ASKED_OF_SEASONS = 0.95;

export const peerScenarios = [
  comparePeers('peers', ['m3', 'tourism'], SAMPLE, undefined),
  comparePeers('peers-seasons', ['hourly', 'weekly'], SAMPLE_OF_SEASONS, ASKED_OF_SEASONS),
];

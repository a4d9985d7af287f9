import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Finding, Given, Scenario } from '../scenarios.js';
import { leftOut } from './competitions.js';
import { intervalScore, judge, mean, meanSeasonalDifference } from './judge.js';
import { type HeldOut, readSeries } from './series-file.js';

const SCRIPT = fileURLToPath(new URL('../../../bench/forecast/peers.R', import.meta.url));

/** Series of each set that the peers forecast: auto.arima takes seconds for one. */
const SAMPLE = 40;

/** Bounds at 0.95 by step, of one series. */
interface Bounds {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Compares MSIS with R's `ets` and `auto.arima` on a sample of the same series. */
export const peers: Scenario = {
  name: 'peers',
  run: async (_, { data }: Given) => {
    if (data === undefined) return [leftOut('no folder is named by --data')];
    const sets = (
      await Promise.all(['m3', 'tourism'].map((name) => readSeries(data, name)))
    ).flat();
    const logs = new Map<string, number[]>();
    const findings: Finding[] = [];
    for (const held of sets) {
      const { msis } = judge(held);
      const sample = sampleSeries(held, msis);
      let answers: Record<string, Bounds[]>;
      try {
        answers = await askPeers(held, sample);
      } catch {
        return [leftOut('there is no Rscript with the package forecast')];
      }
      const ours = mean(sample.map((index) => msis[index] ?? 0));
      for (const [peer, bounds] of Object.entries(answers)) {
        const theirs = mean(
          bounds.map((ofSeries, at) => scoreBounds(held, sample[at] ?? 0, ofSeries)),
        );
        logs.set(peer, [...(logs.get(peer) ?? []), Math.log(ours / theirs)]);
        findings.push({
          asked: `${held.name}: MSIS of ${sample.length} series, and that of ${peer}`,
          measured: `${ours.toFixed(2)} and ${theirs.toFixed(2)}`,
          passed: undefined,
        });
      }
    }
    for (const [peer, ofSets] of logs) {
      const ratio = Math.exp(mean(ofSets));
      findings.push({
        asked: `MSIS ÷ that of ${peer} < 1 in the geometric mean of the sets`,
        measured: ratio.toFixed(3),
        passed: ratio < 1,
      });
    }
    return findings;
  },
};

/** Evenly over those that have a score. */
function sampleSeries({ coming }: HeldOut, msis: readonly number[]): number[] {
  const usable = [...coming.keys()].filter((index) => !Number.isNaN(msis[index]));
  const stride = Math.max(1, Math.floor(usable.length / SAMPLE));
  return usable.filter((_, at) => at % stride === 0).slice(0, SAMPLE);
}

async function askPeers({ set, horizon }: HeldOut, sample: readonly number[]) {
  const child = promisify(execFile)('Rscript', [SCRIPT, String(set.season), String(horizon)], {
    maxBuffer: 2 ** 26,
  });
  const lines = sample.map((index) => [...(set.series[index]?.values ?? [])].join(','));
  child.child.stdin?.end(`${lines.join('\n')}\n`);
  const answers: Record<string, Bounds[]> = JSON.parse((await child).stdout);
  return answers;
}

function scoreBounds({ set, coming }: HeldOut, index: number, { low, high }: Bounds): number {
  const values = set.series[index]?.values ?? new Float64Array();
  const scores = [...(coming[index] ?? [])].map((actual, step) =>
    intervalScore(low[step] ?? 0, high[step] ?? 0, actual),
  );
  return mean(scores) / meanSeasonalDifference(values, set.season);
}

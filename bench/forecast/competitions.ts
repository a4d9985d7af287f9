import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ForecastSeries } from 'roster-prediction/internals';
import { root } from '../../testkit/root.js';
import type { Finding, Scenario } from '../scenarios.js';
import {
  findCoverage,
  type HeldOut,
  intervalScore,
  type Judgement,
  judge,
  mean,
  meanSeasonalDifference,
  readSeries,
} from './judge.js';

/** The most that coverage may be off. */
const OFF = 0.015;
const STEP_OFF = 0.04;

/** The largest sMAPE asked for. */
const ASKED = new Map([
  ['m3, yearly', 16.7],
  ['m3, quarterly', 9.1],
  ['m3, monthly', 13.5],
  ['tourism, monthly', 19.3],
]);
const ASKED_OF_M3 = 12.9;

/** The time that 1,428 monthly series may be fitted in. */
const FIT_SECONDS = 30;

const SHORT_ROWS = 20;
const SHORT_OFF = 0.03;

/** Returns a scenario that runs if a folder of series is named, and has the files. */
function withSeries(
  name: string,
  files: readonly string[],
  run: (sets: readonly HeldOut[]) => Finding[] | Promise<Finding[]>,
): Scenario {
  return {
    name,
    run: async ({ data }) => {
      if (data === undefined) return [leftOut('no folder is named by --data')];
      const sets: HeldOut[] = [];
      for (const file of files) {
        try {
          sets.push(...(await readSeries(data, file)));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
          return [leftOut(`the folder has no ${file}.jsonl`)];
        }
      }
      return run(sets);
    },
  };
}

function leftOut(reason: string): Finding {
  return { asked: 'runs', measured: `left out: ${reason}` };
}

function findAll(set: HeldOut, judgement: Judgement): Finding[] {
  const { name } = set;
  const { smape, naiveSmape } = judgement;
  const asked = ASKED.get(name);
  return [
    {
      asked: `${name}: sMAPE${asked === undefined ? '' : ` ≤ ${asked}`}`,
      measured: `${smape.toFixed(2)}; the last season again ${naiveSmape.toFixed(2)}`,
      passed: asked === undefined ? undefined : smape <= asked,
    },
    ...findCoverage(name, judgement, OFF, STEP_OFF),
    {
      asked: `${name}: MSIS at 0.95`,
      measured: mean(judgement.msis.filter((score) => !Number.isNaN(score))).toFixed(2),
    },
    {
      asked: `${name}: ${set.coming.length} series fitted${name === 'm3, monthly' ? ` in ${FIT_SECONDS} s` : ''}`,
      measured: `${judgement.fitSeconds.toFixed(1)} s`,
      passed: name === 'm3, monthly' ? judgement.fitSeconds <= FIT_SECONDS : undefined,
    },
  ];
}

const m3 = withSeries('m3', ['m3'], (sets) => {
  const judged = sets.map((set) => ({ set, judgement: judge(set) }));
  const counts = judged.map(({ set }) => set.coming.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const smape = judged.reduce((sum, { judgement }, index) => sum + ((counts[index] ?? 0) / total) * judgement.smape, 0);
  return [
    { asked: `m3, all: sMAPE ≤ ${ASKED_OF_M3}`, measured: smape.toFixed(2), passed: smape <= ASKED_OF_M3 },
    ...judged.flatMap(({ set, judgement }) => findAll(set, judgement)),
  ];
});

function competition(name: string): Scenario {
  return withSeries(name, [name], (sets) => sets.flatMap((set) => findAll(set, judge(set))));
}

/** The largest MASE asked for, in units of that of the best value that is repeated. */
const ASKED_OF_SEASONS = { hourly: 0.75, halfhourly: 0.75, daily: 0.8, weekly: 0.9 };

/** Series with several seasons. */
function withSeasons([name, asked]: [string, number]): Scenario {
  return withSeries(name, [name], (sets) =>
    sets.flatMap((set): Finding[] => {
      const judgement = judge(set);
      const { mase, naiveMases, fitSeconds } = judgement;
      const ratio = mase / Math.min(...naiveMases);
      const naives = naiveMases.map((of) => of.toFixed(3)).join(', ');
      return [
        {
          asked: `${set.name}: MASE beside that of the best value that is repeated ≤ ${asked}`,
          measured: `${ratio.toFixed(3)}: ${mase.toFixed(3)}, the last value and that of each season ${naives}`,
          passed: ratio <= asked,
        },
        ...findCoverage(set.name, judgement, OFF, STEP_OFF),
        { asked: `${set.name}: ${set.coming.length} series fitted`, measured: `${fitSeconds.toFixed(1)} s` },
      ];
    }),
  );
}

/** The last rows of series, forecast by a model of such series. */
const short = withSeries('short', ['m3'], (sets) =>
  sets
    .filter(({ set }) => set.series.every(({ values }) => values.length > SHORT_ROWS))
    .flatMap(({ name, set, coming, ...held }) => {
      const horizon = Math.min(held.horizon, SHORT_ROWS / 4);
      const series = set.series.map((one) => ({
        ...one,
        start: one.start + one.values.length - SHORT_ROWS,
        values: one.values.slice(-SHORT_ROWS),
      }));
      const judgement = judge({
        name,
        horizon,
        set: { ...set, series },
        coming: coming.map((values) => values.slice(0, horizon)),
      });
      return findCoverage(`${name}, ${SHORT_ROWS} rows`, judgement, SHORT_OFF, 2 * SHORT_OFF);
    }),
);

/** Every other series, forecast by a model of the rest. */
const unseen = withSeries('unseen', ['m3'], (sets) =>
  sets.flatMap((held) => {
    const isOdd = (_: unknown, index: number) => index % 2 === 1;
    const seen = held.set.series.filter((_, index) => index % 2 === 0);
    const rest = {
      ...held,
      set: { ...held.set, series: held.set.series.filter(isOdd) },
      coming: held.coming.filter(isOdd),
    };
    return findCoverage(`${held.name}, unseen`, judge(rest, seen), SHORT_OFF, 2 * SHORT_OFF);
  }),
);

const HOUSING = new URL('datasets/txhousing.csv', root);
const HORIZON = 12;
const MONTHS = 12;

/** A small table of the tree: of monthly sales. */
async function findHousing(): Promise<Finding[]> {
  const lines = (await readFile(HOUSING, 'utf8')).trim().split('\n').slice(1);
  const rows = lines.map((line) => line.split(','));
  const cities = [...new Set(rows.map(([city]) => city))];
  const sales = cities.map((name) => {
    const ofCity = rows.filter(([city]) => city === name);
    // A month that is not told is a gap.
    return Float64Array.from(ofCity, ([, , , cell = '']) => Number.parseFloat(cell));
  });
  const series = sales.map(
    (values): ForecastSeries => ({ start: 0, values: values.subarray(0, -HORIZON), past: [], known: [] }),
  );
  const judgement = judge({
    name: 'housing',
    horizon: HORIZON,
    set: { season: MONTHS, calendar: (position) => [position % MONTHS], series },
    coming: sales.map((values) => values.subarray(-HORIZON)),
  });
  const { smape, naiveSmape } = judgement;
  return [
    {
      asked: 'sales of 46 cities in the last year: sMAPE below that of the year before again',
      measured: `${smape.toFixed(2)} and ${naiveSmape.toFixed(2)}`,
      passed: smape < naiveSmape,
    },
    // Of one year, which all cities share.
    ...findCoverage('sales', judgement, 0.1, 0.2),
  ];
}

const housing: Scenario = { name: 'housing', hasShort: true, run: findHousing };

const SCRIPT = fileURLToPath(new URL('bench/forecast/peers.R', root));

/** Series of each set that the peers forecast: auto.arima takes seconds for one. */
const SAMPLE = 40;

/** Bounds at 0.95 by step, of one series. */
interface Bounds {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Compares MSIS with R's `ets` and `auto.arima` on a sample of the same series. */
const peers = withSeries('peers', ['m3', 'tourism'], async (sets) => {
  const logs = new Map<string, number[]>();
  const findings: Finding[] = [];
  for (const held of sets) {
    const { msis } = judge(held);
    const sample = sampleSeries(held, msis);
    const answers = await askPeers(held, sample).catch(() => undefined);
    if (!answers) return [leftOut('there is no Rscript with the package forecast')];
    const ours = mean(sample.map((index) => msis[index] ?? 0));
    for (const [peer, bounds] of Object.entries(answers)) {
      const theirs = mean(bounds.map((ofSeries, at) => scoreBounds(held, sample[at] ?? 0, ofSeries)));
      logs.set(peer, [...(logs.get(peer) ?? []), Math.log(ours / theirs)]);
      findings.push({
        asked: `${held.name}: MSIS of ${sample.length} series, and that of ${peer}`,
        measured: `${ours.toFixed(2)} and ${theirs.toFixed(2)}`,
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
});

/** Evenly over those that have a score. */
function sampleSeries({ coming }: HeldOut, msis: readonly number[]): number[] {
  const usable = [...coming.keys()].filter((index) => !Number.isNaN(msis[index]));
  const stride = Math.max(1, Math.floor(usable.length / SAMPLE));
  return usable.filter((_, at) => at % stride === 0).slice(0, SAMPLE);
}

async function askPeers({ set, horizon }: HeldOut, sample: readonly number[]) {
  const child = promisify(execFile)('Rscript', [SCRIPT, String(set.season), String(horizon)], { maxBuffer: 2 ** 26 });
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

export const competitions = [
  housing,
  competition('m1'),
  m3,
  competition('tourism'),
  ...Object.entries(ASKED_OF_SEASONS).map(withSeasons),
  short,
  unseen,
  peers,
];

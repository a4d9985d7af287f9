import { readFile } from 'node:fs/promises';
import type { ForecastSeries } from 'roster-prediction/internals';
import { root } from '../../testkit/root.js';
import type { Finding, Scenario } from '../scenarios.js';
import { findCoverage, type HeldOut, type Judgement, judge, judgeFamilies, mean } from './judge.js';
import { peerScenarios } from './peers.js';
import { withSeries } from './with-series.js';

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
    judgeFamilies(sets).flatMap(({ name: of, count, judgement }): Finding[] => {
      const { mase, naiveMases, fitSeconds } = judgement;
      const ratio = mase / Math.min(...naiveMases);
      const naives = naiveMases.map((of) => of.toFixed(3)).join(', ');
      return [
        {
          asked: `${of}: MASE beside that of the best value that is repeated ≤ ${asked}`,
          measured: `${ratio.toFixed(3)}: ${mase.toFixed(3)}, the last value and that of each season ${naives}`,
          passed: ratio <= asked,
        },
        ...findCoverage(of, judgement, OFF, STEP_OFF),
        { asked: `${of}: ${count} series fitted`, measured: `${fitSeconds.toFixed(1)} s` },
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
    // A month without a value is a gap.
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
    // All cities share the year.
    ...findCoverage('sales', judgement, 0.1, 0.2),
  ];
}

const housing: Scenario = { name: 'housing', hasShort: true, run: findHousing };

export const competitions = [
  housing,
  competition('m1'),
  m3,
  competition('tourism'),
  ...Object.entries(ASKED_OF_SEASONS).map(withSeasons),
  short,
  unseen,
  ...peerScenarios,
];

import type { Finding, Given, Scenario } from '../scenarios.js';
import { findAccuracy, findCoverage, type Judgement, judge, mean } from './judge.js';
import { type HeldOut, readSeries } from './series-file.js';

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

/** Runs a scenario if a folder of series is named, and has the file. */
function withSeries(
  name: string,
  file: string,
  run: (sets: readonly HeldOut[]) => Finding[],
): Scenario {
  return {
    name,
    run: async (_, { data }: Given) => {
      if (data === undefined) return [leftOut('no folder is named by --data')];
      try {
        return run(await readSeries(data, file));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
        return [leftOut(`the folder has no ${file}.jsonl`)];
      }
    },
  };
}

export function leftOut(reason: string): Finding {
  return { asked: 'runs', measured: `left out: ${reason}`, passed: undefined };
}

function findAll(set: HeldOut, judgement: Judgement): Finding[] {
  const { name } = set;
  return [
    findAccuracy(name, judgement, ASKED.get(name)),
    ...findCoverage(name, judgement, OFF, STEP_OFF),
    {
      asked: `${name}: MSIS at 0.95`,
      measured: mean(judgement.msis.filter((score) => !Number.isNaN(score))).toFixed(2),
      passed: undefined,
    },
    {
      asked: `${name}: ${set.coming.length} series fitted${name === 'm3, monthly' ? ` in ${FIT_SECONDS} s` : ''}`,
      measured: `${judgement.fitSeconds.toFixed(1)} s`,
      passed: name === 'm3, monthly' ? judgement.fitSeconds <= FIT_SECONDS : undefined,
    },
  ];
}

const m3 = withSeries('m3', 'm3', (sets) => {
  const judged = sets.map((set) => ({ set, judgement: judge(set) }));
  const counts = judged.map(({ set }) => set.coming.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const smape = judged.reduce(
    (sum, { judgement }, index) => sum + ((counts[index] ?? 0) / total) * judgement.smape,
    0,
  );
  return [
    {
      asked: `m3, all: sMAPE ≤ ${ASKED_OF_M3}`,
      measured: smape.toFixed(2),
      passed: smape <= ASKED_OF_M3,
    },
    ...judged.flatMap(({ set, judgement }) => findAll(set, judgement)),
  ];
});

const m1 = withSeries('m1', 'm1', (sets) => sets.flatMap((set) => findAll(set, judge(set))));

const tourism = withSeries('tourism', 'tourism', (sets) =>
  sets.flatMap((set) => findAll(set, judge(set))),
);

/** The last rows of series, forecast by a model of such series. */
const short = withSeries('short', 'm3', (sets) =>
  sets
    .filter(({ set }) => set.series.every(({ values }) => values.length > SHORT_ROWS))
    .map((held) => ({
      ...held,
      name: `${held.name}, ${SHORT_ROWS} rows`,
      set: {
        ...held.set,
        series: held.set.series.map((one) => ({
          ...one,
          start: one.start + one.values.length - SHORT_ROWS,
          values: one.values.slice(-SHORT_ROWS),
        })),
      },
      horizon: Math.min(held.horizon, SHORT_ROWS / 4),
      coming: held.coming.map((values) => values.slice(0, Math.min(held.horizon, SHORT_ROWS / 4))),
    }))
    .flatMap((held) => findCoverage(held.name, judge(held), SHORT_OFF, 2 * SHORT_OFF)),
);

/** Every other series, forecast by a model of the rest. */
const unseen = withSeries('unseen', 'm3', (sets) =>
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

export const competitions = [m1, m3, tourism, short, unseen];

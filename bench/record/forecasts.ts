import {
  createPredictor,
  type ForecastPrediction,
  isKept,
  type Promises,
  readRowsTable,
  type SeriesModel,
  train,
} from 'roster-prediction';
import type { RowObject } from 'roster-prediction/internals';
import { seededRandom } from 'roster-prediction/internals';
import { addTruth, type RunningRecord, startRecord, stepGroup } from 'roster-prediction/recording';
import type { Finding, Scenario } from '../scenarios.js';
import { normal } from './adapters.js';
import { groupByTime, type Row, readOrdered } from './tables.js';

const LEVEL = 0.9;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Rows of one or several series, in the order of their moments. */
interface Stream {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly target: string;
  readonly order: string;
  readonly groups: readonly string[];
  readonly horizon: number;
  /** The moments that are trained on. */
  readonly trained: number;
  /** The moments after which recovery is measured; the last half, if left out. */
  readonly recovered?: number;
}

/** A daily series with the season of a week. Its errors pass by, and from its half on they add up. */
function makeJump(days: number): Row[] {
  const random = seededRandom(5);
  let error = 0;
  return Array.from({ length: days }, (_, day) => {
    error = (day < days / 2 ? 0 : error) + normal(random);
    const date = new Date(Date.UTC(2000, 0, 1) + day * DAY_MS).toISOString().slice(0, 10);
    return { date, y: 100 + 10 * Math.sin((2 * Math.PI * day) / 7) + error };
  });
}

/** A forecast whose truth is still to come, as it was adapted and as it was trained. */
interface Waiting {
  readonly batch: Promises;
  readonly row: number;
  readonly trained: ForecastPrediction;
}

/** The forecasts of a time, by step from 0. */
class Judged {
  readonly counts: number[] = [];
  readonly kept = { adapted: [] as number[], trained: [] as number[] };
  readonly width = { adapted: 0, trained: 0 };

  add({ batch, row, trained }: Waiting, truth: number): void {
    const at = trained.step - 1;
    const { min, max } = trained;
    const add = (list: number[], count: number) => {
      list[at] = (list[at] ?? 0) + count;
    };
    add(this.counts, 1);
    add(this.kept.adapted, Number(isKept(batch, row, truth)));
    add(this.kept.trained, Number(truth >= min && truth <= max));
    this.width.trained += max - min;
    if (batch.promised.kind !== 'interval') return;
    this.width.adapted += (batch.promised.upper[row] ?? 0) - (batch.promised.lower[row] ?? 0);
  }

  coverage(of: 'adapted' | 'trained'): number {
    const sum = (list: readonly number[]) => list.reduce((total, count) => total + count, 0);
    return sum(this.kept[of]) / sum(this.counts);
  }

  tell(): string {
    const steps = (of: 'adapted' | 'trained') => {
      const shares = this.counts.map((count, at) => (this.kept[of][at] ?? 0) / count);
      const range = [Math.min(...shares), Math.max(...shares)].map((share) => share.toFixed(3));
      return `${this.coverage(of).toFixed(3)}, by step ${range.join(' to ')}`;
    };
    const width = this.width.adapted / this.width.trained;
    return `${steps('adapted')}, width × ${width.toFixed(2)}; trained ${steps('trained')}`;
  }
}

/** Forecasts a stream from each of its moments on, and adds the rows of each as truths before the next. */
function follow({ rows, target, order, groups, horizon, trained, recovered }: Stream) {
  const moments = [...groupByTime(rows, (row) => Date.parse(String(row[order])))];
  const task = { orderBy: order, groupBy: groups, horizon, known: [] };
  const model = train(readRowsTable(moments.slice(0, trained).flat(), target, { task }));
  const server = createPredictor(model as SeriesModel);
  const { promiseSettings } = server.blocks({ remember: { answer: '' } });
  if (!promiseSettings) throw new Error('Forecasts can be remembered');
  const { subject } = promiseSettings.form;
  let record = startRecord(subject);
  const keyOf = (row: RowObject) => [order, ...groups].map((name) => row[name]).join('\n');
  const waiting = new Map<string, Waiting[]>();
  const history: Row[] = [];
  const [all, late] = [new Judged(), new Judged()];
  const lateFrom = recovered ?? (trained + moments.length) / 2;
  for (const [at, news] of moments.entries()) {
    if (at < trained) continue;
    const plain = server.predict(history, { confidence: LEVEL });
    const { adapted } = record;
    const moved = adapted ? server.adapt(adapted).predict(history, { confidence: LEVEL }) : plain;
    const batch = packForecasts(moved, horizon, adapted);
    for (const [row, forecast] of plain.entries()) {
      const key = keyOf(forecast.row);
      waiting.set(key, [...(waiting.get(key) ?? []), { batch, row, trained: forecast }]);
    }
    for (const row of news) {
      const truth = Number(row[target]);
      if (Number.isNaN(truth)) continue;
      for (const met of waiting.get(keyOf(row)) ?? []) {
        all.add(met, truth);
        if (at >= lateFrom) late.add(met, truth);
        const promise = {
          batch: met.batch,
          row: met.row,
          isKept: isKept(met.batch, met.row, truth),
          isLatest: met.trained.step === 1,
        };
        record = addTruth(record, subject, promise, truth);
      }
      waiting.delete(keyOf(row));
      history.push(row);
    }
  }
  return { all, late };
}

function packForecasts(
  forecasts: readonly ForecastPrediction[],
  horizon: number,
  adapted: RunningRecord['adapted'],
): Promises {
  return {
    rows: forecasts.length,
    level: () => LEVEL,
    bins: [Uint8Array.from(forecasts, ({ step }) => stepGroup(step, horizon) + 1)],
    promised: {
      kind: 'interval',
      values: Float64Array.from(forecasts, ({ value }) => value),
      lower: Float64Array.from(forecasts, ({ min }) => min),
      upper: Float64Array.from(forecasts, ({ max }) => max),
    },
    adapted: adapted ?? undefined,
  };
}

function judge(stream: Stream): Finding {
  const { all, late } = follow(stream);
  const distance = (of: 'adapted' | 'trained') => Math.abs(late.coverage(of) - LEVEL);
  return {
    asked: `${stream.name}: coverage nearer to ${LEVEL} with adapting in the last half or so, and at most .03 below`,
    measured: `${late.tell()}; all: ${all.tell()}`,
    passed: distance('adapted') <= distance('trained') && late.coverage('adapted') >= LEVEL - 0.03,
    mustHold: true,
  };
}

export const forecasts: Scenario = {
  name: 'forecasts',
  hasShort: true,
  run: async ({ isShort }) => {
    const daily = { target: 'y', order: 'date', groups: [], horizon: 7, trained: 400 };
    const jump = {
      name: 'a daily series of noise that becomes a random walk, 7 steps, from 200 days after the change',
      ...daily,
      rows: makeJump(2000),
      recovered: 1200,
    };
    if (isShort) return [judge(jump)];
    const chicago = await readOrdered('chicago', (row) => Date.parse(String(row.date)));
    const houses = await readOrdered('txhousing', (row) => Number(row.date));
    const monthly = houses
      .filter(({ median }) => median !== 'NA')
      .map(({ city = '', year, month, median = '' }) => {
        return { city, median, date: `${year}-${String(month).padStart(2, '0')}` };
      });
    return [
      judge(jump),
      judge({
        name: 'chicago, ridership of the next 7 days, trained on the first half',
        rows: chicago.map(({ date = '', ridership = '' }) => ({ date, ridership })),
        ...daily,
        target: 'ridership',
        trained: chicago.length >> 1,
      }),
      judge({
        name: 'txhousing, median of the next 6 months in 46 cities, trained on the first half',
        rows: monthly,
        target: 'median',
        order: 'date',
        groups: ['city'],
        horizon: 6,
        trained: 94,
      }),
    ];
  },
};

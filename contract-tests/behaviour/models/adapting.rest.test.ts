/** Models whose rows change: the alarm in the record, and answers that adapt. */
import { answered } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { describe, expect, test } from 'vitest';
import { settled } from '../../../testkit/service/train-prices.js';
import { roster, send } from '../../target.js';
import { ACTUALS, asNumber, MODEL, makeRows, PREDICT, type Row, recordedModels, SERVING } from './recorded-models.js';

const { pathOf, promise, recordOf, trainOn } = recordedModels();

describe('a model whose rows change', () => {
  test('raises its alarm, and with adapt widens its intervals until they keep what they promise', async () => {
    await trainOn('changed', makeRows(800, 1, 4, asNumber));
    await promise('changed', makeRows(400, 2, 16, asNumber));
    const before = await recordOf('changed');
    expect(before.coverage).toBeLessThan(0.7);
    expect(before.alarm.raised).toBe(true);
    expect(before.alarm.raised_after).toBeLessThan(200);
    expect(Date.parse(before.alarm.raised_at ?? '')).toBeGreaterThan(0);

    const setAdapt = (adapt: boolean) =>
      answered(roster.PUT(SERVING, { params: { path: pathOf('changed') }, body: { serving: { adapt } } }));
    expect(await setAdapt(true)).toMatchObject({ adapt: true });
    // All ways of rows have adapted: one row, some, and a table.
    const one = { path: pathOf('changed'), query: { confidence: 0.9 } };
    const single = await roster.POST(PREDICT, { params: one, body: [{ x: 5, kind: 'plain' }] });
    expect(single.response.headers.get('Model-Calibration')).toBe('adapted');
    const csv = await send(`/api/projects/${pathOf('changed').projectName}/models/changed/predict?confidence=0.9`, {
      method: 'POST',
      body: 'x,kind\n5,plain\n',
      headers: { 'Content-Type': 'text/csv', Accept: 'text/csv' },
    });
    const [, line = ''] = (await csv.text()).split('\r\n');
    expect(line).toContain(String(single.data?.[0]?.['y_max']));

    const rows = makeRows(1000, 3, 16, asNumber);
    let kept = 0;
    for (let at = 0; at < rows.length; at += 100) {
      const { data, calibration } = await promise('changed', rows.slice(at, at + 100));
      expect(calibration).toBe('adapted');
      for (const [index, { y_min, y_max }] of data.entries()) {
        const y = Number(rows[at + index]?.y);
        if (y >= Number(y_min) && y <= Number(y_max)) kept++;
      }
    }
    expect(kept / rows.length).toBeGreaterThan(0.86);
    expect(kept / rows.length).toBeLessThan(0.94);
    expect(await recordOf('changed')).toMatchObject({ calibration: 'adapted', truths: 1400 });

    await setAdapt(false);
    const { data, calibration } = await promise('changed', rows.slice(0, 1));
    expect(calibration).toBeNull();
    const width = (row: Row | undefined) => Number(row?.['y_max']) - Number(row?.['y_min']);
    expect(width(data[0])).toBeLessThan(width(single.data?.[0]) / 2);

    // A retraining starts anew.
    await trainOn('changed', makeRows(800, 4, 16, asNumber));
    expect(await recordOf('changed')).toMatchObject({ version: 2, truths: 0 });
    expect(await recordOf('changed', { version: 1 })).toMatchObject({ truths: 1401 });
  });

  test('of forecasts adapts each step by the rows of its series, until a retraining', async () => {
    const random = seededRandom(7);
    const level = [0, 0, 0];
    // Noise that passes by, and after 120 days adds up.
    const days = Array.from({ length: 230 }, (_, day) =>
      level.map((before, store) => {
        level[store] = (day < 120 ? 0 : before) + 4 * (random() + random() - 1);
        const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10);
        return { date, store: `${store}`, sales: 50 + (day % 7) + (level[store] ?? 0) };
      }),
    );
    const query = { target: 'sales', order_by: 'date', group_by: ['store'], horizon: 2 };
    const path = pathOf('series');
    const training = { params: { path, query }, body: days.slice(0, 120).flat() };
    await settled(roster, path, await answered(roster.PUT(MODEL, training)));
    const forecast = (day: number, asked: Record<string, unknown>) =>
      roster.POST(PREDICT, {
        params: { path, query: { confidence: 0.9, ...asked } },
        body: days.slice(120, day).flat(),
      });
    const setAdapt = (adapt: boolean) =>
      answered(roster.PUT(SERVING, { params: { path }, body: { serving: { adapt } } }));
    expect(await setAdapt(true)).toMatchObject({ adapt: true });
    const first = await forecast(120, { remember: true });
    expect(first.response.headers.get('Model-Calibration')).toBeNull();
    for (let day = 120; day < 230; day++) {
      if (day > 120) await forecast(day, { remember: true });
      const body = (days[day] ?? []).map((row) => ({ ...row, sales: String(row.sales) }));
      const added = await answered(roster.POST(ACTUALS, { params: { path }, body }));
      // Each moment but the first was forecast twice, and a row is counted once.
      expect(added).toMatchObject({ matched: 3, unmatched: 0 });
    }
    const { groups, ...record } = await recordOf('series', { column: 'step' });
    expect(record).toMatchObject({ calibration: 'adapted', columns: ['step'], missing: 3 });
    expect(groups).toMatchObject([
      { group: '1', truths: 330 },
      { group: '2', truths: 327 },
    ]);
    expect(record.coverage).toBeGreaterThan(0.8);
    const adapted = await forecast(230, {});
    expect(adapted.response.headers.get('Model-Calibration')).toBe('adapted');
    const backtest = { params: { path, query: { backtest: 2 } }, body: [] };
    const { response } = await roster.POST(PREDICT, backtest);
    expect(response.headers.get('Model-Calibration')).toBeNull();

    await setAdapt(false);
    const trained = await forecast(230, {});
    expect(trained.response.headers.get('Model-Calibration')).toBeNull();
    const widths = (rows: Row[] = []) =>
      [0, 1].map((at) => Number(rows[at]?.['sales_max']) - Number(rows[at]?.['sales_min']));
    const [one = 0, two = 0] = widths(adapted.data).map((width, at) => width / (widths(trained.data)[at] ?? 0));
    // A sum of two errors is wider than one: the trained calibration knows of none.
    expect(two).toBeGreaterThan(1.1 * one);

    await setAdapt(true);
    await settled(roster, path, await answered(roster.PUT(MODEL, training)));
    const anew = await forecast(230, {});
    expect(anew.response.headers.get('Model-Calibration')).toBeNull();
    expect(await recordOf('series')).toMatchObject({ version: 2, truths: 0 });
  });
});

/** The outcome of promises: the record, the alarm in it, and answers that adapt. */
import { answered, type Model } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../../testkit/service/train-prices.js';
import { ownProject, roster, send } from '../../target.js';

const MODEL = '/api/projects/{projectName}/models/{modelName}';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
const ACTUALS = '/api/projects/{projectName}/models/{modelName}/actuals';
const RECORD = '/api/projects/{projectName}/models/{modelName}/record';
const SERVING = '/api/projects/{projectName}/models/{modelName}/serving';

type Row = Record<string, unknown>;

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

const pathOf = (modelName: string) => ({ projectName, modelName });

/** Rows of a target that follows from `x` and `kind`, with noise of a size; `seed` distinguishes tables. */
function makeRows(count: number, seed: number, noise: number, target: (y: number) => unknown): Row[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const x = 10 * random();
    const kind = random() < 0.5 ? 'plain' : '=fancy';
    return { x, kind, y: target(3 * x + noise * (random() + random() + random() - 1.5)) };
  });
}

const asNumber = (y: number) => y;
const asClass = (y: number) => (y < 15 ? 'low' : 'high');

async function trainOn(name: string, body: Row[]): Promise<Model> {
  const params = { path: pathOf(name), query: { target: 'y', effort: 'fast' as const } };
  return settled(roster, params.path, await answered(roster.PUT(MODEL, { params, body })));
}

/** Predicts rows at .9, remembers them, and adds their true values. Returns the answer and its calibration. */
async function promise(name: string, rows: Row[]) {
  const params = { path: pathOf(name), query: { remember: true, confidence: 0.9 } };
  const asked = rows.map(({ x, kind }) => ({ x, kind }));
  const { data = [], response } = await roster.POST(PREDICT, { params, body: asked });
  const body = rows.map(({ y }, at) => {
    return { __service_row_id: String(data[at]?.['__service_row_id']), y: String(y) };
  });
  const added = await answered(roster.POST(ACTUALS, { params: { path: pathOf(name) }, body }));
  expect(added.matched).toBe(rows.length);
  return { data, calibration: response.headers.get('Model-Calibration') };
}

function recordOf(name: string, query: Record<string, string | number> = {}) {
  return answered(roster.GET(RECORD, { params: { path: pathOf(name), query } }));
}

describe('the record of a model', () => {
  beforeAll(async () => {
    await trainOn('kept', makeRows(600, 1, 4, asNumber));
  });

  test('counts nothing before the first promise, and knows no other version', async () => {
    await trainOn('unasked', makeRows(200, 1, 4, asNumber));
    expect(await recordOf('unasked', { by: 'day' })).toMatchObject({
      promises: 0,
      missing: 0,
      truths: 0,
      coverage: null,
      coverage_band: null,
      groups: [],
      calibration: 'trained',
      alarm: { raised: false, evidence: 1 },
    });
    const { response } = await roster.GET(RECORD, { params: { path: pathOf('unasked'), query: { version: 7 } } });
    expect(response.status).toBe(404);
  });

  test('says how many promises were kept, in all and by group, and how many truths are missing', async () => {
    await promise('kept', makeRows(400, 2, 4, asNumber));
    const unmet = { path: pathOf('kept'), query: { remember: true, confidence: 0.9 } };
    await roster.POST(PREDICT, { params: unmet, body: [{ x: 1, kind: 'plain' }] });
    const record = await recordOf('kept', { by: 'week' });
    expect(record).toMatchObject({ promises: 401, missing: 1, truths: 400, by: 'week' });
    expect(record.coverage).toBeGreaterThan(0.85);
    expect(record.promised).toBeCloseTo(0.9, 6);
    expect(record.alarm).toMatchObject({ raised: false, raised_at: null });
    expect(Number(record.error) / Number(record.trained_error)).toBeCloseTo(1, 0);
    // One week, or two if the test began at the end of one.
    const sum = (name: 'promises' | 'truths' | 'kept') =>
      record.groups.reduce((total, group) => total + group[name], 0);
    expect([sum('promises'), sum('truths'), sum('kept')]).toEqual([401, 400, record.kept]);
    const widths = await recordOf('kept', { by: 'width' });
    const sizes = widths.groups.map(({ promises }) => promises);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(401);
    const kinds = await recordOf('kept', { column: 'kind' });
    expect(kinds.by).toBe('column');
    expect(kinds.groups.map(({ group }) => group).sort()).toEqual(['=fancy', 'plain']);
  });

  test('is a table of CSV whose groups no spreadsheet program takes for formulas', async () => {
    const path = `/api/projects/${projectName}/models/kept/record`;
    const headers = { Accept: 'text/csv' };
    const text = await (await send(`${path}?by=column&column=kind`, { headers })).text();
    const [head, ...lines] = text.split('\r\n');
    expect(head).toBe('group,promises,truths,kept,coverage,coverage_low,coverage_high,promised,error');
    expect(lines.map((line) => line.split(',')[0]).sort()).toEqual(['', "'=fancy", 'plain']);
    const byDay = await (await send(path, { headers })).text();
    const days = [...byDay.matchAll(/\r\n\d{4}-\d\d-\d\d,(\d+),(\d+),/g)];
    const sum = (place: number) => days.reduce((total, day) => total + Number(day[place]), 0);
    expect([sum(1), sum(2)]).toEqual([401, 400]);
  });

  test('names the columns whose values moved, and how much of the change they explain', async () => {
    await trainOn('moved', makeRows(400, 1, 4, asNumber));
    const rows = makeRows(900, 2, 4, asNumber);
    await promise('moved', rows.slice(0, 400));
    expect(await recordOf('moved')).toMatchObject({ drift: null });
    expect((await recordOf('moved', { drift: 'true' })).drift).toMatchObject({
      since: 'training',
      rows: 400,
      moved: 0,
      columns: [],
    });
    // Three in four of all have the upper half of x, in place of one in two: a quarter has moved.
    await promise('moved', rows.filter(({ x }) => Number(x) > 5).slice(0, 400));
    const { drift } = await recordOf('moved', { drift: 'true' });
    expect(drift?.rows).toBe(400);
    expect(drift?.separation).toBeGreaterThan(0.2);
    expect(drift?.moved).toBeGreaterThan(0.15);
    expect(drift?.moved).toBeLessThan(0.55);
    expect(drift?.columns[0]).toMatchObject({ column: 'x' });
    expect(drift?.columns[0]?.share).toBeGreaterThan(0.6);

    // Without its version, the latest promises are compared with the first.
    await trainOn('moved', makeRows(200, 3, 4, asNumber));
    const path = `/api/projects/${projectName}/models/moved/versions/1`;
    expect((await send(path, { method: 'DELETE' })).status).toBe(204);
    const left = await recordOf('moved', { drift: 'true', version: 1 });
    expect(left.drift).toMatchObject({ since: 'first_promises', rows: 400 });
    expect(left.drift?.columns[0]).toMatchObject({ column: 'x' });
  });

  test('refuses columns that it does not have, with those that it has', async () => {
    for (const query of [{ by: 'column' }, { column: 'z' }] as const) {
      const params = { path: pathOf('kept'), query };
      const { error, response } = await roster.GET(RECORD, { params });
      expect(response.status).toBe(400);
      const message = expect.stringMatching(/: "\w+"/);
      expect(error).toMatchObject({ errors: [{ pointer: '/query/column', message }] });
    }
  });
});

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
    const csv = await send(`/api/projects/${projectName}/models/changed/predict?confidence=0.9`, {
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

  test('of classes adapts its probabilities and its sets', async () => {
    await trainOn('classes', makeRows(800, 1, 4, asClass));
    const swapped = (seed: number) => {
      const random = seededRandom(seed);
      return makeRows(600, seed, 4, (y) => (random() < 0.3 ? 'low' : asClass(y)));
    };
    await promise('classes', swapped(2));
    const record = await recordOf('classes', { by: 'width' });
    expect(record.alarm.raised).toBe(true);
    expect(record.groups.reduce((sum, { truths }) => sum + truths, 0)).toBe(600);
    const serving = { adapt: true };
    await roster.PUT(SERVING, { params: { path: pathOf('classes') }, body: { serving } });
    const rows = swapped(3);
    const { data, calibration } = await promise('classes', rows);
    expect(calibration).toBe('adapted');
    const stated = data.reduce((sum, { y_confidence }) => sum + Number(y_confidence), 0);
    const right = data.filter(({ y }, at) => y === rows[at]?.y).length;
    expect(Math.abs(stated - right) / rows.length).toBeLessThan(0.08);
    const inSet = data.filter(({ y_set }, at) => (Array.isArray(y_set) ? y_set : []).includes(rows[at]?.y));
    expect(inSet.length / rows.length).toBeGreaterThan(0.86);
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

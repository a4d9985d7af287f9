/** The outcome of promises: the record, with the alarm in it. */
import { answered } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { beforeAll, describe, expect, test } from 'vitest';
import { roster, send } from '../../target.js';
import { ACTUALS, asClass, asNumber, makeRows, PREDICT, RECORD, recordedModels, SERVING } from './recorded-models.js';

const { pathOf, promise, recordOf, trainOn } = recordedModels();

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
    const path = `/api/projects/${pathOf('kept').projectName}/models/kept/record`;
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

  test('counts a corrected true value as the right one, as its groups do, and bets on it no more', async () => {
    await trainOn('corrected', makeRows(200, 1, 4, asNumber));
    const rows = makeRows(40, 2, 4, asNumber);
    const { data } = await promise(
      'corrected',
      rows.map((row) => ({ ...row, y: Number(row['y']) + 1000 })),
    );
    const wrong = await recordOf('corrected');
    expect(wrong).toMatchObject({ truths: 40, kept: 0, coverage: 0 });
    const body = data.map(({ __service_row_id }, at) => ({
      __service_row_id: String(__service_row_id),
      y: String(rows[at]?.['y']),
    }));
    const added = await answered(roster.POST(ACTUALS, { params: { path: pathOf('corrected') }, body }));
    expect(added).toMatchObject({ matched: 0, corrected: 40 });
    const { groups, ...record } = await recordOf('corrected', { by: 'week' });
    expect(record).toMatchObject({ truths: 40, alarm: wrong.alarm });
    expect(record.coverage).toBeGreaterThan(0.5);
    expect(record.kept).toBe(groups.reduce((sum, { kept }) => sum + kept, 0));
    const errors = groups.reduce((sum, { error, truths }) => sum + Number(error) * truths, 0);
    expect(record.error).toBeCloseTo(errors / 40, 6);
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
    const path = `/api/projects/${pathOf('moved').projectName}/models/moved/versions/1`;
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

test('a model of classes that adapts widens its sets until they keep what they promise', async () => {
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

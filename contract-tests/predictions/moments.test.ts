/** Moments as people write them, in tables of forecasts, in rows and in truths. Against the server alone. */
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send, sendJson } from '../target.js';

const HORIZON = 2;
const DAY = 86_400_000;
const HOUR = 3_600_000;

let projectName: string;
let project: string;
beforeAll(async () => {
  projectName = await ownProject();
  project = `/api/projects/${projectName}/models`;
});

const two = (number: number) => String(number).padStart(2, '0');
const isoDay = (time: number) => new Date(time).toISOString().slice(0, 10);

function csvOf(moments: readonly (string | number)[]): string {
  return `when,y\n${moments.map((moment, index) => `${moment},${100 + index + ((index * 7919) % 13)}`).join('\n')}\n`;
}

function put(name: string, moments: readonly (string | number)[]): Promise<Response> {
  return send(`${project}/${name}?target=y&order_by=when&horizon=${HORIZON}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: csvOf(moments),
  });
}

async function train(name: string, moments: readonly (string | number)[]) {
  const response = await put(name, moments);
  if (response.status !== 202) throw new Error(await response.text());
  const model = await settled(roster, { projectName, modelName: name });
  if (model.task !== 'forecast' || model.status !== 'ready') throw new Error(model.failure ?? '');
  return model;
}

async function predict(name: string, rows: unknown, query = ''): Promise<string[]> {
  const response = await sendJson('POST', `${project}/${name}/predict?rows=lean${query}`, rows);
  const answer: unknown = await response.json();
  if (!Array.isArray(answer)) throw new Error(JSON.stringify(answer));
  return answer.map(({ when }) => when);
}

async function sendTruth(name: string, when: unknown) {
  const response = await sendJson('POST', `${project}/${name}/actuals`, [{ when, y: 170 }]);
  return response.json();
}

test('months without hyphens are months, in tables, history and truths', async () => {
  const model = await train(
    'months',
    Array.from({ length: 60 }, (_, at) => `${2019 + Math.floor(at / 12)}${two(1 + (at % 12))}`),
  );
  expect(model.series).toMatchObject({ step: { unit: 'month', count: 1 }, season: 12, last: '2023-12', gaps: 0 });
  expect(await predict('months', [])).toEqual(['2024-01', '2024-02']);
  expect(await predict('months', [{ when: 202401, y: 160 }], '&remember=true')).toEqual(['2024-02', '2024-03']);
  expect(await sendTruth('months', 202402)).toMatchObject({ matched: 1, unmatched: 0 });
});

test('days whose offset from UTC changes with the season are days by the clock', async () => {
  const offsetAt = (time: number) => (time < Date.UTC(2025, 9, 26, 12) ? '+02:00' : '+01:00');
  const start = Date.UTC(2025, 8, 20);
  const model = await train(
    'clocks',
    Array.from({ length: 60 }, (_, at) => `${isoDay(start + at * DAY)}T00:00:00${offsetAt(start + at * DAY)}`),
  );
  expect(model.series).toMatchObject({ step: { unit: 'day', count: 1 }, last: '2025-11-18T00:00:00', gaps: 0 });
  const asked = [{ when: '2025-11-19T00:00:00+01:00' }];
  expect(await predict('clocks', asked, '&remember=true')).toEqual(['2025-11-19T00:00:00+01:00']);
  expect(await sendTruth('clocks', '2025-11-19T00:00:00+01:00')).toMatchObject({ matched: 1, unmatched: 0 });
});

describe('a table is read', () => {
  const months = (write: (year: number, month: number) => string) =>
    Array.from({ length: 60 }, (_, at) => write(2019 + Math.floor(at / 12), 1 + (at % 12)));
  const hours = (write: (time: Date) => string, start: number, count = 120) =>
    Array.from({ length: count }, (_, at) => write(new Date(start + at * HOUR)));
  const halfDay = (time: Date) => {
    const hour = time.getUTCHours();
    const day = `${time.getUTCMonth() + 1}/${time.getUTCDate()}/${time.getUTCFullYear()}`;
    return `${day} ${hour % 12 || 12}:00 ${hour < 12 ? 'AM' : 'PM'}`;
  };
  const clock = (time: Date) => {
    const summer = time.getTime() >= Date.UTC(2025, 2, 30, 1) && time.getTime() < Date.UTC(2025, 9, 26, 1);
    return new Date(time.getTime() + (summer ? 2 : 1) * HOUR).toISOString().slice(0, 16);
  };

  test.each([
    [
      'names of months',
      months((year, month) => new Date(Date.UTC(year, month - 1)).toUTCString().slice(8, 16)),
      { step: { unit: 'month' }, gaps: 0 },
    ],
    [
      'quarters',
      months((year, month) => `Q${1 + ((month - 1) % 4)} ${1960 + (year - 2019) * 3 + Math.floor((month - 1) / 4)}`),
      { step: { unit: 'quarter' }, gaps: 0 },
    ],
    [
      'days without hyphens',
      hours((time) => isoDay(Date.UTC(2025, 0) + (time.getTime() / HOUR) * DAY).replaceAll('-', ''), 0, 60),
      { step: { unit: 'day' }, gaps: 0 },
    ],
    [
      'days with points',
      hours(
        (time) =>
          isoDay((time.getTime() / HOUR) * DAY)
            .split('-')
            .reverse()
            .join('.'),
        0,
        60,
      ),
      { step: { unit: 'day' }, gaps: 0 },
    ],
    ['clocks of twelve hours', hours(halfDay, Date.UTC(2025, 2, 20)), { step: { unit: 'hour' }, gaps: 0 }],
    [
      'a clock that is put forward: its hour is a gap',
      hours(clock, Date.UTC(2025, 2, 29)),
      { step: { unit: 'hour' }, gaps: 1, duplicates: 0 },
    ],
    [
      'a clock that is put back: the second of its hours counts',
      hours(clock, Date.UTC(2025, 9, 25)),
      { step: { unit: 'hour' }, gaps: 0, duplicates: 1 },
    ],
    [
      'business days',
      hours((time) => isoDay((time.getTime() / HOUR) * DAY), 0, 90).filter((day) => new Date(day).getUTCDay() % 6 > 0),
      { step: { unit: 'weekday' }, gaps: 0 },
    ],
    [
      'a month without hours',
      hours((time) => time.toISOString(), 0, 1000).filter((_, at) => at < 150 || at >= 900),
      { step: { unit: 'hour' }, gaps: 750, longest_gap: 750 },
    ],
  ])('with %s', async (_, moments, series) => {
    const response = await put('read', moments);
    expect(await response.json()).toMatchObject({ series });
    await settled(roster, { projectName, modelName: 'read' });
  });

  test.each([
    [
      'weeks without hyphens',
      Array.from({ length: 60 }, (_, at) => 100 * (2022 + Math.floor(at / 52)) + 1 + (at % 52)),
      'Write 202201 as 2022-W01.',
    ],
    ['months behind a point', months((year, month) => `${year}.${two(month)}`), 'Write 2019.01 as 2019-01.'],
    ['months before a point', months((year, month) => `${two(month)}.${year}`), 'Write 1.2019 as 2019-01.'],
  ])('but not with %s, which have gaps as numbers', async (_, moments, hint) => {
    const response = await put('refused', moments);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: [{ column: 'when', message: expect.stringContaining(hint) }],
    });
  });
});

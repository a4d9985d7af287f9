/** Models of classes, from the table to the answer. Against the server alone. */
import { answered, type ClassificationModel, type Model } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send } from '../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';
const ALL = '/api/projects/{projectName}/models';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

type Row = Record<string, unknown>;

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

const pathOf = (modelName: string) => ({ projectName, modelName });

function rowsWith(count: number, y: (row: number) => unknown): Row[] {
  return Array.from({ length: count }, (_, row) => ({ x: row, y: y(row) }));
}

function begin(name: string, body: Row[], task?: 'regression' | 'classification') {
  const query = { target: 'y', ...(task && { task }) };
  return roster.PUT(ONE, { params: { path: pathOf(name), query }, body });
}

async function trained(name: string, body: Row[], task?: 'classification'): Promise<Model> {
  return settled(roster, pathOf(name), await answered(begin(name, body, task)));
}

function classifier(model: Model): ClassificationModel {
  if (model.task === 'classification') return model;
  throw new Error('The model is of numbers.');
}

const halves = (row: number) => (row < 40 ? 'below' : 'above');

describe('a target', () => {
  test('of text is predicted as classes, which the model lists with their shares', async () => {
    const model = classifier(await trained('text', rowsWith(80, halves)));
    expect(model).toMatchObject({ status: 'ready', row_count: 80 });
    expect(model.classes).toMatchObject([
      { name: 'below', rows: 40, share: 0.5 },
      { name: 'above', rows: 40, share: 0.5 },
    ]);
    expect(model.metrics?.accuracy).toBeGreaterThan(0.8);
    expect(model.training_seconds).toBeGreaterThan(0);
    expect(model.summary).toContain('Better than always answering the commonest class');
    const models = await answered(roster.GET(ALL, { params: { path: { projectName } } }));
    expect(models).toContainEqual(model);
  });

  test('of booleans is predicted as classes, and answered with their texts', async () => {
    await trained(
      'booleans',
      rowsWith(80, (row) => row < 40),
    );
    const rows = await answered(
      roster.POST(PREDICT, {
        params: { path: pathOf('booleans') },
        body: [
          { x: 5, y: 'TRUE' },
          { x: 75, y: null },
        ],
      }),
    );
    expect(rows).toMatchObject([
      { y: 'true', y_original: 'TRUE', y_anomaly: false },
      { y: 'false', y_original: null, y_anomaly: null },
    ]);
  });

  test('of three whole numbers is predicted as numbers, or as classes where that is asked for', async () => {
    const rows = rowsWith(90, (row) => 1 + Math.floor(row / 30));
    expect(await trained('stars', rows)).toMatchObject({ task: 'regression' });
    const [number] = await answered(
      roster.POST(PREDICT, { params: { path: pathOf('stars') }, body: [{ x: 45 }] }),
    );
    expect([number?.['y'], number?.['y_min'], number?.['y_max']].every(Number.isInteger)).toBe(
      true,
    );
    const model = classifier(await trained('stars', rows, 'classification'));
    expect(model.version).toBe(2);
    expect(model.classes?.map(({ name }) => name)).toEqual(['1', '2', '3']);
    const [answer] = await answered(
      roster.POST(PREDICT, { params: { path: pathOf('stars') }, body: [{ x: 45, y: 2 }] }),
    );
    expect(answer).toMatchObject({ y: '2', y_original: 2, y_anomaly: false, y_min: null });
  });

  test('whose columns say nothing of it makes a model that says so', async () => {
    const model = await trained(
      'noise',
      rowsWith(200, (row) => ((row * 7919) % 13 < 7 ? 'a' : 'b')),
    );
    expect(model.summary).toContain('The columns say little or nothing of the target.');
    const numbers = await trained(
      'noise',
      rowsWith(200, (row) => (row * 7919) % 13),
    );
    expect(numbers.summary).toContain('No better than always answering the mean');
  });
});

describe('rows of a classifier', () => {
  beforeAll(() =>
    trained(
      'halves',
      rowsWith(200, (row) => (row + (row % 7) * 9 < 100 ? 'a' : 'b')),
    ),
  );
  const path = () => ({ path: pathOf('halves') });

  test('get larger sets at higher confidences', async () => {
    const sizes = await Promise.all(
      [0.5, 0.99].map(async (confidence) => {
        const params = { ...path(), query: { confidence } };
        const rows = await answered(
          roster.POST(PREDICT, { params, body: rowsWith(200, () => null) }),
        );
        return rows.reduce((sum, row) => sum + Array(row['y_set']).flat().length, 0);
      }),
    );
    expect(sizes[1]).toBeGreaterThan(sizes[0] ?? 0);
  });

  test('are the same as lines, which end with the warnings', async () => {
    const rows = await answered(roster.POST(PREDICT, { params: path(), body: [{ x: 5 }, 7] }));
    const response = await send(`/api/projects/${projectName}/models/halves/predict`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson' },
      body: '{"x":5}\n7\n',
    });
    const lines = (await response.text()).trimEnd().split('\n');
    const warnings = [{ kind: 'no-column', name: null, nearest: null, rows: 1 }];
    expect(lines.map((line) => JSON.parse(line))).toEqual([...rows, { warnings, more: 0 }]);
  });
});

describe('is refused with 422, by column, and the version before goes on:', () => {
  beforeAll(() => trained('kept', rowsWith(80, halves)));

  test.each<[string, Row[], ('regression' | 'classification') | undefined, string]>([
    ['one class', rowsWith(60, () => 'a'), undefined, 'nothing to predict'],
    ['a class of one row', rowsWith(60, (row) => (row ? 'a' : 'b')), undefined, 'has 1 row'],
    ['10,000 classes', rowsWith(10_000, (row) => `c${row}`), undefined, '5,000 different values'],
    ['blanks', rowsWith(60, (row) => (row < 9 ? 'a' : '')), undefined, 'Only 9 rows'],
    [
      'a class of 10 kB',
      rowsWith(60, (row) => (row < 30 ? 'a' : 'b'.repeat(10_000))),
      undefined,
      '200 characters',
    ],
    ['text as numbers', rowsWith(60, halves), 'regression', 'must hold finite numbers'],
    ['fractions as classes', rowsWith(60, (row) => row / 7), 'classification', 'at least 10 rows'],
  ])('%s', async (_what, body, task, message) => {
    const { error } = await begin('kept', body, task);
    expect(error).toMatchObject({
      type: '/problems/unusable-table',
      errors: [{ column: 'y', message: expect.stringContaining(message) }],
    });
    const model = await answered(roster.GET(ONE, { params: { path: pathOf('kept') } }));
    expect(model).toMatchObject({ version: 1, status: 'ready', serving_version: 1 });
  });
});

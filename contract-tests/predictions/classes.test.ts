/** Models of classes, from the table to the answer. Against the server alone. */
import { tableFromIPC } from 'apache-arrow';
import { answered, type ClassificationModel, type Model } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { effortOf } from '../sent-tables.js';
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
  const query = { target: 'y', ...effortOf({}), ...(task && { task }) };
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

test('a lean row has the probability of each class, and its explanation as an object', async () => {
  const cutOf = (row: number) => (row < 12 ? `Rare ${row % 3}` : row % 2 ? 'Ideal' : 'Premium');
  const table = Array.from({ length: 200 }, (_, row) => ({ carat: row / 100, price: 300 + row, cut: cutOf(row) }));
  const params = { path: pathOf('cuts'), query: { target: 'cut', ...effortOf({}) } };
  await settled(roster, params.path, await answered(roster.PUT(ONE, { params, body: table })));
  const query = { rows: 'lean', probabilities: true, explain: true } as const;
  const [row] = await answered(
    roster.POST(PREDICT, { params: { path: params.path, query }, body: [{ carat: 0.7, price: 370, cut: 'Ideal' }] }),
  );
  const classes = ['Ideal', 'Premium', 'other'];
  expect(row).toMatchObject({ cut_original: 'Ideal', cut_explain: { truth: 'Ideal' } });
  const probabilities = classes.map((name) => Number(row?.[`cut_probability_${name}`]));
  expect(probabilities.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 2);
});

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
    const [number] = await answered(roster.POST(PREDICT, { params: { path: pathOf('stars') }, body: [{ x: 45 }] }));
    expect(number?.['y']).toBeCloseTo(2, 0);
    expect([number?.['y_min'], number?.['y_max']].every(Number.isInteger)).toBe(true);
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
        const rows = await answered(roster.POST(PREDICT, { params, body: rowsWith(200, () => null) }));
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

test('thresholds hold on rows that the model has not seen, and so does the AUC', async () => {
  // The numbers are informative but noisy; a quarter of the rows is of the rarer class.
  const row = (seed: number): Row => {
    const noise = Math.abs(Math.sin(seed * 12.9898) * 43758.5453) % 1;
    const x = (seed * 37) % 101;
    return { x, z: seed % 11, y: x / 101 + 0.9 * noise > 1.15 ? 'leaves' : 'stays' };
  };
  const rows = Array.from({ length: 2400 }, (_, index) => row(index));
  const { metrics, summary } = classifier(await trained('leavers', rows.slice(0, 1200)));
  const fresh = rows.slice(1200);
  const query = { rows: 'lean', probabilities: true } as const;
  const params = { path: pathOf('leavers'), query };
  const answers = await answered(roster.POST(PREDICT, { params, body: fresh }));
  const probability = (index: number) => Number(answers[index]?.['y_probability_leaves']);
  const leavers = [...fresh.keys()].filter((index) => fresh[index]?.['y'] === 'leaves');
  const others = [...fresh.keys()].filter((index) => fresh[index]?.['y'] === 'stays');
  const wins = leavers.flatMap((one) =>
    others.map((other) => 0.5 + 0.5 * Math.sign(probability(one) - probability(other))),
  );
  const area = wins.reduce((sum, win) => sum + win, 0) / wins.length;
  expect(area).toBeGreaterThan(0.7);
  expect(metrics?.auc).toBeCloseTo(area, 1);
  const [stays, leaves] = metrics?.by_class ?? [];
  expect([stays?.auc, leaves?.auc]).toEqual([metrics?.auc, metrics?.auc].map((auc) => expect.closeTo(auc ?? 0, 9)));
  expect(leaves?.class).toBe('leaves');
  const { probability: thresholds = [], caught = [], false_alarms = [] } = leaves?.thresholds ?? {};
  expect([caught.at(-1), false_alarms.at(-1)]).toEqual([leaves?.rows, stays?.rows]);
  // Among as many fresh rows as a threshold calls, those of the highest probability, as many leave.
  const ranked = [...fresh.keys()].sort((one, other) => probability(other) - probability(one));
  for (const [index, found] of caught.entries()) {
    const called = (found + (false_alarms[index] ?? 0)) / (metrics?.held_out_rows ?? 1);
    const top = new Set(ranked.slice(0, Math.round(called * fresh.length)));
    const share = leavers.filter((one) => top.has(one)).length / leavers.length;
    expect(Math.abs(share - found / (leaves?.rows ?? 1))).toBeLessThan(0.12);
  }
  expect(thresholds).toHaveLength(caught.length);
  expect(summary).toMatch(
    /It finds [\d,]+ of [\d,]+ rows of "leaves", with [\d,]+ false alarms\..* Its AUC is 0\.\d+\./,
  );
});

describe('the rows of an answer', () => {
  const asked: Row[] = [{ x: 5, y: 'yes' }, { x: 75 }, { x: 199, y: 'other' }];
  const sent = { Accept: 'application/json', 'Content-Type': 'application/json' };
  const path = (name: string) => `/api/projects/${projectName}/models/${name}/predict`;
  const post = (name: string, query: string, headers: Partial<typeof sent> = {}) =>
    send(`${path(name)}?${query}`, { method: 'POST', headers: { ...sent, ...headers }, body: JSON.stringify(asked) });
  const rowsOf = async (response: Response): Promise<Row[]> => JSON.parse(await response.text());

  // Three rows are of rare classes, which are merged into `other`.
  const kind = (row: number) => (row > 196 ? `rare ${row}` : row + (row % 7) * 9 < 80 ? 'yes' : '=no, "not"');
  const classes = ['=no, "not"', 'yes', 'other'];
  beforeAll(async () => {
    await trained('kinds', rowsWith(200, kind));
    const body = rowsWith(200, kind).map((row) => ({ ...row, y_probability_yes: 1 }));
    await trained('claimed', body);
    await trained(
      'numbers',
      rowsWith(200, (row) => row),
    );
  });

  test('have the probability of each class where it is asked for, in every format', async () => {
    const full = await rowsOf(await post('kinds', 'probabilities=true'));
    const names = classes.map((name) => `y_probability_${name}`);
    const keys = Object.keys(full[0] ?? {});
    expect(keys.slice(keys.indexOf('y_set'))).toEqual([
      'y_set',
      ...names,
      ...['select_data_query', 'when_data', '__service_row_id'],
    ]);
    for (const row of full) {
      const explained = JSON.parse(String(row['y_explain']));
      const probabilities = names.map((name) => Number(row[name]));
      expect(probabilities).toEqual(classes.map((name) => explained[`probability_class_${name}`]));
      expect(probabilities.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 5);
      expect(Math.max(...probabilities)).toBe(row['y_confidence']);
    }
    const lean = await rowsOf(await post('kinds', 'rows=lean&probabilities=true'));
    const columns = ['x', 'y', 'y_confidence', 'y_set', ...names];
    expect(lean.map((row) => Object.entries(row))).toEqual(full.map((row) => columns.map((name) => [name, row[name]])));
    const lines = await post('kinds', 'rows=lean&probabilities=true', { Accept: 'application/x-ndjson' });
    const texts = (await lines.text()).trimEnd().split('\n');
    expect(texts.map((text) => JSON.parse(text))).toEqual(lean);
    const csv = await post('kinds', 'probabilities=true', { Accept: 'text/csv' });
    const [header, ...records] = (await csv.text()).trimEnd().split('\r\n');
    expect(header).toBe('x,y,y_confidence,y_set,"y_probability_=no, ""not""",y_probability_yes,y_probability_other');
    expect(records.map((record) => record.split(',').slice(-3).map(Number))).toEqual(
      full.map((row) => names.map((name) => row[name])),
    );
    const arrow = await post('kinds', 'probabilities=true', { Accept: 'application/vnd.apache.arrow.stream' });
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
    expect(table.schema.fields.map(({ name }) => name)).toEqual(columns);
    expect(names.map((name) => [...(table.getChild(name) ?? [])])).toEqual(
      names.map((name) => full.map((row) => row[name])),
    );
  });

  test.each([1, 3, 600])('are lean in JSON and in lines: %d rows', async (count) => {
    const body = JSON.stringify(Array.from({ length: count }, (_, row) => asked[row % 3]));
    const answer = async (query: string, accept = 'application/json') => {
      const headers = { ...sent, Accept: accept };
      const response = await send(`${path('kinds')}?${query}`, { method: 'POST', headers, body });
      return response.text();
    };
    const full: Row[] = JSON.parse(await answer(''));
    const lean: Row[] = JSON.parse(await answer('rows=lean&explain=true'));
    expect(lean.map((row) => Object.entries(row))).toEqual(
      full.map((row) => [
        ...['x', 'y', 'y_confidence', 'y_set', 'y_original', 'y_anomaly'].map((name) => [name, row[name]]),
        ['y_explain', JSON.parse(String(row['y_explain']))],
      ]),
    );
    const lines = await answer('rows=lean&explain=true', 'application/x-ndjson');
    expect(`[${lines.trimEnd().split('\n').join()}]`).toBe(await answer('rows=lean&explain=true'));
    expect(await answer('rows=full&explain=true')).toBe(await answer(''));
  });

  test('are lean for numbers, too', async () => {
    const [row] = await rowsOf(await post('numbers', 'rows=lean&explain=true&confidence=0.9'));
    expect(Object.keys(row ?? {})).toEqual([
      ...['x', 'y', 'y_confidence', 'y_min', 'y_max', 'y_original', 'y_anomaly', 'y_explain'],
    ]);
    expect(row?.['y_explain']).toMatchObject({ predicted_value: row?.['y'], truth: 'yes' });
  });

  test.each([
    ['numbers', 'is for models of classes, and this one predicts numbers; leave it out'],
    ['claimed', 'would add a column "y_probability_yes", which is an input column of the model'],
  ])('of the model %s have no probabilities', async (name, message) => {
    for (const type of ['application/json', 'application/x-ndjson', 'text/csv']) {
      const headers = { ...sent, Accept: type };
      const response = await post(name, 'probabilities=true', headers);
      expect(await response.json()).toMatchObject({
        type: '/problems/invalid-request',
        errors: [{ pointer: '/query/probabilities', message: expect.stringContaining(message) }],
      });
    }
    const headers = { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson' };
    const lines = { method: 'POST', headers, body: '{"x":5}\n' };
    expect(await (await send(`${path(name)}?probabilities=true`, lines)).text()).toContain('/query/probabilities');
  });
});

describe('is refused with 422, by column, and the version before goes on:', () => {
  beforeAll(() => trained('kept', rowsWith(80, halves)));

  test.each<[string, Row[], ('regression' | 'classification') | undefined, string]>([
    ['one class', rowsWith(60, () => 'a'), undefined, 'nothing to predict'],
    ['a class of one row', rowsWith(60, (row) => (row ? 'a' : 'b')), undefined, 'has 1 row'],
    ['10,000 classes', rowsWith(10_000, (row) => `c${row}`), undefined, '5,000 different values'],
    ['blanks', rowsWith(60, (row) => (row < 9 ? 'a' : '')), undefined, 'Only 9 rows'],
    ['a class of 10 kB', rowsWith(60, (row) => (row < 30 ? 'a' : 'b'.repeat(10_000))), undefined, '200 characters'],
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

import { rowWarnings } from 'roster-client';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fewDiamonds, oneDiamond, slowTable } from '../../testkit/data/diamonds.js';
import { settled, trainPrices } from '../../testkit/service/train-prices.js';
import { faulty, ownProject, roster, send, situation } from '../target.js';

const ALL = '/api/projects/{projectName}/models';
const ONE = '/api/projects/{projectName}/models/{modelName}';
const ACTUALS = '/api/projects/{projectName}/models/{modelName}/actuals';
const RECORD = '/api/projects/{projectName}/models/{modelName}/record';
const SERIES = '/api/projects/{projectName}/models/{modelName}/series';
const ERRORS = '/api/projects/{projectName}/models/{modelName}/errors';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
const VERSIONS = '/api/projects/{projectName}/models/{modelName}/versions';
const VERSION = '/api/projects/{projectName}/models/{modelName}/versions/{version}';
const TRAINING = '/api/projects/{projectName}/models/{modelName}/versions/{version}/training';
const PREVIEW = '/api/projects/{projectName}/tables/preview';
const ONNX = '/api/projects/{projectName}/models/{modelName}/onnx';
const DETAILS = '/api/projects/{projectName}/models/{modelName}/details';
const SERVING = '/api/projects/{projectName}/models/{modelName}/serving';

const LINES = 'application/x-ndjson';
const FILE = 'application/onnx, application/problem+json';
const CSV = { 'Content-Type': 'text/csv' };

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

// A training that nobody waits for is cancelled, so that it does not hold up the next one.
afterEach(async () => {
  if (!shared.has(project)) await roster.DELETE(ONE, { params: prices() });
});
afterAll(async () => {
  for (project of shared) await roster.DELETE(ONE, { params: prices() });
});

/** The projects of models that several tests read and none changes: a training costs more than most tests. */
const shared = new Set<string>();

/** Returns a function that makes the model in its first call, and then lets the test use it. */
function once(make: () => Promise<unknown>): () => Promise<void> {
  let made: Promise<string> | undefined;
  return async () => {
    made ??= (async () => {
      const own = project;
      shared.add(own);
      await make();
      return own;
    })();
    project = await made;
  };
}

const inProject = () => ({ path: { projectName: project } });
const named = (modelName: string) => ({ path: { projectName: project, modelName } });
const prices = () => named('diamond_prices');
const version = (number: string) => ({ path: { ...prices().path, version: number } });
const training = (target: string, task?: 'classification') => ({
  ...prices(),
  query: { target, ...(task && { task }) },
});

const trainOwn = () => trainPrices(roster, prices().path);

const trained = once(trainOwn);

/** Sixty diamonds of two cuts, which follow from the price. */
const cuts = `carat,price,cut\n${[...Array(60).keys()].map((index) => `${index / 50},${300 + index},${index % 60 < 30 ? 'Ideal' : 'Premium'}`).join('\n')}`;

const begunOnCuts = () => roster.PUT(ONE, { params: training('cut'), body: cuts, headers: CSV });

const trainedOnCuts = once(async () => settled(roster, prices().path, (await begunOnCuts()).data));

function startTraining(body: string) {
  return roster.PUT(ONE, { params: training('price'), body, headers: CSV });
}

const begun = () => startTraining(fewDiamonds);

test('listModels answers 200 with the models', async () => {
  const given = await situation(200, 'models', trained);
  const { data, response } = await roster.GET(ALL, { params: inProject(), ...given });
  expect(response.status).toBe(200);
  expect(data).toMatchObject([{ name: 'diamond_prices', version: expect.any(Number), target: 'price' }]);
});

describe('trainModel', () => {
  test.each([
    ['CSV', fewDiamonds, CSV],
    ['rows', [...Array(100).keys()].map((carat) => ({ carat, price: carat * 2 })), {}],
  ])('202 for a table as %s, with the model and where to look', async (_form, body, headers) => {
    const { data, response } = await roster.PUT(ONE, { params: training('price'), body, headers });
    expect(response.status).toBe(202);
    expect(data).toMatchObject({
      name: 'diamond_prices',
      version: 1,
      status: 'training',
      serving_version: null,
      columns: null,
      metrics: null,
    });
    expect(response.headers.get('Location')).toBeTruthy();
  });

  test('202 for a target of classes, as the task of the model says', async () => {
    const given = await situation(202, 'classes');
    const { data, response } = await roster.PUT(ONE, {
      params: training('cut'),
      body: cuts,
      headers: { ...CSV, ...given.headers },
    });
    expect(response.status).toBe(202);
    expect(data).toMatchObject({ status: 'training', task: 'classification', classes: null });
  });

  test('422 for a target that is too different for the task that was asked for', async () => {
    const given = await situation(422, 'classes');
    const { error } = await roster.PUT(ONE, {
      params: training('carat', 'classification'),
      body: cuts,
      headers: { ...CSV, ...given.headers },
    });
    expect(error).toMatchObject({
      type: '/problems/unusable-table',
      errors: [{ message: expect.stringContaining('at least 10 rows') }],
    });
  });

  test('400 without a target', async () => {
    const given = await situation(400, 'invalid');
    const { error } = await roster.PUT(ONE, {
      params: training('price'),
      querySerializer: faulty(
        () => '',
        () => 'target=price',
      ),
      body: fewDiamonds,
      headers: { ...CSV, ...given.headers },
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('422 for a target that is not a column, which is named', async () => {
    const given = await situation(422, 'target');
    const { error } = await roster.PUT(ONE, {
      params: training('prize'),
      body: fewDiamonds,
      headers: { ...CSV, ...given.headers },
    });
    expect(error).toMatchObject({ type: '/problems/unusable-table', errors: [{ column: 'prize' }] });
  });

  test('422 for a line with a field too many, which is counted', async () => {
    const given = await situation(422, 'fields');
    const lines = ['carat,cut,color,price', ...Array(20).fill('0.23,Ideal,E,326')];
    lines[16] = '0.21,Premium,E,326,1';
    const { error } = await roster.PUT(ONE, {
      params: training('price'),
      body: lines.join('\n'),
      headers: { ...CSV, ...given.headers },
    });
    expect(error).toMatchObject({ type: '/problems/unusable-table', errors: [{ line: 17 }] });
  });
});

describe('getModel', () => {
  test('200 with a model that is ready: its columns and how well it does', async () => {
    const given = await situation(200, 'ready', trained);
    const { data, response } = await roster.GET(ONE, { params: prices(), ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({ status: 'ready', progress: 1, failure: null, serving_version: 1 });
    expect(data?.columns?.slice(0, 2)).toMatchObject([
      { name: 'carat', kind: 'number', used: true, categories: null },
      { name: 'cut', kind: 'category', used: true, min: null, max: null },
    ]);
    if (data?.task !== 'regression') throw new Error('The target is a number.');
    expect(data.metrics?.rmse).toBeLessThan(data.metrics?.baseline_rmse ?? 0);
    expect(data.metrics?.residuals.length).toBeGreaterThan(1);
    expect(data.summary).toContain('Better than always answering the mean');
  });

  test('200 with a classifier that is ready: its classes and how well it does', async () => {
    const given = await situation(200, 'classes', trainedOnCuts);
    const { data, response } = await roster.GET(ONE, { params: prices(), ...given });
    expect(response.status).toBe(200);
    if (data?.task !== 'classification') throw new Error('The target is a class.');
    const names = data.classes?.map(({ name }) => name);
    expect(names?.slice(0, 2)).toEqual(['Ideal', 'Premium']);
    expect(data.metrics?.log_loss).toBeLessThan(data.metrics?.baseline_log_loss ?? 0);
    expect(data.metrics?.by_class.map((one) => one.class)).toEqual(names);
    expect(data.summary).toContain('Better than always answering the commonest class');
  });

  test('404 where there is none of this name', async () => {
    const given = await situation(404, 'model');
    const { error } = await roster.GET(ONE, { params: named('ruby_prices'), ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });
});

describe('addActuals', () => {
  test('200 for truths, of which one meets a promise', async () => {
    const given = await situation(200, 'matched', trained);
    const { data: predicted } = await roster.POST(PREDICT, {
      params: { ...prices(), query: { remember: true } },
      body: [oneDiamond],
    });
    const [row] = Array.isArray(predicted) ? predicted : [];
    const { data } = await roster.POST(ACTUALS, {
      params: prices(),
      body: [
        { __service_row_id: String(row?.['__service_row_id']), price: 2757 },
        { __service_row_id: 'none', price: 2757 },
      ],
      ...given,
    });
    expect(data).toMatchObject({ matched: 1, unmatched: 1, unmatched_rows: [{ row: 2, reason: 'unknown-id' }] });
  });
});

describe('predict', () => {
  test('200 with an answer row for each row, whose columns are the documented ones', async () => {
    const given = await situation(200, 'rows', trained);
    const { data, response } = await roster.POST(PREDICT, { params: prices(), body: [oneDiamond], ...given });
    expect(response.status).toBe(200);
    expect(data).toHaveLength(1);
    expect(data?.[0]).toMatchObject({
      carat: 0.7,
      cut: 'Ideal',
      color: 'G',
      price: expect.any(Number),
      price_original: 2757,
      price_confidence: expect.any(Number),
      price_min: expect.any(Number),
      price_max: expect.any(Number),
      price_anomaly: expect.any(Boolean),
      price_explain: expect.stringContaining('"predicted_value":'),
      select_data_query: null,
      when_data: null,
      __service_row_id: null,
    });
  });

  test('200 of a classifier with a class, its probability and a set', async () => {
    const given = await situation(200, 'classes', trainedOnCuts);
    const { data, response } = await roster.POST(PREDICT, {
      params: prices(),
      body: [{ carat: 0.1, price: 310, cut: 'Ideal' }],
      ...given,
    });
    expect(response.status).toBe(200);
    expect(data?.[0]).toMatchObject({
      cut: 'Ideal',
      cut_original: 'Ideal',
      cut_confidence: expect.any(Number),
      cut_min: null,
      cut_max: null,
      cut_anomaly: false,
      cut_explain: expect.stringContaining('"probability_class_Premium":'),
      cut_set: expect.arrayContaining(['Ideal']),
      select_data_query: null,
    });
  });

  test('200 with a line for each line, in the place of one that is not JSON its problem', async () => {
    const given = await situation(200, 'lines', trained);
    const address = `/api/projects/${project}/models/diamond_prices/predict`;
    const lines = [JSON.stringify(oneDiamond), '{"carat":0.7,', '{"carat":0.7,"cut":"Ideal"}'];
    const response = await send(address, {
      method: 'POST',
      headers: { ...given.headers, 'Content-Type': LINES, Accept: LINES },
      body: lines.join('\n'),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe(LINES);
    const answers = (await response.text()).trimEnd().split('\n');
    expect(answers.map((line) => JSON.parse(line))).toMatchObject([
      { carat: 0.7, price: expect.any(Number), price_original: 2757, __service_row_id: null },
      { problem: { type: '/problems/invalid-line', line: 2 } },
      { carat: 0.7, price: expect.any(Number), price_original: null, __service_row_id: null },
    ]);
  });

  test('200 for a name that the model does not know, with a header that names it', async () => {
    const given = await situation(200, 'rows', trained);
    const { response } = await roster.POST(PREDICT, {
      params: prices(),
      body: [0.7, 300, 0.9].map((carat) => ({ ...oneDiamond, carat, colour: 'G' })),
      ...given,
    });
    expect(response.status).toBe(200);
    expect(rowWarnings(response)).toEqual({
      warnings: [
        { kind: 'unknown-name', name: 'colour', rows: 3, nearest: 'color' },
        { kind: 'out-of-range', name: 'carat', rows: 1, nearest: null },
      ],
      more: 0,
    });
  });

  test('422 for such a name where it is to be refused', async () => {
    const given = await situation(422, 'misspelled', trained);
    const { error } = await roster.POST(PREDICT, {
      params: { ...prices(), query: { unknown: 'refuse' } },
      body: [{ carat: 0.7, cut: 'Ideal', colour: 'G' }],
      ...given,
    });
    expect(error).toMatchObject({
      type: '/problems/unknown-names',
      errors: [{ pointer: '/body/0/colour', name: 'colour', nearest: 'color', rows: 1 }],
    });
  });

  test('400 for a confidence that nothing can have', async () => {
    const given = await situation(400, 'invalid');
    const { error } = await roster.POST(PREDICT, {
      params: { ...prices(), query: { confidence: faulty(1, 0.9) } },
      body: [],
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('404 where there is no model of this name', async () => {
    const given = await situation(404, 'model');
    const { error } = await roster.POST(PREDICT, { params: named('ruby_prices'), body: [], ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });
});

test('listVersions answers 200 with the versions, oldest first', async () => {
  const given = await situation(200, 'versions', begun);
  const { data, response } = await roster.GET(VERSIONS, { params: prices(), ...given });
  expect(response.status).toBe(200);
  expect(data).toMatchObject([{ name: 'diamond_prices', version: 1, target: 'price' }]);
});

test('listVersions answers 404 where there is no model of this name', async () => {
  const given = await situation(404, 'model');
  const { error } = await roster.GET(VERSIONS, { params: named('ruby_prices'), ...given });
  expect(error?.type).toBe('/problems/model-not-found');
});

describe('getVersion', () => {
  test('200 with the version: its columns and how well it does', async () => {
    const given = await situation(200, 'ready', trained);
    const { data, response } = await roster.GET(VERSION, { params: version('1'), ...given });
    expect(response.status).toBe(200);
    const metrics = { rmse: expect.any(Number) };
    expect(data).toMatchObject({ version: 1, status: 'ready', serving_version: 1, metrics });
  });

  test('404 where there is none of this number', async () => {
    const given = await situation(404, 'model', trained);
    const { error } = await roster.GET(VERSION, { params: version('9'), ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });
});

describe('getOnnx', () => {
  test('200 with a file, which a caller who has it does not get again', async () => {
    const given = await situation(200, 'file', trained);
    const { data, response } = await roster.GET(ONNX, {
      params: prices(),
      parseAs: 'arrayBuffer',
      headers: { ...given.headers, Accept: FILE },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/onnx');
    expect(data?.byteLength).toBeGreaterThan(0);
    const tag = response.headers.get('ETag') ?? '';
    const again = await situation(304, null, trained);
    const { response: known } = await roster.GET(ONNX, {
      params: { ...prices(), header: { 'If-None-Match': tag } },
      headers: { ...again.headers, Accept: FILE },
    });
    expect(known.status).toBe(304);
  });

  test('404 where there is no model of this name', async () => {
    const given = await situation(404, 'model');
    const { error } = await roster.GET(ONNX, {
      params: named('ruby_prices'),
      headers: { ...given.headers, Accept: FILE },
    });
    expect(error?.type).toBe('/problems/model-not-found');
  });

  test('409 for a model that forecasts', async () => {
    const days = [...Array(60).keys()].map((day) => ({
      day: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
      sold: 20 + (day % 7),
    }));
    const given = await situation(409, 'forecast', async () => {
      const { data } = await roster.PUT(ONE, {
        params: { ...named('daily_sales'), query: { target: 'sold', order_by: 'day', horizon: 7 } },
        body: days,
      });
      await settled(roster, named('daily_sales').path, data);
    });
    const { error } = await roster.GET(ONNX, {
      params: named('daily_sales'),
      headers: { ...given.headers, Accept: FILE },
    });
    expect(error).toMatchObject({
      type: '/problems/not-exportable',
      detail: expect.stringContaining('call predict with the new values as rows'),
    });
  });
});

describe('serveVersion', () => {
  const first = { serving: { version: 1 } };

  test('200 with the model, whose predictions the version answers', async () => {
    const given = await situation(200, 'ready', trained);
    const { data, response } = await roster.PUT(SERVING, { params: prices(), body: first, ...given });
    expect(response.status).toBe(200);
    expect(response.headers.get('ETag')).toBeTruthy();
    expect(data).toMatchObject({ serving_version: 1 });
  });

  test('404 where there is no such version', async () => {
    const given = await situation(404, 'version', trained);
    const body = { serving: { version: 9 } };
    const { error } = await roster.PUT(SERVING, { params: prices(), body, ...given });
    expect(error).toMatchObject({ type: '/problems/model-not-found', errors: [{ pointer: '/body/serving/version' }] });
  });
});

describe('updateModel', () => {
  test('200 with the model, which has the description', async () => {
    const given = await situation(200, 'ready', trained);
    const model = { description: 'Prices of diamonds, by size and quality' };
    const { data, response } = await roster.PUT(DETAILS, { params: prices(), body: { model }, ...given });
    expect(response.status).toBe(200);
    expect(response.headers.get('ETag')).toBeTruthy();
    expect(data).toMatchObject({ name: 'diamond_prices', ...model });
  });

  test('404 without the model', async () => {
    const given = await situation(404, 'model');
    const body = { model: { name: 'prices_2025' } };
    const { error } = await roster.PUT(DETAILS, { params: named('no_such_model'), body, ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });

  test('409 for a name that another model has', async () => {
    const given = await situation(409, 'taken', async () => {
      for (const one of [prices(), named('prices_2025')])
        await roster.PUT(ONE, { params: { ...one, query: { target: 'cut' } }, body: cuts, headers: CSV });
    });
    const body = { model: { name: 'prices_2025' } };
    const { error } = await roster.PUT(DETAILS, { params: prices(), body, ...given });
    expect(error?.type).toBe('/problems/name-taken');
  });
});

describe('getRecord', () => {
  test('200 with what became of the promises of the version that serves', async () => {
    const given = await situation(200, 'kept', trained);
    const params = { ...prices(), query: { by: 'day' as const } };
    const { data, response } = await roster.GET(RECORD, { params, ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({ version: 1, by: 'day', alarm: { raised: false } });
  });

  test('200 with its groups as CSV', async () => {
    const { headers } = await situation(200, 'kept', trained);
    const { path } = prices();
    const address = `/api/projects/${path.projectName}/models/${path.modelName}/record`;
    const response = await send(address, { headers: { ...headers, Accept: 'text/csv' } });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/^group,promises,truths,kept,coverage,/);
  });

  test('404 where there is neither such a version nor a record of it', async () => {
    const given = await situation(404, 'model', trained);
    const params = { ...prices(), query: { version: 9 } };
    const { error } = await roster.GET(RECORD, { params, ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });
});

describe('getErrors', () => {
  test('200 with the largest errors of the version that serves', async () => {
    const given = await situation(200, 'numbers', trained);
    const { data, response } = await roster.GET(ERRORS, { params: prices(), ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({ version: 1, task: 'regression', measure: 'absolute_error', reason: null });
    expect(data?.rows[0]?.error).toBeGreaterThanOrEqual(data?.rows.at(-1)?.error ?? Number.NaN);
  });

  test('404 where there is no such version', async () => {
    const given = await situation(404, 'model', trained);
    const { error } = await roster.GET(ERRORS, { params: { ...prices(), query: { version: 9 } }, ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });
});

describe('getSeries', () => {
  test('200 with the last values of a series', async () => {
    const days = Array.from({ length: 60 }, (_, day) => {
      return { day: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10), sold: 20 + (day % 7) };
    });
    const given = await situation(200, 'values', async () => {
      const { data } = await roster.PUT(ONE, {
        params: { ...named('daily_sales'), query: { target: 'sold', order_by: 'day', horizon: 7 } },
        body: days,
      });
      await settled(roster, named('daily_sales').path, data);
    });
    const { data, response } = await roster.GET(SERIES, { params: named('daily_sales'), ...given });
    expect(response.status).toBe(200);
    expect(data?.reason).toBeNull();
    expect(data?.values.length).toBeGreaterThan(1);
  });

  test('200 without values of a series that the model does not know', async () => {
    const given = await situation(200, 'none', trained);
    const { data } = await roster.GET(SERIES, { params: { ...prices(), query: { group: ['Harbour'] } }, ...given });
    expect(data?.values).toEqual([]);
    expect(data?.reason).not.toBeNull();
  });

  test('404 where there is no such model', async () => {
    const given = await situation(404, 'model', async () => {});
    const { error } = await roster.GET(SERIES, { params: prices(), ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });
});

describe('deleteVersion', () => {
  test('204 without a body', async () => {
    const twice = async () => {
      await trainOwn();
      await trainOwn();
    };
    const given = await situation(204, null, twice);
    const { response } = await roster.DELETE(VERSION, { params: version('1'), ...given });
    expect(response.status).toBe(204);
  });

  test('404 where there is none of this number', async () => {
    const given = await situation(404, 'model', trained);
    const { error } = await roster.DELETE(VERSION, { params: version('9'), ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });

  test('409 for the version that serves', async () => {
    const given = await situation(409, 'serving', trained);
    const { error } = await roster.DELETE(VERSION, { params: version('1'), ...given });
    expect(error?.type).toBe('/problems/version-in-use');
  });
});

describe('cancelTraining', () => {
  test('200 with the version, whose failure says that it was cancelled', async () => {
    const given = await situation(200, 'cancelled', () => startTraining(slowTable()));
    const number = String((await roster.GET(ONE, { params: prices() })).data?.version);
    const { data, response } = await roster.DELETE(TRAINING, { params: version(number), ...given });
    expect(response.status).toBe(200);
    expect(response.headers.get('ETag')).toBeTruthy();
    expect(data).toMatchObject({ status: 'failed', seconds_left: null, failure: expect.stringContaining('cancelled') });
  });

  test('404 where there is none of this number', async () => {
    const given = await situation(404, 'model', trained);
    const { error } = await roster.DELETE(TRAINING, { params: version('9'), ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });

  test('412 for a caller who knows another state of the version', async () => {
    const given = await situation(412, 'changed', trained);
    const params = { ...version('1'), header: { 'If-Match': '"another"' } };
    const { error } = await roster.DELETE(TRAINING, { params, ...given });
    expect(error?.type).toBe('/problems/precondition-failed');
  });

  test('409 for a version that is ready', async () => {
    const given = await situation(409, 'ready', trained);
    const { error } = await roster.DELETE(TRAINING, { params: version('1'), ...given });
    expect(error?.type).toBe('/problems/training-ended');
  });
});

describe('deleteModel', () => {
  test('204 without a body', async () => {
    const given = await situation(204, null, begun);
    const { response } = await roster.DELETE(ONE, { params: prices(), ...given });
    expect(response.status).toBe(204);
  });

  test('404 where there is none of this name', async () => {
    const given = await situation(404, 'model');
    const { error } = await roster.DELETE(ONE, { params: named('ruby_prices'), ...given });
    expect(error?.type).toBe('/problems/model-not-found');
  });
});

describe('previewTable', () => {
  test.each([
    ['CSV', 'carat,price\n0.23,326\n0.21,327\n', CSV],
    [
      'rows',
      [
        { carat: 0.23, price: 326 },
        { carat: 0.21, price: 327 },
      ],
      {},
    ],
  ])('200 for a table as %s, with its columns', async (_form, body, headers) => {
    const { data } = await roster.POST(PREVIEW, { params: inProject(), body, headers });
    expect(data?.columns[0]).toMatchObject({ name: 'carat', kind: 'number' });
    expect(data?.rows[0]?.[0]).toBe('0.23');
  });

  test('422 for a title that is sent as the header line', async () => {
    const given = await situation(422, 'title');
    const { error } = await roster.POST(PREVIEW, {
      params: { ...inProject(), query: { header_line: 1 } },
      body: 'Diamonds of 2026\ncarat,cut,color,price\n0.23,Ideal,E,326\n',
      headers: { ...CSV, ...given.headers },
    });
    expect(error).toMatchObject({
      type: '/problems/unusable-table',
      errors: expect.arrayContaining([expect.objectContaining({ line: 2 })]),
    });
  });
});

// One after the other, since the training holds up all others.
describe('while a model trains', () => {
  /** Begins a training that outlasts these tests. */
  const inTraining = once(() => startTraining(slowTable()));
  const first = { serving: { version: 1 } };

  test('trainModel answers 409', async () => {
    const given = await situation(409, 'training', inTraining);
    const { error, response } = await roster.PUT(ONE, {
      params: training('price'),
      body: fewDiamonds,
      headers: { ...CSV, ...given.headers },
    });
    expect(error?.type).toBe('/problems/training-in-progress');
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  test('predict answers 409 to the first version, with when to ask again', async () => {
    const given = await situation(409, 'training', inTraining);
    const { error, response } = await roster.POST(PREDICT, { params: prices(), body: [], ...given });
    expect(error).toMatchObject({ type: '/problems/model-not-ready', model_status: 'training' });
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  test('getOnnx answers 409, with when to ask again', async () => {
    const given = await situation(409, 'training', inTraining);
    const { error, response } = await roster.GET(ONNX, {
      params: prices(),
      headers: { ...given.headers, Accept: FILE },
    });
    expect(error).toMatchObject({ type: '/problems/model-not-ready', model_status: 'training' });
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  test('serveVersion answers 409, with when to ask again', async () => {
    const given = await situation(409, 'training', inTraining);
    const { error, response } = await roster.PUT(SERVING, { params: prices(), body: first, ...given });
    expect(error).toMatchObject({ type: '/problems/model-not-ready', model_status: 'training' });
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  test('deleteVersion answers 409', async () => {
    const given = await situation(409, 'training', inTraining);
    const { error } = await roster.DELETE(VERSION, { params: version('1'), ...given });
    expect(error?.type).toBe('/problems/training-in-progress');
  });
});

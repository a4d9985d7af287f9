/** Tests of predictions: rows in, rows with intervals out. Against the server alone. */
import type { Model, PredictionRow } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { oneDiamond, someDiamonds } from '../../testkit/data/diamonds.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { ownProject, readObject, roster, send, sendJson } from '../target.js';

const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

/** Every third diamond is held out from the training, to measure the quality of the predictions. */
const [header = '', ...lines] = someDiamonds(3000).split('\n');
const learnt = [header, ...lines.filter((_, at) => at % 3 !== 0)].join('\n');
const keptBack = lines.filter((_, at) => at % 3 === 0).map(asRow);

function asRow(line: string): Record<string, string> {
  const fields = line.split(',');
  return Object.fromEntries(header.split(',').map((name, at) => [name, fields[at] ?? '']));
}

let path: { projectName: string; modelName: string };
let model: Model;
beforeAll(async () => {
  path = { projectName: await ownProject(), modelName: 'prices' };
  model = await trainPrices(roster, path, learnt);
});

async function predict(body: unknown[], confidence?: number): Promise<PredictionRow[]> {
  const params = confidence === undefined ? { path } : { path, query: { confidence } };
  const { data, error } = await roster.POST(PREDICT, { params, body });
  if (error !== undefined) {
    throw new Error(JSON.stringify(error));
  }
  return data;
}

async function predictOne(row: unknown): Promise<PredictionRow> {
  const [answer] = await predict([row]);
  if (answer === undefined) {
    throw new Error('There is no answer row');
  }
  return answer;
}

const address = () => `/api/projects/${path.projectName}/models/prices/predict`;

const ANSWER_COLUMNS = [
  'price',
  'price_original',
  'price_confidence',
  'price_min',
  'price_max',
  'price_anomaly',
  'price_explain',
  'select_data_query',
  'when_data',
  '__service_row_id',
];

describe('an answer row', () => {
  test('has every input column of the model, then the documented columns, in this order', async () => {
    const inputs = model.columns?.map(({ name }) => name) ?? [];
    expect(inputs).toHaveLength(9);
    for (const row of [oneDiamond, {}, { z: 1, price: 2, carat: 3 }, null]) {
      expect(Object.keys(await predictOne(row))).toEqual([...inputs, ...ANSWER_COLUMNS]);
    }
  });

  test('echoes the sent values unchanged, and null for missing ones', async () => {
    const row = {
      carat: '0,7',
      cut: 'Unheard of',
      color: null,
      clarity: { nested: ['💎', '\u2028', '"'] },
      depth: -0,
      table: true,
      x: [],
    };
    expect(await predictOne({ ...row, unknown: 1 })).toMatchObject({ ...row, depth: 0, y: null, z: null });
    expect(await predictOne(row)).not.toHaveProperty('unknown');
  });

  test('has the same values in price_explain as in its columns', async () => {
    for (const row of [oneDiamond, {}]) {
      const answer = await predictOne(row);
      const explained: unknown = JSON.parse(String(answer.price_explain));
      expect(Object.keys(Object(explained))).toEqual([
        'predicted_value',
        'confidence',
        'anomaly',
        'truth',
        'confidence_lower_bound',
        'confidence_upper_bound',
      ]);
      expect(explained).toEqual({
        predicted_value: answer.price,
        confidence: answer.price_confidence,
        anomaly: answer.price_anomaly,
        truth: answer.price_original,
        confidence_lower_bound: answer.price_min,
        confidence_upper_bound: answer.price_max,
      });
    }
  });

  test('has its prediction between its bounds, and a confidence between 0 and 1', async () => {
    for (const answer of await predict(keptBack.slice(0, 100))) {
      expect(answer.price_min).toBeLessThanOrEqual(Number(answer.price));
      expect(answer.price_max).toBeGreaterThanOrEqual(Number(answer.price));
      expect(answer.price_confidence).toBeGreaterThan(0);
      expect(answer.price_confidence).toBeLessThan(1);
    }
  });

  test.each([
    ['within the interval', (price: number) => price, false],
    ['far above it', () => 1e9, true],
    ['far below it', () => -1e9, true],
    ['as a number in a text', () => '1e9', true],
    ['that is not a number', () => 'dear', null],
    ['that is null', () => null, null],
  ])('flags an original %s', async (_what, original, anomaly) => {
    const { price } = await predictOne(oneDiamond);
    const sent = original(Number(price));
    const answer = await predictOne({ ...oneDiamond, price: sent });
    expect(answer).toMatchObject({ price, price_original: sent, price_anomaly: anomaly });
  });

  test('does not depend on the original in its prediction', async () => {
    const { price: _price, ...withoutPrice } = oneDiamond;
    const { price, price_min, price_max } = await predictOne(oneDiamond);
    expect(await predictOne(withoutPrice)).toMatchObject({
      price,
      price_min,
      price_max,
      price_original: null,
      price_anomaly: null,
    });
  });

  test('echoes the reserved columns that the row has', async () => {
    const sent = { select_data_query: 'select 1', when_data: { a: 1 }, __service_row_id: 7 };
    expect(await predictOne(sent)).toMatchObject(sent);
    expect(await predictOne({})).toMatchObject({ select_data_query: null, when_data: null, __service_row_id: null });
  });

  test('treats a number beyond the range of doubles as the largest, and echoes null', async () => {
    const response = await send(address(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '[{"carat":1e400,"__proto__":{"carat":1},"constructor":1,"price":-1e400}]',
    });
    const [answer] = Object(await response.json());
    expect(answer).toMatchObject({ carat: null, price_original: null });
    expect(answer.price).toBeTypeOf('number');
  });

  test('does not depend on the order and form of the values', async () => {
    const { price } = await predictOne({ carat: 0.7, depth: 61.5 });
    expect(await predictOne({ depth: '61,5', carat: ' 0.70 ' })).toMatchObject({ price });
    expect(await predictOne({ depth: '61.5', carat: 0.7, cut: 'NA' })).toMatchObject({ price });
  });
});

describe('the answer to a prediction', () => {
  test('is empty where there are no rows', async () => {
    expect(await predict([])).toEqual([]);
  });

  test('has a row for each element, even if that is not an object', async () => {
    const [empty, ...others] = await predict([{}, null, 7, 'text', true, [1, 2], []]);
    expect(others).toEqual(Array(6).fill(empty));
  });

  test('has the rows in order, each as it would be alone', async () => {
    const rows = keptBack.slice(0, 40);
    const together = await predict(rows);
    for (const [at, row] of rows.entries()) {
      expect(together[at]).toEqual(await predictOne(row));
    }
  });

  test('is the same if the rows are under data', async () => {
    for (const params of [{ params: {} }, { params: null }, { params: { a: 1 } }, {}]) {
      const response = await sendJson('POST', address(), { data: [oneDiamond], ...params });
      expect(await response.json()).toEqual(await predict([oneDiamond]));
    }
  });

  test.each([[7], ['text'], [null], [{}], [{ data: {} }], [{ data: [], colour: 'red' }]])(
    'is a 400 if the body is %j',
    async (body) => {
      const response = await sendJson('POST', address(), body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ type: '/problems/invalid-request' });
    },
  );

  test('is complete for 100,000 rows, and refused for one more', async () => {
    const rows = Array.from({ length: 100_000 }, () => 0);
    expect(await predict(rows)).toHaveLength(100_000);
    const response = await sendJson('POST', address(), [...rows, 0]);
    expect(response.status).toBe(400);
  });

  test('is complete if a row nests 10,000 levels deep', async () => {
    const response = await send(address(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `[${'['.repeat(10_000)}${']'.repeat(10_000)}]`,
    });
    expect(response.status).toBe(400);
  });
});

describe('an oversized row', () => {
  const faultOf = async (body: string) => {
    const response = await send(address(), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect(response.status).toBe(400);
    return readObject(response);
  };
  const columns = Array.from({ length: 100_000 }, (_, at) => `"c${at}":1`).join();

  test.each([
    ['100,000 columns', `[{},{${columns}}]`, '/body/1', 'must hold at most 10000 values'],
    [
      'a cell of 10 MB',
      `{"data":[{"cut":"${'x'.repeat(10_000_000)}"}]}`,
      '/body/data/0',
      'must have at most 1048576 bytes',
    ],
    ['millions of empty arrays', `[${'[],'.repeat(2_000_000)}0]`, '/body', 'must have at most 100000 items'],
  ])('with %s is refused, and the error points at it', async (_what, body, pointer, message) => {
    expect(await faultOf(body)).toMatchObject({ errors: [{ pointer, message }] });
  });

  test('is pointed at if the body breaks off after a megabyte of other rows', async () => {
    const { type, detail } = await faultOf(`[${'{"carat":1},'.repeat(90_000)}{"carat" 1}]`);
    expect(type).toBe('/problems/malformed-body');
    expect(detail).toContain('position 1080010');
  });

  test('with many columns is answered if it keeps within the limits', async () => {
    const row = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`c${at}`, at]));
    const [wide, empty] = await predict([row, {}]);
    expect(wide).toEqual(empty);
  });
});

test('the numbers of an answer have no more digits than the target justifies', async () => {
  const rows = await predict(keptBack.slice(0, 50));
  for (const { price, price_min, price_max } of rows) {
    for (const number of [price, price_min, price_max]) {
      expect(String(number)).toMatch(/^-?\d+(\.\d)?$/);
    }
  }
});

describe('confidence', () => {
  test.each([0.5, 0.8, 0.9])('of %d can be requested, is returned in every row, and holds', async (level) => {
    const answers = await predict(keptBack, level);
    const given = answers.map(({ price_confidence }) => Number(price_confidence));
    expect(new Set(given)).toEqual(new Set([level]));
    const within = answers.filter(({ price_anomaly }) => price_anomaly === false).length;
    const heldOut = model.task === 'regression' ? (model.metrics?.held_out_rows ?? 0) : 0;
    const spread = Math.sqrt(level * (1 - level) * (1 / heldOut + 1 / answers.length));
    expect(Math.abs(within / answers.length - level)).toBeLessThan(3 * spread);
  });

  test('chosen row by row holds overall', async () => {
    const answers = await predict(keptBack);
    const claimed = answers.reduce((sum, answer) => sum + Number(answer.price_confidence), 0) / answers.length;
    const within = answers.filter(({ price_anomaly }) => price_anomaly === false).length;
    expect(Math.abs(within / answers.length - claimed)).toBeLessThan(0.03);
  });

  test.each(['0', '0.001', '1', '-1', 'high', ''])('cannot be "%s"', async (confidence) => {
    const response = await sendJson('POST', `${address()}?confidence=${confidence}`, []);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/query/confidence' }] });
  });

  test('a line of a header, of rows without lines, gets 400, and 404 without the model', async () => {
    const refused = await sendJson('POST', `${address()}?header_line=2`, [{ carat: 0.7 }]);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { errors: [{ pointer: '/query/header_line' }] },
    ]);
    const missing = address().replace('prices', 'none');
    const unknown = await sendJson('POST', `${missing}?header_line=2`, [{ carat: 0.7 }]);
    expect(unknown.status).toBe(404);
  });
});

describe('a body that does not hold rows', () => {
  const errorsOf = async (body: unknown) => (await readObject(await sendJson('POST', address(), body)))['errors'];

  test.each([[{ carat: 0.7, cut: 'Ideal' }], [{}], [{ rows: [] }], ['carat'], [7], [null]])(
    'such as %j gets one error, which describes rows',
    async (body) => {
      expect(await errorsOf(body)).toEqual([
        { pointer: '/body', message: 'must be an array of rows, such as [{"carat": 0.7}], or {"data": [rows]}' },
      ]);
    },
  );

  test('but has data gets an error about data', async () => {
    expect(await errorsOf({ data: { carat: 0.7 } })).toMatchObject([{ pointer: '/body/data' }]);
    expect(await errorsOf({ data: [], colour: 'red' })).toMatchObject([{ pointer: '/body/colour' }]);
  });
});

test('a value of another type than its column counts as missing', async () => {
  const { carat: _, ...others } = oneDiamond;
  const [without, withText] = await predict([others, { ...others, carat: 'heavy' }]);
  expect(withText?.['price']).toBe(without?.['price']);
  expect(withText?.['price_min']).toBe(without?.['price_min']);
});

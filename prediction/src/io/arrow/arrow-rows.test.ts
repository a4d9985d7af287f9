import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer } from '../../../../testkit/prediction/answered-rows.js';
import { sentTables, writeArrow, writeJson } from '../../../../testkit/prediction/arrow-columns.js';
import { makeRows, QUICK, readRows } from '../../../../testkit/prediction/sample-tables.js';
import {
  answerRows,
  Classifier,
  FormatError,
  Predictor,
  readRowsTable,
  train,
  UnknownNamesError,
} from '../../index.js';

const places = ['centre', 'north', 'south', '12', 'true'];
const DAY = 86_400_000;

/** A model with a column of each kind. */
const model = train(
  readRows(
    makeRows(200, (random, index) => {
      const size = Math.round(2000 * random()) / 16 - 60;
      const place = places[index % 5] ?? '';
      const since = new Date(Date.UTC(2012, 0, 1) + Math.floor(4000 * random()) * DAY);
      const rent = 500 + 3 * size + 40 * (index % 5) + since.getUTCMonth() * 10 + 9 * random();
      return { size, place, since: since.toISOString(), flag: index % 2 === 0, rent };
    }),
    'rent',
  ),
  QUICK,
);
const predictor = new Predictor(model);
const NAMES = ['size', 'place', 'since', 'flag', 'rent', ' size', 'where'];
const ROWS = 40;

describe('rows of Arrow are answered as the same values in JSON', () => {
  test.each(['stream', 'file'] as const)('in a %s, whatever the types', async (format) => {
    const from = `arrow-${format}` as const;
    await fc.assert(
      fc.asyncProperty(sentTables(NAMES, ROWS), fc.integer({ min: 1, max: 5000 }), async (columns, size) => {
        const sent = await answer(predictor, writeArrow(columns, format), { from, to: 'json' }, size);
        const expected = await answer(predictor, writeJson(columns, ROWS), { from: 'json', to: 'json' });
        expect(sent.bytes.toString()).toBe(expected.bytes.toString());
        expect(sent.warnings).toEqual(expected.warnings);
      }),
      { numRuns: 30 },
    );
  });
});

test('a file is answered after its end, as a page cannot read before', async () => {
  const body = writeArrow(fc.sample(sentTables(NAMES, ROWS), { numRuns: 1, seed: 1 })[0] ?? [], 'file');
  let isSent = false;
  async function* pieces() {
    for (let at = 0; at < body.length; at += 100) yield body.subarray(at, at + 100);
    isSent = true;
  }
  for await (const _ of answerRows(predictor, pieces(), { from: 'arrow-file', to: 'csv' })) {
    expect(isSent).toBe(true);
  }
});

test('a file that takes too much while it arrives is refused', async () => {
  async function* pieces() {
    const piece = Buffer.alloc(1024 * 1024);
    for (let count = 0; count < 256; count += 1) yield piece;
  }
  const answers = answerRows(predictor, pieces(), { from: 'arrow-file', to: 'csv' });
  await expect(answers.next()).rejects.toThrow(/^The Arrow file that has arrived takes .* held/);
});

describe('answers in Arrow', () => {
  test('have the columns that were sent, and the predictions of JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        sentTables(NAMES.slice(0, 5), ROWS),
        fc.constantFrom('stream' as const, 'file' as const),
        async (columns, format) => {
          const body = writeArrow(columns, 'stream');
          const from = 'arrow-stream';
          const { bytes } = await answer(predictor, body, { from, to: `arrow-${format}`, explain: true });
          const { bytes: json } = await answer(predictor, body, { from, to: 'json' });
          const table = arrow.tableFromIPC(bytes);
          const sent = arrow.tableFromIPC(body);
          const expected: unknown[] = JSON.parse(json.toString());
          expect(table.numRows).toBe(ROWS);
          for (const name of ['size', 'place', 'since', 'flag']) {
            const [one, other] = [table.getChild(name), sent.getChild(name)];
            if (String(other?.type).startsWith('List')) continue;
            expect(String(one?.type)).toBe(String(other?.type));
            expect(one?.toJSON()).toEqual(other?.toJSON());
          }
          for (const [row, values] of expected.entries()) {
            const made = table.get(row)?.toJSON() ?? {};
            for (const suffix of ['confidence', 'min', 'max', 'anomaly', 'explain']) {
              const name = `rent_${suffix}`;
              expect(made[name]).toEqual(Reflect.get(Object(values), name));
            }
            expect(made['rent']).toBe(Reflect.get(Object(values), 'rent'));
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

const strings = (values: readonly (string | null)[]) => arrow.vectorFromArray(values, new arrow.Utf8());

describe('columns that the model does not know', () => {
  const body = Buffer.from(
    arrow.tableToIPC(new arrow.Table({ sise: arrow.makeVector(new Float64Array(3)) }), 'stream'),
  );

  test('are warnings', async () => {
    const { warnings } = await answer(predictor, body, { from: 'arrow-stream', to: 'json' });
    expect(warnings?.warnings).toMatchObject([
      { kind: 'no-column', rows: 3 },
      { kind: 'unknown-name', name: 'sise', rows: 3, nearest: 'size' },
    ]);
  });

  test('are refused from the schema, if they are to be', async () => {
    const refused = answer(predictor, body, { from: 'arrow-stream', to: 'json', unknown: 'refuse' });
    await expect(refused).rejects.toThrow(UnknownNamesError);
    await expect(refused).rejects.toMatchObject({ names: [{ name: 'sise', nearest: 'size' }] });
  });
});

test('a fault of the bytes is one of the rows', async () => {
  const refused = answer(predictor, Buffer.from('no Arrow'), { from: 'arrow-file', to: 'json' });
  await expect(refused).rejects.toThrow(FormatError);
});

describe('rows of JSON are answered in Arrow', () => {
  const rows = [
    { size: '1,5', place: 'north', since: '2020-01-01', flag: true, rent: 700 },
    { size: 'large', place: 12, since: null, rent: '600' },
    {},
  ];

  test.each(['arrow-stream', 'arrow-file'] as const)('as an %s', async (to) => {
    const body = Buffer.from(JSON.stringify(rows));
    const { bytes } = await answer(predictor, body, { from: 'json', to, explain: true });
    const table = arrow.tableFromIPC(bytes);
    expect(table.getChild('size')?.toJSON()).toEqual([1.5, null, null]);
    expect(table.getChild('place')?.toJSON()).toEqual(['north', '12', null]);
    expect(table.getChild('flag')?.toJSON()).toEqual(['true', null, null]);
    expect(table.getChild('rent_original')?.toJSON()).toEqual([700, 600, null]);
    const { bytes: json } = await answer(predictor, body, { from: 'json', to: 'json' });
    const expected: { rent: number }[] = JSON.parse(json.toString());
    expect(table.getChild('rent')?.toJSON()).toEqual(expected.map(({ rent }) => rent));
  });

  test('without any rows, the answer has its columns', async () => {
    const { bytes } = await answer(predictor, Buffer.from('[]'), { from: 'json', to: 'arrow-file' });
    const table = arrow.tableFromIPC(bytes);
    expect(table.numRows).toBe(0);
    expect(table.schema.fields.map(({ name }) => name)).toEqual([
      ...['size', 'place', 'since', 'flag'],
      ...['rent', 'rent_confidence', 'rent_min', 'rent_max'],
    ]);
  });

  test('many rows come in several batches', async () => {
    const body = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, () => rows[0])));
    const { bytes } = await answer(predictor, body, { from: 'json', to: 'arrow-stream' }, 100_000);
    const table = arrow.tableFromIPC(bytes);
    expect([table.numRows, table.batches.length > 1]).toEqual([20_000, true]);
  });
});

test('classes are a dictionary, and their sets are lists', async () => {
  const rows = makeRows(300, (random, index) => {
    const size = index % 30;
    const kind = ['flat', 'house', 'room'][random() < 0.8 ? index % 3 : 0];
    return { size, third: index % 3, kind };
  });
  const model = train(readRowsTable(rows, 'kind'), QUICK);
  if (!('classes' in model)) throw new Error('The target holds numbers.');
  const classifier = new Classifier(model);
  const table = new arrow.Table({
    size: arrow.makeVector(Float64Array.from(rows, ({ size }) => Number(size))),
    third: arrow.makeVector(Int32Array.from(rows, ({ third }) => Number(third))),
    kind: strings(rows.map(({ kind }) => String(kind))),
  });
  const body = Buffer.from(arrow.tableToIPC(table, 'stream'));
  const options = { from: 'arrow-stream', explain: true, confidence: 0.95 } as const;
  const { bytes } = await answer(classifier, body, { ...options, to: 'arrow-stream' });
  const { bytes: json } = await answer(classifier, body, { ...options, to: 'json' });
  const expected: Record<string, unknown>[] = JSON.parse(json.toString());
  const answered = arrow.tableFromIPC(bytes);
  expect(String(answered.getChild('kind')?.type)).toBe('Dictionary<Int32, Utf8>');
  for (const [row, values] of expected.entries()) {
    const { kind_set, ...others } = answered.get(row)?.toJSON() ?? {};
    expect(values).toMatchObject(others);
    expect(kind_set?.toJSON()).toEqual(values['kind_set']);
  }
});

describe('a dictionary that is replaced between batches', () => {
  const type = () => new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32(), 1);
  const batches = [
    ['north', 'south'],
    ['centre', 'north', 'elsewhere'],
  ].map((values) => {
    const place = arrow.vectorFromArray(values, type());
    return new arrow.Table({ place }).batches;
  });
  const body = () => {
    const writer = new arrow.RecordBatchStreamWriter();
    for (const batch of batches.flat()) writer.write(batch);
    writer.finish();
    return Buffer.from(writer.toUint8Array(true));
  };

  test('is replaced in the answer', async () => {
    const { bytes } = await answer(predictor, body(), { from: 'arrow-stream', to: 'arrow-stream' });
    const places: unknown[] = [];
    for (const batch of arrow.RecordBatchReader.from(bytes)) {
      for (const row of batch) places.push(row.toJSON()['place']);
    }
    expect(places).toEqual(['north', 'south', 'centre', 'north', 'elsewhere']);
  });

  test('is reported where the answer is a file, which cannot have two', async () => {
    const refused = answer(predictor, body(), { from: 'arrow-stream', to: 'arrow-file' });
    await expect(refused).rejects.toThrow(/dictionary of the column "place" is replaced/);
  });
});

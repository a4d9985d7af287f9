/** Tests that models as ONNX predict, in ONNX Runtime, what the service predicts: not nearly, but the same. */
import fc from 'fast-check';
import { createRoster, type Roster } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OnnxRuntime, readCells } from '../../testkit/prediction/onnx-session.js';
import {
  askService,
  CATEGORIES,
  CONFIDENCES,
  type OpenModel,
  openModel,
  rowsBeside,
  TABLES,
  trainTable,
} from '../../testkit/prediction/onnx-tables.js';
import type { Row } from '../../testkit/prediction/sample-tables.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { requireFrom } from '../../tools/on-demand/installed.js';

const runtime: OnnxRuntime = requireFrom('onnx')('onnxruntime-node');

let server: ServerProcess;
let roster: Roster;
beforeAll(async () => {
  server = await startServer();
  roster = createRoster({ baseUrl: server.url, project: 'default' });
});
afterAll(() => server.stop());

const others = rowsBeside(1000, seededRandom(11));

const open = (name: string) => openModel(roster, name, runtime);

function isNear(one: unknown, other: unknown): boolean {
  return Math.abs(Number(one) - Number(other)) <= 1e-14 * Math.abs(Number(one));
}

async function compare(
  name: string,
  { run, columns, classes }: OpenModel,
  rows: readonly Row[],
  confidence: number,
): Promise<void> {
  const expected = await askService(roster, name, rows, confidence, classes);
  const outputs = await run(readCells(rows, columns), confidence);
  for (const [output, values] of Object.entries(expected)) {
    const given: unknown[] = Array.from(outputs[output] ?? []);
    // Numbers of this size are not rounded, so that the order of additions shows in the last bits of partial rows.
    const alike = values.map((value, at) => (name === 'huge' && isNear(value, given[at]) ? value : given[at]));
    expect([...alike, given.length], `${output} at ${confidence}`).toEqual([...values, values.length]);
  }
}

describe.each(TABLES)('a model of %s', (name) => {
  let file: OpenModel;
  beforeAll(async () => {
    await trainTable(roster, server.url, name);
    file = await open(name);
  });

  test('answers rows of its table, and rows beside it, with the same bits', async () => {
    for (const confidence of CONFIDENCES) await compare(name, file, others, confidence);
  });

  test('answers a single row alike', async () => {
    for (const row of others.slice(0, 5)) await compare(name, file, [row], 0.9);
  });
});

test('rows of any numbers, texts and dates are answered alike', async () => {
  const [regressor, classifier] = await Promise.all([open('amounts'), open('many')]);
  const number = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));
  const words = fc.constantFrom(...CATEGORIES, 'NULL', 'nAn', 'tRUE', '');
  const text = fc.option(
    fc.oneof(
      words,
      fc.string({ unit: 'grapheme' }).map((one) => one.trim()),
    ),
  );
  const times = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true };
  const day = fc.option(fc.date(times).map((date) => date.toISOString()));
  const shop = fc.option(fc.integer({ min: 0, max: 320 }).map((one) => `shop ${one}`));
  const row = fc.record({ x: number, gaps: number, count: number, group: text, side: text, shop, day });
  const confidence = fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0.01, max: 0.99, noNaN: true }));
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), confidence, async (rows, level) => {
      await compare('amounts', regressor, rows, level);
      await compare('many', classifier, rows, level);
    }),
    { numRuns: 40 },
  );
});

/** Tests that models as ONNX predict, in ONNX Runtime, what the service predicts: not nearly, but the same. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { createRoster, createRosterClient, type Roster } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { readOnnx } from '../../testkit/prediction/onnx-file.js';
import {
  type OnnxRuntime,
  type Outputs,
  openOnnx,
  type ReadColumn,
} from '../../testkit/prediction/onnx-session.js';
import { makeRows, type Row } from '../../testkit/prediction/sample-tables.js';
import { root } from '../../testkit/root.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { settled, trainPrices } from '../../testkit/service/train-prices.js';
import { requireFrom } from '../../tools/on-demand/installed.js';

const runtime: OnnxRuntime = requireFrom('onnx')('onnxruntime-node');

let server: ServerProcess;
let roster: Roster;
beforeAll(async () => {
  server = await startServer();
  roster = createRoster({ baseUrl: server.url, project: 'default' });
});
afterAll(() => server.stop());

const CATEGORIES = Array.from({ length: 40 }, (_, index) => `c${index}`);

/** Columns of every kind: few and many categories, numbers with gaps and ties, and dates whose parts matter. */
const table = makeRows(1500, (random) => ({
  x: Math.round(1000 * random()) / 100,
  gaps: random() < 0.1 ? null : 5 * random(),
  count: Math.floor(50 * random()),
  group: CATEGORIES[Math.floor(random() ** 2 * CATEGORIES.length)],
  side: ['left', 'right', 'TRUE'][Math.floor(3 * random())],
  day: new Date(Date.UTC(2015, 0, 1) + Math.floor(3e11 * random())).toISOString(),
  noise: random(),
}));

function score(row: Row): number {
  const day = new Date(String(row['day']));
  const group = Number(String(row['group']).slice(1)) % 7;
  const side = row['side'] === 'left' ? 4 : 0;
  const season = day.getUTCMonth() + day.getUTCHours() / 5 + day.getUTCDay() / 3;
  const numbers = 3 * Number(row['x']) + Number(row['gaps'] ?? 2) + Number(row['count']) / 20;
  return numbers + 2 * group + side + season + 4 * Number(row['noise']);
}

const TARGETS: Readonly<Record<string, (score: number) => number | string>> = {
  amounts: (score) => 1.2345 * score,
  tiny: (score) => 1e-9 * score,
  huge: (score) => 1e200 * score,
  whole: (score) => Math.round(10 * score) - 300,
  few: (score) => Math.min(9, Math.max(0, Math.round(score / 6))),
  bounded: (score) => Math.max(0, score - 45) ** 2,
  two: (score) => (score > 50 ? 'yes' : 'no'),
  rare: (score) => (score > 90 ? 'high' : score > 25 ? 'middle' : 'low'),
  years: (score) => 1990 + Math.floor(score / 4),
  many: (score) => `k${Math.min(6, Math.max(0, Math.round(score / 10)))}`,
};

/** Rows of the table, and rows beside it: on thresholds, with gaps, unseen categories, and numbers of any size. */
const others: Row[] = makeRows(1000, (random, index) => {
  const row: Row = { ...table[index] };
  for (const name of Object.keys(row)) if (random() < 0.04) row[name] = null;
  if (random() < 0.1) row['x'] = Math.round(2000 * random()) / 200;
  if (random() < 0.05) row['group'] = 'unseen';
  if (random() < 0.05) row['side'] = ['NA', 'True', 'none', 'LEFT'][Math.floor(4 * random())];
  if (random() < 0.05) row['day'] = '1899-12-31T23:59:59.999Z';
  if (random() < 0.05) row['day'] = '2024-02-29T00:00:00.000Z';
  if (random() < 0.05) row['count'] = (random() - 0.5) * 10 ** Math.floor(300 * random());
  return row;
});

const CONFIDENCES = [Number.NaN, 0.01, 0.07, 0.9, 0.955, 0.99];

type Predict = (rows: readonly Row[], confidence: number) => Promise<Outputs>;

async function train(name: string, of: (score: number) => number | string): Promise<void> {
  const body = table.map((row) => ({ ...row, noise: undefined, y: of(score(row)) }));
  const model = await roster.models.train(name, body, { target: 'y' });
  const path = { projectName: 'default', modelName: name };
  const trained = await settled(createRosterClient({ baseUrl: server.url }), path, model);
  if (trained.status !== 'ready') throw new Error(trained.failure ?? '');
}

interface OpenFile {
  readonly predict: Predict;
  readonly classes: readonly string[];
}

async function open(name: string): Promise<OpenFile> {
  const file = new Uint8Array(await (await roster.models.getOnnx(name)).arrayBuffer());
  const { metadata } = readOnnx(file);
  const columns: ReadColumn[] = JSON.parse(metadata.get('columns') ?? '');
  const classes: string[] = JSON.parse(metadata.get('classes') ?? '[]');
  return { predict: await openOnnx(runtime, file, columns), classes };
}

/** The answers of the service, in the form of the outputs of the file. */
async function ask(
  name: string,
  rows: readonly Row[],
  confidence: number,
  classes: readonly string[],
): Promise<Record<string, unknown[]>> {
  const answered = await roster.models.predict(name, [...rows], {
    ...(!Number.isNaN(confidence) && { confidence }),
    ...(classes.length > 0 && { probabilities: true }),
  });
  const column = (key: string) => answered.map((row) => Object(row)[key]);
  if (classes.length === 0) {
    return {
      value: column('y'),
      lower: column('y_min'),
      upper: column('y_max'),
      level: column('y_confidence'),
    };
  }
  return {
    class: column('y'),
    probability: column('y_confidence'),
    probabilities: answered.flatMap((row) =>
      classes.map((one) => Object(row)[`y_probability_${one}`]),
    ),
    set: column('y_set').flatMap((set: string[]) =>
      classes.map((one) => Number(set.includes(one))),
    ),
  };
}

function isNear(one: unknown, other: unknown): boolean {
  return Math.abs(Number(one) - Number(other)) <= 1e-14 * Math.abs(Number(one));
}

async function compare(
  name: string,
  { predict, classes }: OpenFile,
  rows: readonly Row[],
  confidence: number,
): Promise<void> {
  const expected = await ask(name, rows, confidence, classes);
  const outputs = await predict(rows, confidence);
  for (const [output, values] of Object.entries(expected)) {
    const given: unknown[] = Array.from(outputs[output] ?? []);
    // Numbers of this size are not rounded, so that the order of additions shows in the last bits of partial rows.
    const alike = values.map((value, at) =>
      name === 'huge' && isNear(value, given[at]) ? value : given[at],
    );
    expect([...alike, given.length], `${output} at ${confidence}`).toEqual([
      ...values,
      values.length,
    ]);
  }
}

describe.each(Object.entries(TARGETS))('a model of %s', (name, of) => {
  let file: OpenFile;
  beforeAll(async () => {
    await train(name, of);
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
  const row = fc.record({ x: number, gaps: number, count: number, group: text, side: text, day });
  const confidence = fc.oneof(
    fc.constant(Number.NaN),
    fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 60 }),
      confidence,
      async (rows, level) => {
        await compare('amounts', regressor, rows, level);
        await compare('many', classifier, rows, level);
      },
    ),
    { numRuns: 40 },
  );
});

test('the program of docs/onnx.md predicts what the service predicts', async () => {
  const path = { projectName: 'default', modelName: 'prices' };
  await trainPrices(createRosterClient({ baseUrl: server.url }), path, fewDiamonds);
  const folder = await mkdtemp(join(tmpdir(), 'roster-onnx-'));
  try {
    const page = await readFile(new URL('docs/onnx.md', root), 'utf8');
    const [, program = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
    await writeFile(join(folder, 'main.mjs'), program);
    const file = await roster.models.getOnnx('prices');
    await writeFile(join(folder, 'prices.onnx'), new Uint8Array(await file.arrayBuffer()));
    const packages = fileURLToPath(new URL('tools/on-demand/onnx/node_modules', root));
    await symlink(packages, join(folder, 'node_modules'));
    const run = promisify(execFile)(process.execPath, ['main.mjs'], { cwd: folder });
    const rows = [
      { carat: 0.7, cut: 'Ideal', color: 'G' },
      { carat: 0.3, cut: 'Premium', color: 'E' },
    ];
    const answered = await roster.models.predict('prices', rows, { confidence: 0.9 });
    const numbers = ['price', 'price_min', 'price_max'].flatMap((key) =>
      answered.map((row) => Object(row)[key]),
    );
    const printed = (await run).stdout.match(/\[[^\]]*\]/g) ?? [];
    expect(printed.flatMap((list) => JSON.parse(list))).toEqual(numbers);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Tests that the same rows are the same in every format: the model that they train, and the predictions for them. */

import { isDeepStrictEqual } from 'node:util';
import { type FileFormat, type PredictionFormat, predictFile, trainFile, untilReady } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { FILE_FORMATS, type FileOptions, writeFile } from '../../testkit/data/table-files.js';
import { ownProject, roster } from '../target.js';
import { type Prediction, readPredictions, rowsOfAnswer } from './answers.js';
import { type RandomTable, sampleTables, TARGET } from './tables.js';

/** The file whose model and predictions all others are compared with. */
const FIRST = ['json', {}] as const;

/** A file of each format, and of some formats the same rows written differently. */
const FILES: readonly (readonly [FileFormat, FileOptions])[] = [
  FIRST,
  ...FILE_FORMATS.filter((format) => format !== FIRST[0]).map((format) => [format, {}] as const),
  ['arrow-stream', { rowsPerBatch: 33, dictionaries: true }],
  ['arrow-file', { rowsPerBatch: 7 }],
  ['parquet', { rowsPerBatch: 33 }],
];
const ANSWERS = FILE_FORMATS.filter((format) => format !== 'parquet' && format !== 'xlsx');

let models = 0;

async function train(projectName: string, { columns, task }: RandomTable, [format, options]: (typeof FILES)[number]) {
  models += 1;
  const path = { projectName, modelName: `model-${models}` };
  await trainFile(roster, path, writeFile(format, columns, options), { format, target: TARGET, task, effort: 'fast' });
  const { checksum } = await untilReady(roster, path, { every: 100 });
  return { path, checksum };
}

async function predict(
  path: { projectName: string; modelName: string },
  { columns, task }: RandomTable,
  [format, options]: (typeof FILES)[number],
  to: PredictionFormat,
): Promise<Prediction[]> {
  const file = writeFile(format, columns, options);
  const { body } = await predictFile(roster, path, file, { format, to, confidence: 0.8 });
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  return readPredictions(rowsOfAnswer(to, bytes), TARGET, task);
}

// The tables of both tasks have the same columns, apart from the target.
describe.each([
  { task: 'regression', tables: 2 },
  { task: 'classification', tables: 1 },
] as const)('$task', ({ task, tables }) => {
  describe.each(sampleTables(task, tables))('table %#', (table) => {
    let project: string;
    let first: Awaited<ReturnType<typeof train>>;
    beforeAll(async () => {
      project = await ownProject();
      first = await train(project, table, FIRST);
    });

    test('every format trains the same model', async () => {
      const others: string[] = [];
      for (const file of FILES.filter((one) => one !== FIRST)) {
        const checksum = await train(project, table, file).then(({ checksum }) => checksum, String);
        if (checksum !== first.checksum) others.push(`${describeFile(file)}: ${checksum}`);
      }
      expect(others).toEqual([]);
    });

    test('every pair predicts the same', async () => {
      const expected = await predict(first.path, table, FIRST, 'json');
      const others: string[] = [];
      for (const file of FILES) {
        for (const to of ANSWERS) {
          const predicted = await predict(first.path, table, file, to).catch(String);
          const at = firstDifference(predicted, expected);
          if (at) others.push(`${describeFile(file)} → ${to}: ${at}`);
        }
      }
      expect(others).toEqual([]);
    });
  });
});

function describeFile([format, options]: (typeof FILES)[number]): string {
  return `${format} ${JSON.stringify(options)}`;
}

/** Returns the first row that differs in any bit, or the error. */
function firstDifference(
  predicted: readonly Prediction[] | string,
  expected: readonly Prediction[],
): string | undefined {
  if (typeof predicted === 'string') return predicted;
  if (predicted.length !== expected.length) return `${predicted.length} rows`;
  const row = expected.findIndex((prediction, row) => !isDeepStrictEqual(prediction, predicted[row]));
  return row < 0
    ? undefined
    : `row ${row} has ${JSON.stringify(predicted[row])} in place of ${JSON.stringify(expected[row])}`;
}

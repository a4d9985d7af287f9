/**
 * Trains a model of diamond prices, waits until it is ready, and predicts the prices of two other diamonds.
 *
 *     node examples/node/prices.js
 *
 * ROSTER_URL is the URL of the service, and ROSTER_KEY the key, if it requires one.
 */
import { readFile } from 'node:fs/promises';
import {
  answered,
  apiKey,
  createRosterClient,
  items,
  ProblemError,
  retry,
  TrainingFailedError,
  timeout,
  untilReady,
} from 'roster-client';

const roster = createRosterClient({ baseUrl: process.env['ROSTER_URL'] ?? 'http://127.0.0.1:4000' });
roster.use(
  timeout(60_000),
  apiKey(() => process.env['ROSTER_KEY']),
  retry(),
);

const path = { projectName: 'default', modelName: 'diamond_prices' };

try {
  await train();
  await predict();
  await list();
} catch (error) {
  // Errors that the user can fix are reported in one line; any other error is a fault of this program.
  if (!(error instanceof ProblemError || error instanceof TrainingFailedError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function train() {
  const csv = await readFile(new URL('../../datasets/diamonds.csv', import.meta.url), 'utf8');
  const { error, response } = await roster.PUT('/api/projects/{projectName}/models/{modelName}', {
    params: { path, query: { target: 'price' } },
    body: csv,
    headers: { 'Content-Type': 'text/csv' },
  });
  if (error?.type === '/problems/unusable-table') {
    for (const { line, column, message } of error.errors) console.error(line, column, message);
  }
  // Another client may be training the model already, which is just as good.
  if (error && error.type !== '/problems/training-in-progress') {
    throw new ProblemError(error, response);
  }
  const model = await untilReady(roster, path, {
    onProgress: ({ version, progress }) => console.log(`Version ${version}: ${Math.round(progress * 100)} %`),
  });
  // Prices are numbers; a model of classes has other metrics.
  const meanError = model.task === 'regression' ? model.metrics?.mae : undefined;
  console.log(`It is off by $${Math.round(meanError ?? Number.NaN)} on average.`);
}

async function predict() {
  const rows = await answered(
    roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: { path, query: { confidence: 0.9 } },
      body: [
        { carat: 0.7, cut: 'Ideal', color: 'G', clarity: 'VS2' },
        { carat: 1.5, cut: 'Premium', color: 'D', clarity: 'VVS1' },
      ],
    }),
  );
  for (const row of rows) {
    console.log(`${row['carat']} carat: $${row['price']}, from $${row['price_min']} to $${row['price_max']}`);
  }
}

async function list() {
  const models = items((query) =>
    roster.GET('/api/projects/{projectName}/models', { params: { path: { projectName: path.projectName }, query } }),
  );
  for await (const { name, status } of models) console.log(`${name} is ${status}.`);
}

import { setTimeout as delay } from 'node:timers/promises';
import { Crowd } from '../../testkit/http/load.js';
import { median } from '../../testkit/numbers.js';
import { type Service, treeMemory } from '../../testkit/service/measured-service.js';
import { repeatedly } from '../load.js';
import type { Finding } from '../scenarios.js';
import { train, upload } from '../services.js';
import { loopDelays, onMeasured, ROWS, trainPricesPath, writeRequest } from './service.js';
import { SYNTHETIC_TARGET, syntheticCsv } from './synthetic.js';

const ROUNDS = 5;

/** A training with 100,000 rows that are sent over HTTP. */
export const training = onMeasured('training', async ({ url }) => {
  const table = [...syntheticCsv(100_000)];
  const times: Awaited<ReturnType<typeof train>>[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await train(url + TRAINING, table));
  const time = median(times.map((round) => round.training));
  const uploading = median(times.map((round) => round.upload));
  return [
    {
      asked: 'training 100,000 × 10, from its acceptance until ready, in at most 1.5 s',
      measured: `${time.toFixed(2)} s (median of ${ROUNDS}), after ${uploading.toFixed(2)} s of reading the CSV`,
      passed: time <= 1.5,
    },
  ];
});

/** A training with a million rows that are generated while they are sent. */
export const largeTraining = onMeasured('large-training', async (service) => {
  await train(service.url + TRAINING, syntheticCsv(1_000)); // Loads the code for a request.
  await loopDelays(service);
  const memories = repeatedly(100, () => treeMemory(service.pid));
  const times = await train(service.url + TRAINING, syntheticCsv(1_000_000));
  const memory = Math.max(...memories());
  const { p99, max } = await loopDelays(service);
  const seconds = times.upload + times.training;
  return [
    {
      asked: 'a CSV table of 1,000,000 × 10, uploaded and trained in at most 60 s',
      measured: `${seconds.toFixed(1)} s: ${times.upload.toFixed(1)} s of making and reading the CSV, ${times.training.toFixed(1)} s of training`,
      passed: seconds <= 60,
    },
    {
      asked: 'the memory of the service and its processes stays under 1 GB',
      measured: `${memory.toFixed(0)} MiB at most`,
      passed: memory < 1e9 / 2 ** 20,
    },
    {
      asked: 'the event loop is held for at most 25 ms at p99, and never for more than 50 ms',
      measured: `p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms`,
      passed: p99 <= 25 && max <= 50,
    },
    await cancelling(service),
  ];
});

/** Measures for how long the event loop is held while large bodies are answered, and while a model trains, too. */
export const eventLoop = onMeasured('event-loop', async (service) => {
  const request = writeRequest(service.url, await trainPricesPath(service), 'json');
  const crowd = new Crowd(service.url, () => request);
  /** Sends bodies without a pause, beside some other work. */
  const measure = async (most: number, what: string, beside?: () => Promise<unknown>) => {
    await loopDelays(service);
    const [load] = await Promise.all([crowd.closedLoop(1, 8), beside?.()]);
    const { p99, max } = await loopDelays(service);
    return {
      asked: `the event loop is held for at most ${most} ms at p99, while ${ROWS.toLocaleString('en')}-row predictions come without a pause${what}`,
      measured: `p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms; ${load.served} bodies answered meanwhile`,
      passed: p99 <= most && load.others.length === 0,
    };
  };
  await crowd.closedLoop(1, 2);
  const alone = await measure(10, '');
  const table = [...syntheticCsv(100_000)];
  const what = ', and 100,000 × 10 are uploaded and trained';
  const beside = await measure(25, what, () => train(service.url + TRAINING, table));
  crowd.close();
  return [alone, beside];
});

/** The path of a model, with the query of its training. */
const MODEL = '/api/projects/default/models/synthetic';
const TRAINING = `${MODEL}?target=${SYNTHETIC_TARGET}`;

/** Measures DELETE during another training of the model. */
async function cancelling(service: Service): Promise<Finding> {
  await upload(service.url + TRAINING, syntheticCsv(1_000_000));
  await delay(2000);
  const begun = performance.now();
  await fetch(service.url + MODEL, { method: 'DELETE' });
  while (!service.log().includes('"msg":"training cancelled"')) await delay(20);
  const seconds = (performance.now() - begun) / 1000;
  return { asked: 'DELETE ends a training within 1 s', measured: `${seconds.toFixed(2)} s`, passed: seconds <= 1 };
}

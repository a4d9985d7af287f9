import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../../testkit/numbers.js';
import { type Service, treeMemory } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import type { Finding, Scenario } from '../scenarios.js';
import { loopDelays, upload, withService } from './service.js';
import { SYNTHETIC_TARGET, syntheticCsv } from './synthetic.js';

const ROUNDS = 5;
const POLL = 20;

interface Times {
  /** The time from the first byte of the table until it was accepted, in seconds. */
  readonly upload: number;
  /** The time from then until the model was ready, in seconds. */
  readonly training: number;
}

/** A training with 100,000 rows that are sent over HTTP. */
export const training: Scenario = {
  name: 'training',
  run: (folder) =>
    withService(folder, async (service) => {
      const table = [...syntheticCsv(100_000)];
      const times: Times[] = [];
      for (let round = 0; round < ROUNDS; round++) times.push(await train(service, table));
      const trainings = times.map((round) => round.training);
      const uploads = times.map((round) => round.upload);
      return [
        {
          asked: 'training 100,000 × 10, from its acceptance until ready, in at most 1.5 s',
          measured: `${median(trainings).toFixed(2)} s (median of ${ROUNDS}; at most ${Math.max(...trainings).toFixed(2)} s), after ${median(uploads).toFixed(2)} s of reading the CSV`,
          passed: median(trainings) <= 1.5,
        },
      ];
    }),
};

/** A training with a million rows that are generated while they are sent. */
export const largeTraining: Scenario = {
  name: 'large-training',
  run: (folder) =>
    withService(folder, async (service): Promise<Finding[]> => {
      await train(service, syntheticCsv(1_000)); // Loads the code for a request.
      await loopDelays(service);
      const memories: number[] = [];
      const sampling = setInterval(() => memories.push(treeMemory(service.pid)), 100);
      const times = await train(service, syntheticCsv(1_000_000));
      clearInterval(sampling);
      const { p99, max } = await loopDelays(service);
      const seconds = times.upload + times.training;
      const memory = Math.max(...memories);
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
    }),
};

async function train({ url }: Service, table: Iterable<string>): Promise<Times> {
  const model = `${url}/api/projects/default/models/synthetic`;
  const begun = performance.now();
  await upload(model, SYNTHETIC_TARGET, table);
  const accepted = performance.now();
  await untilReadyAt(model);
  const ready = performance.now();
  return { upload: (accepted - begun) / 1000, training: (ready - accepted) / 1000 };
}

/** Measures DELETE during another training of the model. */
async function cancelling(service: Service): Promise<Finding> {
  const model = `${service.url}/api/projects/default/models/synthetic`;
  await upload(model, SYNTHETIC_TARGET, syntheticCsv(1_000_000));
  await delay(2000);
  const begun = performance.now();
  await fetch(model, { method: 'DELETE' });
  while (!service.log().includes('"msg":"training cancelled"')) await delay(POLL);
  const seconds = (performance.now() - begun) / 1000;
  return {
    asked: 'DELETE ends a training within 1 s',
    measured: `${seconds.toFixed(2)} s`,
    passed: seconds <= 1,
  };
}

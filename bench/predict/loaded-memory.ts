import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createPredictorInSteps, decodeModel, finish } from 'roster-prediction/predicting';

/** Prints the estimated and the measured bytes of a stored model when it is loaded. Needs `--expose-gc`. */

const COPIES = 8;

const [, , modelFile = '', seenRowsFile] = process.argv;
const stored = readFileSync(modelFile);
const seenRows = seenRowsFile === undefined ? undefined : readFileSync(seenRowsFile);

function load() {
  const predictor = finish(createPredictorInSteps(decodeModel(stored), seenRows));
  // The first answer allocates some memory.
  if ('answerOne' in predictor) predictor.answerOne({}, { warnings: true });
  return predictor;
}

async function memory(): Promise<number> {
  // Memory that one collection frees may release more.
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await delay(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The first model loads code that stays in memory.
load();
const before = await memory();
const copies = Array.from({ length: COPIES }, load);
const measured = ((await memory()) - before) / COPIES;
process.stdout.write(JSON.stringify({ estimated: copies[0]?.memoryBytes, measured }));

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createPredictorInSteps, decodeModel } from '../../prediction/src/predicting.js';
import { finish } from '../../prediction/src/trees/steps.js';

/** Prints the bytes that a stored model says it takes when it is loaded, and those that it takes. Needs `--expose-gc`. */

const COPIES = 8;

const [, , modelFile = '', seenRowsFile] = process.argv;
const stored = readFileSync(modelFile);
const seenRows = seenRowsFile === undefined ? undefined : readFileSync(seenRowsFile);

function load() {
  const predictor = finish(createPredictorInSteps(decodeModel(stored), seenRows));
  // Some memory is taken when rows are first answered.
  if ('answerOne' in predictor) predictor.answerOne({}, { warnings: true });
  return predictor;
}

async function memory(): Promise<number> {
  // What one collection frees lets go of more.
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await delay(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The first loads code that stays.
load();
const before = await memory();
const kept = Array.from({ length: COPIES }, load);
const taken = ((await memory()) - before) / COPIES;
process.stdout.write(JSON.stringify({ said: kept[0]?.memoryBytes, taken }));

import { runScenarios } from '../scenarios.js';
import { comparisons } from './comparisons.js';
import { peer, scoring } from './scoring.js';
import { streams } from './streams.js';
import { eventLoop, largeTraining, training } from './training.js';

const { formats, jsonBodies, oneRow, tableFormats, twoCores } = comparisons;

await runScenarios({
  name: 'bench:predict',
  description: 'Measure the cost of predictions and trainings, beside their limits.',
  file: 'predict',
  scenarios: [
    ...[scoring, peer, jsonBodies, twoCores, formats, oneRow],
    ...[training, eventLoop, streams, largeTraining, tableFormats],
  ],
});

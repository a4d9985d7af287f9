import { runScenarios } from '../scenario/run-scenarios.js';
import { jsonBodies } from './json-bodies.js';
import { eventLoop } from './loop.js';
import { oneRow } from './one-row.js';
import { scoring } from './scoring.js';
import { streams } from './streams.js';
import { largeTraining, training } from './training.js';

/**
 * Measures the cost of predictions and trainings, compared with its limits.
 *
 * usage: npm run bench:predict [-- [--any-speed] SCENARIO …]
 */
await runScenarios('bench:predict', 'predict', [
  scoring,
  jsonBodies,
  oneRow,
  training,
  eventLoop,
  streams,
  largeTraining,
]);

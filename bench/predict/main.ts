import { runScenarios } from '../scenario/run-scenarios.js';
import { jsonBodies } from './json-bodies.js';
import { eventLoop } from './loop.js';
import { oneRow } from './one-row.js';
import { scoring } from './scoring.js';
import { streams } from './streams.js';
import { largeTraining, training } from './training.js';

/**
 * Measures what predictions and trainings cost, beside what they must not cost more than.
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

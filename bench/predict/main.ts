import { runScenarios } from '../scenario/run-scenarios.js';
import { formats } from './formats.js';
import { jsonBodies } from './json-bodies.js';
import { eventLoop } from './loop.js';
import { oneRow } from './one-row.js';
import { scoring } from './scoring.js';
import { streams } from './streams.js';
import { tableFormats } from './table-formats.js';
import { thanBefore } from './than-before.js';
import { largeTraining, training } from './training.js';
import { twoCores } from './two-cores.js';

/**
 * Measures the cost of predictions and trainings, compared with its limits.
 *
 * usage: npm run bench:predict [-- [--any-speed] [--before FOLDER] SCENARIO …]
 */
await runScenarios('bench:predict', 'predict', [
  scoring,
  jsonBodies,
  thanBefore,
  twoCores,
  formats,
  oneRow,
  training,
  eventLoop,
  streams,
  largeTraining,
  tableFormats,
]);

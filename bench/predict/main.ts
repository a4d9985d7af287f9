import { runScenarios } from '../scenarios.js';
import { formats } from './formats.js';
import { jsonBodies } from './json-bodies.js';
import { eventLoop } from './loop.js';
import { oneRow } from './one-row.js';
import { peer } from './peer.js';
import { scoring } from './scoring.js';
import { streams } from './streams.js';
import { tableFormats } from './table-formats.js';
import { thanBefore } from './than-before.js';
import { largeTraining, training } from './training.js';
import { twoCores } from './two-cores.js';

await runScenarios({
  name: 'bench:predict',
  description: 'Measure the cost of predictions and trainings, beside their limits.',
  file: 'predict',
  scenarios: [
    scoring,
    peer,
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
  ],
});

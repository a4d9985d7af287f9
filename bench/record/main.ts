import { runScenarios } from '../scenarios.js';
import { forecasts } from './forecasts.js';
import { million } from './million.js';
import { promiseBytes } from './promise-bytes.js';
import { remembering } from './remembering.js';
import { adapting, alarm } from './streams.js';
import { tables } from './tables.js';
import { truths } from './truths.js';

await runScenarios({
  name: 'bench:record',
  description:
    'Measure whether promises are kept: the alarm and adapting on streams that are made up, on public tables ordered by time; the record of a million promises; the cost of truths in any order; and what it costs to remember them, in time and in bytes.',
  file: 'record',
  scenarios: [remembering, promiseBytes, alarm, adapting, tables, forecasts, million, truths],
});

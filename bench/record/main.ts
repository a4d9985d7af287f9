import { runScenarios } from '../scenarios.js';
import { forecasts } from './forecasts.js';
import { million } from './million.js';
import { adapting, alarm } from './streams.js';
import { tables } from './tables.js';

await runScenarios({
  name: 'bench:record',
  description:
    'Measure whether promises are kept: the alarm and adapting on streams that are made up, on public tables ordered by time, and the record of a million promises.',
  file: 'record',
  scenarios: [alarm, adapting, tables, forecasts, million],
});

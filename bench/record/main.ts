import { runScenarios } from '../scenarios.js';
import { adapting, alarm } from './streams.js';
import { tables } from './tables.js';

await runScenarios({
  name: 'bench:record',
  description:
    'Measure whether promises are kept: the alarm and adapting on streams that are made up, and on public tables ordered by time.',
  file: 'record',
  scenarios: [alarm, adapting, tables],
});

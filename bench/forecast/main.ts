import { runScenarios } from '../scenarios.js';
import { competitions } from './competitions.js';
import { housing } from './housing.js';
import { peers } from './peers.js';
import { service } from './service.js';
import { speed } from './speed.js';

await runScenarios({
  name: 'bench:forecast',
  description:
    'Measure forecasts and their intervals on public series, from a folder with m1.jsonl, m3.jsonl and tourism.jsonl.',
  file: 'forecast',
  scenarios: [speed, service, housing, ...competitions, peers],
});

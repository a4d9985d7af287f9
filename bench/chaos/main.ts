import { runScenarios } from '../scenario/run-scenarios.js';
import { scenarios } from './scenarios/index.js';

await runScenarios({
  name: 'chaos',
  description:
    'Put the service through failures and attacks, and report whether it keeps its guarantees.',
  file: 'chaos',
  scenarios,
});

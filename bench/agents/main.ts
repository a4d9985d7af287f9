import { runScenarios } from '../scenarios.js';
import { besideStreams } from './beside-streams.js';
import { firstToken } from './first-token.js';
import { cores } from './service.js';
import { streams } from './streams.js';

await runScenarios({
  name: 'bench:agents',
  description:
    'Measure what the service adds to the time of a scripted chat server, and what streams of answers take from other requests.',
  file: 'agents',
  scenarios: [firstToken, streams, besideStreams],
  placing: cores
    ? 'the service on a core of its own, the load and the chat server on another'
    : 'the service, the load and the chat server on the same cores',
});

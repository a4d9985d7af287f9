import { runScenarios } from '../scenarios.js';
import { speed } from './speed.js';

await runScenarios({
  name: 'bench:score',
  description: 'Measure "roster score", beside predictions of the same rows without it, and beside DuckDB alone.',
  file: 'score',
  scenarios: [speed],
});

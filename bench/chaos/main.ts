import { runScenarios } from '../scenario/run-scenarios.js';
import { scenarios } from './scenarios/index.js';

/**
 * Does to the service what time does to all services, and tells whether it kept its word.
 *
 * usage: npm run chaos [-- [--short] [SCENARIO | FAMILY …]]
 */
await runScenarios('chaos', 'chaos', scenarios);

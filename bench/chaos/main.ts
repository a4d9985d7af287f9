import { runScenarios } from '../scenario/run-scenarios.js';
import { scenarios } from './scenarios/index.js';

/**
 * Puts the service through failures and attacks, and reports whether it keeps its guarantees.
 *
 * usage: npm run chaos [-- [--short] [SCENARIO | FAMILY …]]
 */
await runScenarios('chaos', 'chaos', scenarios);

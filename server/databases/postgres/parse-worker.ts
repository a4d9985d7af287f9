import { serveJobs } from '../../work/serve-jobs.js';
import { parseSelect } from './statement.js';

/** Runs in a process of its own. What the parser throws when it fails by itself ends the process. */
await serveJobs(parseSelect);

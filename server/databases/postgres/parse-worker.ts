import { serveJobs } from '../../work/serve-jobs.js';
import { parseSelect } from './statement.js';

/** Runs in a separate process. An error of the parser itself ends the process. */
await serveJobs(parseSelect);

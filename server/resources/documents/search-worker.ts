import { serveJobs } from '../../work/serve-jobs.js';
import { searchFile } from './search-file.js';

/** Runs in a separate process: searches the file of the store, which may take long. */
await serveJobs(searchFile);

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { searchFile } from '../../server/resources/documents/search-file.js';
import { serveJobs } from '../../server/work/serve-jobs.js';

/**
 * Searches the file of a store as the service does, apart from queries with the word "endless": these
 * write `PID.pid` beside the file, and hold their thread forever.
 */
await serveJobs((job: Parameters<typeof searchFile>[0]) => {
  const isEndless = job.parameters.some((value) => String(value).includes('endless'));
  if (!isEndless) return searchFile(job);
  writeFileSync(join(dirname(job.path), `${process.pid}.pid`), '');
  for (;;);
});

import { tooOld } from './node-version.js';

// An old Node.js cannot load the modules of the service, so they are imported after the check.
const fault = tooOld();
if (fault === undefined) {
  await import('./run.js');
} else {
  process.stderr.write(`Roster did not start: ${fault}\n`);
  process.exitCode = 1;
}

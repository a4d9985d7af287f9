import { tooOld } from './node-version.js';

// What the service imports cannot be loaded by an old Node.js, so it is imported after the check.
const fault = tooOld();
if (fault === undefined) {
  await import('./run.js');
} else {
  process.stderr.write(`Roster did not start: ${fault}\n`);
  process.exitCode = 1;
}

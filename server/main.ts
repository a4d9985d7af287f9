import { tooOld } from './node-version.js';

// An old Node.js cannot load the modules of the service, so they are imported after the check.
const fault = tooOld();
if (fault === undefined) {
  const { runService } = await import('./main-thread.js');
  runService(process.argv.slice(2));
} else {
  process.stderr.write(`Roster did not start: ${fault}\n`);
  process.exitCode = 1;
}

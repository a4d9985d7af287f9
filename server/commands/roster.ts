#!/usr/bin/env node
import { tooOld } from '../node-version.js';

// An old Node.js cannot load the modules of the commands, so they are imported after the check.
const fault = tooOld();
if (fault === undefined) {
  await import('./program.js');
} else {
  process.stderr.write(`error: ${fault}\n`);
  process.exitCode = 1;
}

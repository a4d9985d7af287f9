#!/usr/bin/env node
import { tooOld } from '../node-version.js';

// What the commands import cannot be loaded by an old Node.js, so it is imported after the check.
const fault = tooOld();
if (fault === undefined) {
  await import('./program.js');
} else {
  process.stderr.write(`error: ${fault}\n`);
  process.exitCode = 1;
}

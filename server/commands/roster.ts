#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { tooOld } from '../node-version.js';

try {
  const fault = tooOld();
  if (fault !== undefined) throw new Error(fault);
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  // An old Node.js cannot load the modules of the commands, so they are imported after the check.
  const { Command } = await import('commander');
  const { startCommand } = await import('./start.js');
  const { checkCommand } = await import('./check.js');
  const { keysCommand } = await import('./keys.js');
  const { auditCommand } = await import('./audit.js');
  const { backupCommand } = await import('./backup.js');
  const { restoreCommand } = await import('./restore.js');
  const { exportCommand } = await import('./export.js');
  const { applyCommand } = await import('./apply.js');
  await new Command('roster')
    .description('Roster: skills, agents, chatbots and models behind one REST service.')
    .version(version)
    .addCommand(startCommand)
    .addCommand(checkCommand)
    .addCommand(keysCommand)
    .addCommand(auditCommand)
    .addCommand(backupCommand)
    .addCommand(restoreCommand)
    .addCommand(exportCommand)
    .addCommand(applyCommand)
    .parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

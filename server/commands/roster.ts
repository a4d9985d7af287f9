#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Command } from 'commander';
import { tooOld } from '../node-version.js';

/** The commands, in the order of the help. */
const COMMANDS: readonly (readonly [name: string, load: () => Promise<Command>])[] = [
  ['start', async () => (await import('./start.js')).startCommand],
  ['check', async () => (await import('./check.js')).checkCommand],
  ['keys', async () => (await import('./keys.js')).keysCommand],
  ['audit', async () => (await import('./audit.js')).auditCommand],
  ['backup', async () => (await import('./backup.js')).backupCommand],
  ['restore', async () => (await import('./restore.js')).restoreCommand],
  ['export', async () => (await import('./export.js')).exportCommand],
  ['apply', async () => (await import('./apply.js')).applyCommand],
  ['score', async () => (await import('./score.js')).scoreCommand],
];

// A reader such as `head` stops when it has enough: end as other programs do, by SIGPIPE. The service goes on.
if (process.argv[2] !== 'start') {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(128 + constants.signals.SIGPIPE);
  });
}

try {
  const fault = tooOld();
  if (fault !== undefined) throw new Error(fault);
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  // An old Node.js cannot load the modules of the commands, so they are imported after the check.
  const { Command } = await import('commander');
  const roster = new Command('roster')
    .description('Roster: skills, agents, chatbots and models behind one REST service.')
    .version(version);
  // The modules of the other commands take longer to load than most commands to run.
  const asked = COMMANDS.filter(([name]) => name === process.argv[2]);
  for (const [, load] of asked.length > 0 ? asked : COMMANDS) roster.addCommand(await load());
  await roster.parseAsync();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  // Each fault of a file has its own line.
  process.stderr.write(`${message.replaceAll(/^/gm, 'error: ')}\n`);
  process.exitCode ??= 1;
}

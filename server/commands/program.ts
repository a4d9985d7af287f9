import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { backupCommand } from './backup.js';
import { keysCommand } from './keys.js';
import { startCommand } from './start.js';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

const roster = new Command('roster')
  .description('Roster: skills, agents, chatbots and models behind one REST service.')
  .version(version)
  .addCommand(startCommand)
  .addCommand(keysCommand)
  .addCommand(backupCommand);

try {
  await roster.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/**
 * `npm run release -- VERSION` makes a release of the working tree; `npm run release -- --next VERSION` gives the
 * project the version of the next one; `npm run release -- --fixture FOLDER` makes the fixture alone.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scriptCommand } from '../../testkit/command-line.js';
import { root } from '../../testkit/root.js';
import { makeFixture } from './fixture/make.js';
import { raise, release } from './release.js';

const folder = fileURLToPath(root);

interface Options {
  readonly date: string;
  readonly next?: string;
  readonly fixture?: string;
}

const command = scriptCommand('release', 'Make a release of the working tree.')
  .argument('[version]', 'the version of the project, such as 0.2.0')
  .option('--date <date>', 'the day of the release', new Date().toISOString().slice(0, 10))
  .option('--next <version>', 'give the project the version of its next release instead')
  .option('--fixture <folder>', 'make only the fixture of the release, in a new folder')
  .action(async (version: string | undefined, { date, next, fixture }: Options) => {
    if (next !== undefined) return prepare(next);
    if (fixture !== undefined) return makeFixture(fixture);
    if (version === undefined) return command.help({ error: true });
    await release(folder, {
      version,
      date,
      makeFixture: (fixture) => {
        // The fixture comes from what is released. `--next` must run without: a build may refuse the contract.
        build();
        run('dist/tools/generator/main.js', '--compare');
        return makeFixture(fixture);
      },
    });
    run('dist/review/src/main.js', '--changelog');
    say(`${version} is released. Read the difference, commit it, and tag the commit v${version}.`);
  });

function prepare(next: string): void {
  say(`${next} is now in ${raise(folder, next).join(', ')}.`);
  run('dist/tools/generator/main.js', '--write');
}

function build(): void {
  const shell = process.platform === 'win32';
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit', shell });
}

function run(program: string, option: string): void {
  execFileSync(process.execPath, [program, option], { cwd: folder, stdio: 'inherit' });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await command.parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

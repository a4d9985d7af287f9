/** Finds a Chromium for the tests of pages, and installs one if there is none: `npm run browser`. Prints its path. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { browserOfThisMachine } from '../../testkit/browser.js';

/** The prefix that runs a command as root; undefined if that is not possible. */
const asRoot = commandPrefix();

let browser = browserOfThisMachine();
if (browser === undefined) {
  const commands = asRoot && isDebian() ? debianCommands(asRoot) : playwrightCommands();
  for (const command of commands) run(command);
  browser = browserOfThisMachine();
}
if (browser === undefined) fail('what was installed is not found');
process.stdout.write(`${browser}\n`);

/** Ubuntu has packages of the same name, which need its daemon of packages. */
function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

function commandPrefix(): string[] | undefined {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['--version']).status === 0 ? ['sudo'] : undefined;
}

function debianCommands(prefix: readonly string[]): string[][] {
  return [
    [...prefix, 'apt-get', 'update'],
    [
      ...prefix,
      'apt-get',
      'install',
      '--yes',
      '--no-install-recommends',
      'chromium-headless-shell',
    ],
  ];
}

function playwrightCommands(): string[][] {
  // The libraries that it needs are packages of the system.
  const libraries = process.platform === 'linux' && asRoot ? ['--with-deps'] : [];
  return [['npx', 'playwright-core', 'install', ...libraries, '--no-shell', 'chromium']];
}

/** Runs a command, of which standard output has nothing: that has the path alone. */
function run([program = '', ...args]: readonly string[]): void {
  const { status, error } = spawnSync(program, args, {
    stdio: ['ignore', process.stderr, 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail(error?.message ?? `${[program, ...args].join(' ')} ended with ${status}`);
}

function fail(reason: string): never {
  process.stderr.write(
    `No Chromium was installed: ${reason}. Install one, or name it in CHROME_BIN.\n`,
  );
  process.exit(1);
}

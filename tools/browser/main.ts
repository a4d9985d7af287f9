/** Finds a Chromium for the tests of pages, and installs one if there is none: `npm run browser`. Prints its path. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { browserOfThisMachine } from '../../testkit/browser.js';

let browser = browserOfThisMachine();
if (browser === undefined) {
  for (const command of isDebian() ? debianCommands() : playwrightCommands()) run(command);
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

function debianCommands(): string[][] {
  const apt = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', 'apt-get'];
  return [
    [...apt, 'update'],
    [...apt, 'install', '--yes', '--no-install-recommends', 'chromium'],
  ];
}

function playwrightCommands(): string[][] {
  // Its libraries are installed with it, where Playwright knows the system.
  const libraries = process.platform === 'linux' ? ['--with-deps'] : [];
  return [['npx', 'playwright-core', 'install', ...libraries, 'chromium']];
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

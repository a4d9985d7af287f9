/**
 * `npm run browser`, `npm run nginx` and `npm run python`: finds a program that tests need, installs it if there is
 * none, and prints its path. Fails if it cannot.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { browserOfThisMachine } from '../../testkit/browser.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { nginxOfThisMachine } from '../../testkit/nginx.js';
import { pythonOfThisMachine } from '../../testkit/python.js';

/** A program that tests need, of which CI installs the missing ones. */
interface Program {
  readonly name: string;
  /** The variable that may name it. */
  readonly variable: string;
  /** Returns its path, if this machine has it. */
  readonly find: () => string | undefined;
  /**
   * Returns the commands that install it; undefined if there are none for this machine.
   * @param asRoot the prefix that runs a command as root; undefined if that is not possible
   */
  readonly commands: (asRoot: readonly string[] | undefined) => string[][] | undefined;
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  browser: {
    name: 'Chromium',
    variable: 'CHROME_BIN',
    find: browserOfThisMachine,
    commands: (asRoot) => {
      // Ubuntu has packages of the same name, which need its daemon of packages.
      if (asRoot && distribution() === 'debian') {
        return aptCommands(asRoot, 'chromium-headless-shell');
      }
      // The libraries that it needs are packages of the system.
      const libraries = process.platform === 'linux' && asRoot ? ['--with-deps'] : [];
      return [['npx', 'playwright-core', 'install', ...libraries, '--no-shell', 'chromium']];
    },
  },
  nginx: {
    name: 'nginx',
    variable: 'NGINX_BIN',
    find: nginxOfThisMachine,
    commands: (asRoot) => {
      if (process.platform === 'darwin') return [['brew', 'install', 'nginx']];
      return asRoot && hasApt() ? aptCommands(asRoot, 'nginx-light') : undefined;
    },
  },
  python: {
    name: 'Python with the packages of its client',
    variable: 'PYTHON_BIN',
    find: pythonOfThisMachine,
    commands: (asRoot) =>
      asRoot && hasApt()
        ? aptCommands(
            asRoot,
            ...['python3', 'python3-httpx', 'python3-pandas', 'python3-venv'],
            ...['python3-setuptools', 'python3-wheel', 'mypy', 'python3-sklearn'],
          )
        : undefined,
  },
};

function provide({ name, variable, find, commands }: Program): void {
  const remedy = `Install one, or name it in ${variable}.`;
  const fail = (reason: string): never => {
    process.stderr.write(`No ${name} was installed: ${reason}. ${remedy}\n`);
    process.exit(1);
  };
  let found = find();
  if (found === undefined) {
    const installing = commands(rootPrefix()) ?? fail('there is no command for this machine');
    for (const command of installing) run(command, fail);
    found = find() ?? fail('what was installed is not found');
  }
  process.stdout.write(`${found}\n`);
}

/** Returns the identifier of a Linux distribution, such as `debian`; empty on other systems. */
function distribution(): string {
  try {
    return /^ID=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

function hasApt(): boolean {
  return ['debian', 'ubuntu'].includes(distribution());
}

/** Returns the commands that install packages of Debian, or of a distribution made from it. */
function aptCommands(asRoot: readonly string[], ...names: string[]): string[][] {
  return [
    [...asRoot, 'apt-get', 'update'],
    [...asRoot, 'apt-get', 'install', '--yes', '--no-install-recommends', ...names],
  ];
}

function rootPrefix(): string[] | undefined {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['--version']).status === 0 ? ['sudo'] : undefined;
}

/** Runs a command, of which standard output has nothing: that has the path alone. */
function run([program = '', ...args]: readonly string[], fail: (reason: string) => never): void {
  const { status, error } = spawnSync(program, args, {
    stdio: ['ignore', process.stderr, 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail(error?.message ?? `${[program, ...args].join(' ')} ended with ${status}`);
}

const [script = '', ...args] = process.argv.slice(2);
const program = PROGRAMS[script];
if (program === undefined) throw new Error(`usage: ${Object.keys(PROGRAMS).join(' | ')}`);
scriptCommand(script, `Find or install ${program.name}, and print its path.`).parse(args, { from: 'user' });
provide(program);

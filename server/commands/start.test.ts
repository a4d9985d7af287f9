import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Prints the program and the heap limit of each thread that loads it. */
const TELL = `data:text/javascript,
  import { getHeapStatistics } from 'node:v8';
  console.log(JSON.stringify({ runs: process.argv[1], limit: getHeapStatistics().heap_size_limit }));`;

/** The heap limit of a process whose young generation is limited like the service's. */
const BOUNDED = Number(
  execFileSync(process.execPath, ['--max-semi-space-size=8', '--print', 'v8.getHeapStatistics().heap_size_limit']),
);

test.each([
  ['roster start', `node ${packageJson.bin.roster} start`],
  ['npm start', packageJson.scripts.start],
])('%s limits the memory of the service, and stops it properly', async (_, command) => {
  const [, ...args] = command.split(' ');
  const started = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${encodeURI(TELL)}`,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: ':memory:',
      DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(started, 'exit');
  const lines: Record<string, unknown>[] = [];
  for await (const line of createInterface(started.stdout)) {
    const said: Record<string, unknown> = JSON.parse(line);
    lines.push(said);
    if (said['msg'] === 'listening') started.kill('SIGTERM');
  }
  const service = lines.find(({ runs }) => String(runs).endsWith('service-thread.js'));
  expect(service).toMatchObject({ limit: BOUNDED });
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
  expect(await exited).toEqual([0, null]);
});

test.each([
  ['keys list', ['keys', 'list']],
  ['--port 5000', ['--port', '5000']],
])('main.js starts no service when it is given %s, and names what takes commands', (text, args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/server/main.js', ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: ':memory:' },
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(
    `Roster did not start: main.js runs the service, and takes no arguments such as "${text}"; commands are run by node ${join('dist/server/commands/roster.js')}, and settings are environment variables\n`,
  );
});

// Windows has no signals.
test.skipIf(process.platform === 'win32')(
  '`roster start` is the process of the service, which ends with it',
  async () => {
    const started = spawn(process.execPath, [packageJson.bin.roster, 'start'], {
      cwd: root,
      env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: ':memory:' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: Record<string, unknown>[] = [];
    // The output ends when all processes that write to it have ended.
    for await (const line of createInterface(started.stdout)) {
      lines.push(JSON.parse(line));
      if (lines.at(-1)?.['msg'] === 'listening') started.kill('SIGKILL');
    }
    expect(lines.at(-1)).toMatchObject({ msg: 'listening', pid: started.pid });
  },
);

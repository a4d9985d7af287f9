/**
 * `npm run tour`: runs `docs/tour.arazzo.yaml` with `redocly respect` against the server and against the
 * mock that remembers. Each begins with an empty project.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scriptCommand } from '../../testkit/command-line.js';
import { diamonds } from '../../testkit/data/diamonds.js';
import { root } from '../../testkit/root.js';
import type { Child } from '../../testkit/service/child-process.js';
import { startServer } from '../../testkit/service/server-process.js';
import { startStatefulMock } from '../targets/start-mock.js';

const TOUR = 'docs/tour.arazzo.yaml';
const TARGETS: Readonly<Record<string, () => Promise<Child & { url: string }>>> = {
  'the server': () => startServer(),
  'the mock that remembers': () => startStatefulMock(),
};

scriptCommand('tour', 'Run the tour of docs/tour.md against the server and the mock.').parse();

/** Every twentieth diamond: the command line of Windows holds 32,000 characters. */
const table = diamonds
  .split('\n')
  .filter((_, index) => index % 20 === 0)
  .join('\n');

try {
  for (const [name, start] of Object.entries(TARGETS)) {
    const target = await start();
    try {
      console.log(`${name}: ${await take(target.url)}`);
    } finally {
      await target.stop();
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Returns how many steps and checks passed. */
async function take(url: string): Promise<string> {
  const input = JSON.stringify({ table });
  const output = await redocly('respect', TOUR, '--server', `roster=${url}`, '--input', input);
  const [steps, checks] = ['Steps', 'Checks'].map((what) => countIn(output, what));
  return `${steps} steps, ${checks} checks`;
}

function countIn(output: string, what: string): string {
  const [, count] = new RegExp(`${what}: (\\d+) passed`).exec(output) ?? [];
  if (count === undefined) throw new Error(`redocly reported no number of ${what}:\n${output}`);
  return count;
}

/**
 * Runs a command of Redocly, which must be installed.
 * @throws with its output, if it fails
 */
async function redocly(...args: string[]): Promise<string> {
  const options = { cwd: fileURLToPath(root), env: { ...process.env, NO_COLOR: '1' } };
  const cli = fileURLToPath(new URL('tools/on-demand/redocly/node_modules/@redocly/cli/bin/cli.js', root));
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, ...args], options);
    return stdout + stderr;
  } catch (error) {
    throw new Error(readOutput(error) || String(error), { cause: error });
  }
}

function readOutput(error: unknown): string {
  const { stdout = '', stderr = '' } = Object(error);
  return `${stdout}${stderr}`;
}

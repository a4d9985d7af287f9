/**
 * Tests the Python client as people have it: builds its packages, installs the wheel into an empty environment, checks
 * its types there with mypy, and its behaviour against the service. Pyarrow and polars are tested where Python
 * has them.
 *
 * usage: npm run test:python
 */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChatReply, chunk, DONE, says } from '../../testkit/chat/reply.js';
import { openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { NO_PYTHON, pythonOfThisMachine } from '../../testkit/python.js';
import { root } from '../../testkit/root.js';
import { startServer } from '../../testkit/service/server-process.js';
import { buildPythonPackage } from '../../tools/pack/python-package.js';

const CLIENT = fileURLToPath(new URL('python', root));
const ANSWER = ['It costs ', '2,500.'] as const;
/** Adds the packages of the Python that runs it to the environment in its argument. */
const SHARE_PACKAGES = `
import pathlib, subprocess, sys
own = subprocess.check_output([sys.argv[1], "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True)
paths = [path for path in sys.path if path.endswith("-packages")]
pathlib.Path(own.strip(), "packages-of-this-machine.pth").write_text("\\n".join(paths))
`;

scriptCommand('test:python', 'Test the Python client.').parse();

const python = pythonOfThisMachine();
if (python === undefined) {
  process.stderr.write(`error: ${NO_PYTHON}\n`);
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'roster-python-'));
try {
  const [wheel = '', source = ''] = buildPythonPackage(python, folder);
  await access(source);
  const installed = await install(python, wheel);
  const mypy = ['-m', 'mypy', '--cache-dir', join(folder, 'mypy'), '--python-executable', installed];
  // Programs that use the package have their own settings.
  await run(python, [...mypy, '--config-file', '', '--strict', '--package', 'roster']);
  await run(python, mypy);
  await testBehaviour(installed);
} finally {
  await rm(folder, { recursive: true });
}

/**
 * Installs the wheel into an empty environment. Its dependencies are those of this machine, so that no registry is
 * needed.
 * @returns the path of the environment's Python
 */
async function install(base: string, wheel: string): Promise<string> {
  const environment = join(folder, 'environment');
  await run(base, ['-m', 'venv', environment]);
  const program = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
  const installed = join(environment, ...program);
  await run(installed, ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', wheel]);
  await run(base, ['-c', SHARE_PACKAGES, installed]);
  return installed;
}

async function testBehaviour(installed: string): Promise<void> {
  const released = new EventEmitter();
  const chat = await openScriptedChatServer(({ body }) =>
    body.messages.at(-1)?.content === 'How slowly?' ? saysWhenReleased(released) : says(...ANSWER),
  );
  const goOn = await serveOnLoopback((_request, response) => {
    released.emit('go on');
    response.end();
  });
  const env = { CHAT_URL: chat.url, CHAT_MODEL: 'scripted', RATE_LIMIT: '0' };
  const server = await startServer({ env });
  try {
    await run(installed, ['-W', 'error', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'], {
      ROSTER_URL: server.url,
      GO_ON_URL: goOn.origin,
    });
  } finally {
    await server.stop();
    await goOn.close();
    await chat.close();
  }
}

/** Returns a reply whose second piece is said only when the test has the first: pieces that meet are sent as one. */
function saysWhenReleased(released: EventEmitter): ChatReply {
  const [first, second] = ANSWER;
  const body = async function* () {
    yield chunk({ role: 'assistant', content: first });
    await once(released, 'go on');
    yield chunk({ content: second });
    yield chunk({}, 'stop');
    yield DONE;
  };
  return { body: body() };
}

/** @throws if the command fails */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(program, args, {
    cwd: CLIENT,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
}

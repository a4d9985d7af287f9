/**
 * Tests the Python client: its types with mypy, then its behaviour against the service, and its packages, which are
 * built; the wheel is imported. What pyarrow and polars do is tested where Python has them.
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

scriptCommand('test:python', 'Test the Python client.').parse();

const python = pythonOfThisMachine();
if (python === undefined) {
  process.stderr.write(`error: ${NO_PYTHON}\n`);
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'roster-python-'));
try {
  await run(['-m', 'mypy', '--cache-dir', join(folder, 'mypy')]);
  await testBehaviour();
  const [wheel = '', source = ''] = buildPythonPackage(python, folder);
  await access(source);
  await run(['-c', `import sys; sys.path.insert(0, sys.argv[1]); import roster; roster.Roster('http://x')`, wheel]);
} finally {
  await rm(folder, { recursive: true });
}

async function testBehaviour(): Promise<void> {
  const told = new EventEmitter();
  const chat = await openScriptedChatServer(({ body }) =>
    body.messages.at(-1)?.content === 'How slowly?' ? saysWhenTold(told) : says(...ANSWER),
  );
  const goOn = await serveOnLoopback((_request, response) => {
    told.emit('go on');
    response.end();
  });
  const env = { CHAT_URL: chat.url, CHAT_MODEL: 'scripted', RATE_LIMIT: '0' };
  const server = await startServer({ env });
  try {
    await run(['-W', 'error', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'], {
      ROSTER_URL: server.url,
      GO_ON_URL: goOn.origin,
      PYTHONPATH: join(CLIENT, 'src'),
    });
  } finally {
    await server.stop();
    await goOn.close();
    await chat.close();
  }
}

/** Returns a reply whose second piece is said only when the test has the first: pieces that meet are sent as one. */
function saysWhenTold(told: EventEmitter): ChatReply {
  const [first, second] = ANSWER;
  const body = async function* () {
    yield chunk({ role: 'assistant', content: first });
    await once(told, 'go on');
    yield chunk({ content: second });
    yield chunk({}, 'stop');
    yield DONE;
  };
  return { body: body() };
}

/** @throws if the command fails */
async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(python ?? '', args, {
    cwd: CLIENT,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`python ${args.join(' ')} ended with ${code}`);
}

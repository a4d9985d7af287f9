import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { pino } from 'pino';
import { SCOPES } from '../../contract/scopes.js';
import { LOCAL_OWNER } from '../../server/auth/caller.js';
import { KEY_HEADERS } from '../../server/auth/identify-caller.js';
import { ORIGIN_HEADERS } from '../../server/auth/origins.js';
import { createKey } from '../../server/auth/secrets.js';
import { type Config, readConfig } from '../../server/config.js';
import { allowOrigins } from '../../server/edge/cors.js';
import { keepKey } from '../../server/projects/keys.js';
import { openService } from '../../server/service.js';
import type { Store } from '../../server/store/index.js';
import { findKey } from '../../server/store/keys.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { openChatServer } from './chat-server.js';

const HOST = '127.0.0.1';
/** The port of the other mock, so that a frontend finds either. */
const PORT = '4010';

scriptCommand('mock:stateful', 'Run the service in memory, with the examples of the contract.').parse();

const say = (text: string) => process.stdout.write(`${text}\n`);

const chat = process.env['CHAT_URL'] ? undefined : await openChatServer();
try {
  const scripted = chat && { CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
  await mock(readMockConfig({ ...process.env, ...scripted }));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The mock did not start: ${reason}\n`);
  process.exitCode = 1;
} finally {
  await chat?.close();
}

/**
 * Returns a configuration for this machine alone, without a persistent store: the mock accepts everyone, and
 * keeps nothing.
 */
function readMockConfig(env: NodeJS.ProcessEnv): Config {
  return readConfig({
    ...env,
    HOST,
    PORT: env['PORT'] || PORT,
    DATABASE_URL: ':memory:',
    BASE_PATH: '',
    // All requests have one key.
    RATE_LIMIT: '0',
    LOG_LEVEL: env['LOG_LEVEL'] || 'warn',
  });
}

async function mock(config: Config): Promise<void> {
  const service = await openService(config, pino({ level: config.logLevel }));
  try {
    service.work();
    // The module reads the contract when it is loaded. The service has read it by now, and would have reported
    // its faults.
    const { loadExamples } = await import('./load-examples.js');
    const front = withKey(service.app, await provideKeys(service.store));
    // The examples are loaded through a temporary port. Requests to the mock's own, which is opened at once lest
    // another program has it, wait for them.
    const loading = withAddress(service.messages, front, (url) => loadExamples(url));
    const listening = service.listen((req, res) => {
      loading.then(
        () => front(req, res),
        () => res.destroy(),
      );
    });
    const [url, made] = await Promise.all([listening, loading]);
    printAddresses(url, made);
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  } finally {
    await service.stop();
  }
}

/**
 * Makes the key of all requests, which may do everything.
 * @returns what gives it: another one, after a request has revoked it
 */
async function provideKeys(store: Store): Promise<() => Promise<string>> {
  const make = async () => {
    const { text, id, hash } = createKey();
    const key = { id, hash, name: 'mock', owner: LOCAL_OWNER, scopes: SCOPES, expires_at: null };
    await keepKey(store, key);
    return { id, text };
  };
  let made = make();
  await made;
  return async () => {
    const current = made;
    const kept = await findKey(store, (await current).id);
    if (kept?.revoked_at !== null && made === current) made = make();
    return (await made).text;
  };
}

/**
 * Accepts requests with any key or none, and from pages of any origin, as Prism does. Frontends already send the key
 * that they will have later. The service behind has one key, by which keys can be made.
 */
function withKey(app: RequestListener, findMockKey: () => Promise<string>): RequestListener {
  const serve = (req: IncomingMessage, res: ServerResponse, key: string) => {
    for (const name of [...KEY_HEADERS, ...ORIGIN_HEADERS]) delete req.headers[name];
    req.headers.authorization = `Bearer ${key}`;
    // The service reads keys where one that is sent twice is seen twice.
    const isKey = (name = '') => KEY_HEADERS.some((header) => header === name.toLowerCase());
    const others = req.rawHeaders.filter((_, at, all) => !isKey(all[at - (at % 2)]));
    req.rawHeaders = [...others, 'Authorization', req.headers.authorization];
    app(req, res);
  };
  return allowOrigins(
    () => '*',
    (req, res) => {
      findMockKey().then(
        (key) => serve(req, res, key),
        () => res.destroy(),
      );
    },
  );
}

/** Serves a listener on a temporary port while a function uses it. */
async function withAddress<T>(
  messages: ServerOptions,
  listener: RequestListener,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(messages, listener).listen(0, HOST);
  try {
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || !address) throw new Error('the system gave no port');
    return await use(`http://${HOST}:${address.port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function printAddresses(url: string, made: readonly string[]): void {
  say(`A mock that remembers listens on ${url}. It is the service itself, in memory, with the
examples of the contract in it:
${made.map((address) => `\n  ${url}${address}`).join('')}

${
  chat
    ? 'Agents and chatbots answer every question with the same text, without a language model: set CHAT_URL\nand CHAT_MODEL to ask a real one.'
    : 'Agents and chatbots ask the chat server at CHAT_URL.'
}

Open ${url} in a browser for the console. It takes any key, and none. Nothing is kept: Ctrl-C ends it, and it begins with the examples again.`);
}

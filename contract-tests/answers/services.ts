import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { createSales } from '../../testkit/databases/sales.js';
import { root } from '../../testkit/root.js';
import { startService } from '../../testkit/service/measured-service.js';
import type { Keys } from '../../testkit/store/keys.js';
import { HttpClient } from '../fuzz/http.js';
import { sendAgents } from './agents.js';
import { replyTo } from './chat-script.js';
import { sendExamples, sendExampleVariants } from './examples.js';
import { sendGenerated } from './generated.js';
import { sendMalformed } from './malformed.js';
import { Normalizer } from './normalizer.js';
import { sendPredictions } from './predictions.js';
import { type Entry, Recorder } from './recorder.js';
import { type Corpus, Session } from './session.js';

/** A service with settings of its own, and what is sent to it. */
interface Setting {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly hasKeys: boolean;
  readonly hasChat: boolean;
  /** Headers of each request but the generated ones. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly corpora: readonly Corpus[];
}

const UNLIMITED = { RATE_LIMIT: '0', PREDICTION_WORKERS: '2' };
const ORIGIN = 'https://app.example.com';

const SETTINGS: readonly Setting[] = [
  {
    name: 'whole',
    env: UNLIMITED,
    hasKeys: true,
    hasChat: true,
    corpora: [
      sendExamples,
      sendExampleVariants,
      sendAgents,
      sendPredictions,
      sendMalformed,
      sendGenerated,
    ],
  },
  {
    name: 'without a chat server',
    env: { RATE_LIMIT: '0', PREDICTION_WORKERS: '0' },
    hasKeys: true,
    hasChat: false,
    corpora: [sendExamples, sendPredictions],
  },
  {
    name: 'without keys',
    env: UNLIMITED,
    hasKeys: false,
    hasChat: false,
    corpora: [sendExamples, sendExampleVariants],
  },
  {
    name: 'one request a minute',
    env: { RATE_LIMIT: '1' },
    hasKeys: true,
    hasChat: false,
    corpora: [sendExamples],
  },
  {
    name: 'small limits',
    env: {
      ...UNLIMITED,
      ...{ MAX_BODY: '1000', MAX_TABLE: '2000', MAX_RESOURCES: '1', MAX_STORED: '4000' },
      ...{ MAX_VERSIONS: '1', MAX_KEPT_ANSWERS: '100' },
    },
    hasKeys: true,
    hasChat: false,
    corpora: [sendExamples, sendExampleVariants],
  },
  {
    name: 'under a path, for an origin',
    env: { ...UNLIMITED, BASE_PATH: '/v1', ALLOWED_ORIGINS: ORIGIN },
    hasKeys: true,
    hasChat: false,
    headers: { Origin: ORIGIN },
    corpora: [sendExamples, sendExampleVariants],
  },
];

/** The names of the services that requests are sent to. */
export const SERVICES: readonly string[] = SETTINGS.map(({ name }) => name);

/** The built service of this checkout. */
export const MAIN: string = fileURLToPath(new URL('dist/server/main.js', root));

/**
 * Starts a service with each of the settings, two at a time, and sends each its requests, one after the other.
 * @param main the program of the service, `dist/server/main.js` of any checkout
 * @param seeds of the generated requests
 * @param names the services to start
 */
export async function recordAnswers(
  main: string,
  seeds: readonly number[],
  names: readonly string[],
  write: (entry: Entry) => void,
): Promise<void> {
  const waiting = SETTINGS.filter(({ name }) => names.includes(name));
  const lane = async () => {
    for (let setting = waiting.shift(); setting; setting = waiting.shift()) {
      const folder = await mkdtemp(join(tmpdir(), 'roster-answers-'));
      try {
        await recordService(setting, main, seeds, folder, write);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  };
  await Promise.all([lane(), lane()]);
}

async function recordService(
  { name, env, hasKeys, hasChat, headers = {}, corpora }: Setting,
  main: string,
  seeds: readonly number[],
  folder: string,
  write: (entry: Entry) => void,
): Promise<void> {
  const databaseUrl = `file:${join(folder, 'roster.db')}`;
  const keys = hasKeys ? await createKeys(main, databaseUrl) : undefined;
  const chat = await openScriptedChatServer(replyTo);
  const sales = createSales(folder);
  const agents = { CHAT_URL: chat.url, CHAT_MODEL: 'scripted', CHAT_MODELS: 'large,small' };
  const databases = {
    sales: { url: `file:${sales}`, training: ['orders', 'stones'] },
    shut: { url: `file:${sales}`, owners: ['acme'] },
  };
  const service = await startService(
    folder,
    databaseUrl,
    { ...env, ...(hasChat ? { ...agents, DATABASES: JSON.stringify(databases) } : {}) },
    { main, cwd: folder },
  );
  const known = {
    ...Object.fromEntries(Object.entries(keys ?? {}).map(([key, text]) => [`key ${key}`, text])),
    ...Object.fromEntries(
      Object.entries(keys ?? {}).map(([key, text]) => [
        `id of key ${key}`,
        text.split('_')[1] ?? '',
      ]),
    ),
    service: new URL(service.url).host,
    chat: new URL(chat.url).host,
    folder,
  };
  let taken = 0;
  const takeAsked = () => {
    const asked = chat.requests
      .slice(taken)
      .map(({ method, path, body }) => ({ method, path, body }));
    taken = chat.requests.length;
    return asked;
  };
  const authorization = keys && `Bearer ${keys.own}`;
  const client = new HttpClient(service.url);
  const recorder = new Recorder(client, new Normalizer(known), authorization, takeAsked, write);
  const basePath = env['BASE_PATH'] ?? '';
  const url = new URL(service.url).origin;
  try {
    for (const send of corpora) {
      await send(new Session(name, url, recorder, keys, seeds, basePath, headers));
    }
  } finally {
    recorder.close();
    await service.kill();
    await chat.close();
  }
}

/** Creates keys with the command of the same build, since another one may have another store. */
async function createKeys(main: string, databaseUrl: string): Promise<Keys> {
  const run = async (...words: string[]) => {
    const command = [join(main, '../commands/roster.js'), 'keys', ...words];
    const env = { ...process.env, DATABASE_URL: databaseUrl };
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    return stdout.trim();
  };
  const ALL = 'read,write,predict,ask,operate';
  const create = (name: string, scope = ALL, ...more: string[]) =>
    run('create', '--name', name, '--scope', scope, ...more);
  const own = await create('own');
  const [read, write, predict, ask, operate, stranger, exemplary, revoked] = await Promise.all([
    create('read', 'read'),
    create('write', 'write'),
    create('predict', 'predict'),
    create('ask', 'ask'),
    create('operate', 'operate'),
    create('stranger', ALL, '--owner', 'stranger'),
    create('exemplary', ALL, '--owner', 'exemplary'),
    create('revoked'),
  ]);
  await run('revoke', revoked.split('_')[1] ?? '');
  return { own, read, write, predict, ask, operate, stranger, exemplary, revoked };
}

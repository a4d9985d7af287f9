import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConfigError, readConfig } from './config.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-config-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

test('an empty environment gives the documented defaults', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    databaseUrl: 'file:data/roster.db',
    basePath: '',
    allowedOrigins: [],
    drainSeconds: 5,
    logLevel: 'info',
    maxBody: 33_554_432,
    maxTable: 1_073_741_824,
    rateLimit: 6000,
    maxResources: 10_000,
    maxStored: 10 * 1024 ** 3,
    maxVersions: 5,
    promiseDays: 90,
    auditDays: 365,
    maxTrainingSeconds: 3600,
    predictionWorkers: availableParallelism(),
    maxKeptAnswers: 64 * 1024 ** 2,
    maxAnswers: 256,
    chat: undefined,
    databases: '{}',
    mcpServers: '{}',
    alarms: undefined,
  });
});

const CHAT = { CHAT_URL: 'http://127.0.0.1:11434/v1', CHAT_MODEL: 'llama3.1' };

describe('the chat server', () => {
  test('has a model, which is one of those that agents may name', () => {
    const { chat } = readConfig({ ...CHAT, CHAT_MODELS: 'qwen3, llama3.1' });
    const models = ['llama3.1', 'qwen3'];
    expect(chat).toMatchObject({ url: CHAT.CHAT_URL, model: 'llama3.1', models });
    expect(chat?.readKey()).toBeUndefined();
  });

  test('is asked for the form of an answer unless it refuses that', () => {
    expect(readConfig(CHAT).chat?.takesForms).toBe(true);
    expect(readConfig({ ...CHAT, CHAT_RESPONSE_FORMAT: 'none' }).chat?.takesForms).toBe(false);
    expect(() => readConfig({ ...CHAT, CHAT_RESPONSE_FORMAT: 'xml' })).toThrow(/CHAT_RESPONSE_FORMAT must be/);
  });

  test('needs a model', () => {
    expect(() => readConfig({ CHAT_URL: CHAT.CHAT_URL })).toThrow(
      new ConfigError(['CHAT_MODEL must name the language model of the chat server at CHAT_URL']),
    );
  });

  test('has its key in a file, which may change while the service runs', async () => {
    const file = join(folder, 'key');
    await writeFile(file, 'sk-1234\n');
    vi.useFakeTimers({ toFake: ['performance'] });
    const chat = readConfig({ ...CHAT, CHAT_KEY_FILE: file }).chat;
    const readLater = () => {
      vi.advanceTimersByTime(6000);
      return chat?.readKey();
    };
    expect(chat?.readKey()).toBe('sk-1234');
    await writeFile(file, 'sk-5678');
    expect(readLater()).toBe('sk-5678');
    // A key that cannot be sent, and a file that is being replaced, change nothing.
    await writeFile(file, 'two\nlines\n');
    expect(readLater()).toBe('sk-5678');
    await rm(file);
    expect(readLater()).toBe('sk-5678');
  });

  test('is refused without its secrets in the message', () => {
    const CHAT_URL = 'http://user:secret@127.0.0.1/v1';
    expect(() => readConfig({ ...CHAT, CHAT_URL })).toThrow(/^CHAT_URL must be (?!.*secret)/);
    for (const address of ['secret', 'ftp://secret.test', 'http://a.test/v1?key=secret']) {
      expect(() => readConfig({ ...CHAT, CHAT_URL: address })).toThrow(/^CHAT_URL must be/);
    }
    const CHAT_KEY = 'se cret';
    expect(() => readConfig({ ...CHAT, CHAT_KEY })).toThrow(/^CHAT_KEY must (?!.*se cret)/);
  });
});

describe('a secret in a file', () => {
  test.each([
    ['DATABASE_URL', 'postgres://roster:s3cret@db/roster', 'databaseUrl'],
    ['DATABASES', '{"sales": "file:sales.db"}', 'databases'],
  ] as const)('may be %s', async (variable, secret, setting) => {
    const file = join(folder, variable);
    await writeFile(file, `${secret}\r\n`);
    expect(readConfig({ [`${variable}_FILE`]: file })[setting]).toBe(secret);
  });

  test.each([
    ['is empty', '\n', 'which is empty'],
    ['is a folder', undefined, 'which is a folder'],
    ['has a second line', 'sk-1\n\n', 'CHAT_KEY_FILE must consist of visible characters'],
  ])('is refused if the file %s', async (_, content, words) => {
    const file = join(folder, 'refused');
    if (content === undefined) await mkdir(file);
    else await writeFile(file, content);
    expect(() => readConfig({ ...CHAT, CHAT_KEY_FILE: file })).toThrow(words);
  });

  test('is refused if there is no file, and if the variable has one too', () => {
    const env = { ...CHAT, CHAT_KEY_FILE: join(folder, 'nowhere') };
    expect(() => readConfig(env)).toThrow('which cannot be read');
    expect(() => readConfig({ ...env, CHAT_KEY: 'a' })).toThrow(
      'CHAT_KEY and CHAT_KEY_FILE are both set; set one of them',
    );
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', HOST: '' }).port).toBe(4000);
});

test('a slash at the end of BASE_PATH makes no difference', () => {
  expect(readConfig({ BASE_PATH: '/v1/roster/' }).basePath).toBe('/v1/roster');
});

test.each([
  [{ PORT: '65536' }, 'PORT must be a number from 0 to 65535, not "65536"'],
  [{ PORT: '40OO' }, 'PORT must be a number from 0 to 65535, not "40OO"'],
  [{ MAX_BODY: '32MiB' }, 'MAX_BODY must be a number of bytes, such as 33554432, not "32MiB"'],
  [{ MAX_TABLE: '1e9' }, 'MAX_TABLE must be a number of bytes, such as 1073741824, not "1e9"'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug'],
  [{ DATABASE_URL: 'roster.db' }, 'DATABASE_URL must be file:PATH, :memory: or postgres:'],
  [{ DATABASE_URL: 'mysql://localhost/roster' }, 'or postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  [{ DATABASE_URL: 'postgres://u:p#w@[h/d' }, 'other than letters and digits are percent-encoded'],
  [{ PREDICTION_WORKERS: '-1' }, 'PREDICTION_WORKERS must be a number of processes from 0 to 999, such as 4, not "-1"'],
  [{ MAX_ANSWERS: '0' }, 'MAX_ANSWERS must be a number of answers, such as 256, not "0"'],
  [{ RATE_LIMIT: '-1' }, 'RATE_LIMIT must be a number of requests a minute, or 0'],
  [{ MAX_RESOURCES: '0' }, 'MAX_RESOURCES must be a number of resources'],
  [{ MAX_STORED: '10GiB' }, 'MAX_STORED must be a number of bytes, such as 10737418240'],
  [{ MAX_VERSIONS: '0' }, 'MAX_VERSIONS must be a number of versions from 1 to 999, such as 5'],
  [{ MAX_KEPT_ANSWERS: '0' }, 'MAX_KEPT_ANSWERS must be a number of bytes, such as 67108864'],
  [{ ALLOWED_ORIGINS: 'app.example.com' }, 'ALLOWED_ORIGINS must be * or origins such as'],
  [{ ALLOWED_ORIGINS: 'https://a.example/' }, 'ALLOWED_ORIGINS must be * or origins such as'],
  [{ ALLOWED_ORIGINS: 'null' }, 'ALLOWED_ORIGINS must be * or origins such as'],
  [{ BASE_PATH: 'v1' }, 'BASE_PATH must be empty or a path such as /roster'],
  [{ BASE_PATH: '/v1/api/' }, 'BASE_PATH must not end in /api'],
  [{ BASE_PATH: '/v1/../x y' }, 'BASE_PATH must be empty or a path such as /roster'],
])('%o is refused in one line that says how to fix it', (env, words) => {
  const reading = () => readConfig(env);
  expect(reading).toThrow(ConfigError);
  expect(reading).toThrow(words);
  expect(reading).not.toThrow('\n');
});

test('ALLOWED_ORIGINS takes several origins, and blanks between them', () => {
  expect(readConfig({ ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173' }).allowedOrigins).toEqual([
    'https://a.example',
    'http://localhost:5173',
  ]);
});

test('all malformed variables are named at once', () => {
  expect(() => readConfig({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT .*; LOG_LEVEL /);
});

test('the password of a malformed DATABASE_URL is not shown', () => {
  const env = { DATABASE_URL: 'postgers://roster:s3cret@db/roster' };
  expect(() => readConfig(env)).toThrow(/^DATABASE_URL must be (?!.*s3cret)/);
});

const OIDC = { OIDC_ISSUER: 'https://login.example.com/realms/acme', OIDC_AUDIENCE: 'roster' };

describe('the OIDC issuer', () => {
  test('has default claims, whose values name the scopes', () => {
    const { oidc } = readConfig(OIDC);
    expect(oidc).toMatchObject({ issuer: OIDC.OIDC_ISSUER, audiences: ['roster'] });
    expect(oidc).toMatchObject({ ownerClaim: 'sub', ownerPrefix: '', scopesClaim: 'scope' });
    expect([...(oidc?.scopes ?? [])]).toEqual([
      ...[
        ['roster:read', ['read']],
        ['roster:write', ['write']],
      ],
      ...[
        ['roster:predict', ['predict']],
        ['roster:ask', ['ask']],
      ],
      ...[
        ['roster:operate', ['operate']],
        ['roster:keys', ['keys']],
      ],
    ]);
    expect(oidc?.client).toBeUndefined();
  });

  test('is read to the letter, with audiences, claims, scopes and a client', () => {
    const { oidc } = readConfig({
      ...OIDC,
      OIDC_ISSUER: 'https://acme.example/',
      OIDC_AUDIENCE: 'api://roster, web',
      OIDC_OWNER_CLAIM: 'team',
      OIDC_OWNER_PREFIX: 'acme:',
      OIDC_SCOPES_CLAIM: 'groups',
      OIDC_SCOPES: '{"analysts": ["predict"], "*": ["read"]}',
      OIDC_LIMITS: '{"analysts": {"requests": 60, "rows": 9}, "constructor": {}}',
      OIDC_CLIENT_ID: 'web',
      OIDC_CLIENT_SCOPE: 'openid groups',
    });
    expect(oidc).toEqual({
      issuer: 'https://acme.example/',
      audiences: ['api://roster', 'web'],
      ownerClaim: 'team',
      ownerPrefix: 'acme:',
      scopesClaim: 'groups',
      scopes: new Map([
        ['analysts', ['predict']],
        ['*', ['read']],
      ]),
      limits: new Map([
        ['analysts', { requests: 60, rows: 9 }],
        ['constructor', {}],
      ]),
      client: { id: 'web', scope: 'openid groups' },
    });
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ OIDC_ISSUER: OIDC.OIDC_ISSUER }, /^OIDC_AUDIENCE must name the audience/],
    [{ OIDC_AUDIENCE: 'roster' }, /^OIDC_ISSUER must name .* because OIDC_AUDIENCE is set$/],
    [{ OIDC_CLIENT_ID: 'web' }, /^OIDC_ISSUER must name .* because OIDC_CLIENT_ID is set$/],
    [{ ...OIDC, OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER must be the https address/],
    [{ ...OIDC, OIDC_ISSUER: 'https://login.example.com?a=b' }, /^OIDC_ISSUER must be/],
    [{ ...OIDC, OIDC_ISSUER: 'https://me:secret@login.example.com' }, /^(?!.*secret)OIDC_ISSUER/],
    [{ ...OIDC, OIDC_ISSUER: 'login.example.com' }, /^OIDC_ISSUER must be/],
    [{ ...OIDC, OIDC_AUDIENCE: 'a,,b' }, /^OIDC_AUDIENCE must be audiences/],
    [{ ...OIDC, OIDC_OWNER_PREFIX: ' a' }, /^OIDC_OWNER_PREFIX must have at most 50/],
    [{ ...OIDC, OIDC_OWNER_PREFIX: 'x'.repeat(51) }, /^OIDC_OWNER_PREFIX must have at most 50/],
    ...['{}', '[]', 'read', '{"a": "read"}', '{"a": []}', '{"a": ["raed"]}', '{"a": null}'].map(
      (OIDC_SCOPES): [Record<string, string>, RegExp] => [
        { ...OIDC, OIDC_SCOPES },
        /^OIDC_SCOPES must be a JSON object .* \(read, write, predict, ask, operate, keys\), such as/,
      ],
    ),
    ...[
      ...['{}', '[]', '[{"requests": 1}]', 'read', 'null', '{"a": 60}', '{"a": []}', '{"a": null}'],
      ...['0', '-1', '1.5', '"60"', 'null', '1e12'].map((max) => `{"a": {"requests": ${max}}}`),
      ...['request', '__proto__', 'constructor'].map((name) => `{"a": {"${name}": 60}}`),
    ].map((OIDC_LIMITS): [Record<string, string>, RegExp] => [
      { ...OIDC, OIDC_LIMITS },
      /^OIDC_LIMITS must be a JSON object .* \(requests, rows, tokens\), whole numbers from 1 .*, such as/,
    ]),
    [{ OIDC_LIMITS: '{"*": {"rows": 1}}' }, /^OIDC_ISSUER must name .* OIDC_LIMITS is set$/],
    [{ ...OIDC, OIDC_CLIENT_SCOPE: 'profile' }, /^OIDC_CLIENT_SCOPE must be openid/],
  ])('is refused in %j', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import * as v from 'valibot';
import { isPostgres } from './store/index.js';

const MEBIBYTE = 1024 * 1024;

/** Returns the schema of a setting that is a number. */
function number(form: RegExp, message: string, unset: number) {
  return v.optional(v.pipe(v.string(), v.regex(form, message), v.transform(Number)), String(unset));
}

const environment = v.object({
  HOST: v.optional(v.string(), '127.0.0.1'),
  PORT: v.pipe(
    number(/^\d{1,5}$/, 'must be a number from 0 to 65535', 4000),
    v.maxValue(65535, 'must be a number from 0 to 65535'),
  ),
  DATABASE_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (url) =>
          url === ':memory:' || /^file:./.test(url) || (isPostgres(url) && URL.canParse(url)),
        'must be file:PATH, :memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE, in which characters of USER and PASSWORD other than letters and digits are percent-encoded (# is %23)',
      ),
    ),
    'file:data/roster.db',
  ),
  BASE_PATH: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^(\/[A-Za-z0-9._~-]+)*\/?$/,
        'must be empty or a path such as /v1, of letters, digits and . _ ~ -',
      ),
      v.transform((path) => path.replace(/\/$/, '')),
      v.check(
        (path) => !path.endsWith('/api'),
        'must not end in /api, a prefix that every address has already',
      ),
    ),
    '',
  ),
  ALLOWED_ORIGINS: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => (text === '' ? [] : text.split(',').map((origin) => origin.trim()))),
      v.everyItem(
        isOriginOrStar,
        'must be * or origins such as https://app.example.com, with commas between them',
      ),
    ),
    '',
  ),
  DRAIN_SECONDS: v.pipe(
    number(/^\d{1,4}$/, 'must be a number of seconds from 0 to 3600', 5),
    v.maxValue(3600, 'must be a number of seconds from 0 to 3600'),
  ),
  LOG_LEVEL: v.optional(
    v.picklist(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be one of trace, debug, info, warn, error, fatal, silent',
    ),
    'info',
  ),
  MAX_BODY: number(/^[1-9]\d{0,14}$/, 'must be a number of bytes, such as 33554432', 32 * MEBIBYTE),
  MAX_TABLE: number(
    /^[1-9]\d{0,14}$/,
    'must be a number of bytes, such as 1073741824',
    1024 * MEBIBYTE,
  ),
  RATE_LIMIT: number(/^\d{1,9}$/, 'must be a number of requests a minute, or 0 for no limit', 6000),
  MAX_RESOURCES: number(/^[1-9]\d{0,8}$/, 'must be a number of resources, such as 10000', 10_000),
  MAX_STORED: number(
    /^[1-9]\d{0,14}$/,
    'must be a number of bytes, such as 10737418240',
    10 * 1024 * MEBIBYTE,
  ),
  MAX_VERSIONS: number(
    /^[1-9]\d{0,2}$/,
    'must be a number of versions from 1 to 999, such as 5',
    5,
  ),
  MAX_KEPT_ANSWERS: number(
    /^[1-9]\d{0,14}$/,
    'must be a number of bytes, such as 67108864',
    64 * MEBIBYTE,
  ),
  MAX_TRAINING_SECONDS: number(
    /^[1-9]\d{0,5}$/,
    'must be a number of seconds from 1 to 999999, such as 3600',
    3600,
  ),
  PREDICTION_WORKERS: number(
    /^\d{1,3}$/,
    'must be a number of processes from 0 to 999, such as 4',
    availableParallelism(),
  ),
  MAX_ANSWERS: number(/^[1-9]\d{0,4}$/, 'must be a number of answers, such as 256', 256),
  CHAT_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        isChatUrl,
        'must be an http:// or https:// address, such as http://127.0.0.1:11434/v1, without a key in it',
      ),
    ),
  ),
  CHAT_KEY: v.optional(
    v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/, 'must consist of visible characters of ASCII')),
  ),
  CHAT_MODEL: v.optional(
    v.pipe(v.string(), v.maxLength(1000, 'must have at most 1000 characters')),
  ),
  CHAT_MODELS: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',').map((name) => name.trim())),
      v.everyItem((name) => name !== '', 'must be names of models with commas between them'),
    ),
  ),
  DATABASES: v.optional(v.string(), '{}'),
});

function isChatUrl(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username + password + search + hash === '';
}

/** The variables that may hold a secret, which a file can have in their place (`CHAT_KEY_FILE`). */
const SECRETS = ['CHAT_KEY', 'DATABASES'] as const;

/** The names of all variables that are read. */
export const SETTINGS: readonly string[] = [
  ...Object.keys(environment.entries),
  ...SECRETS.map((name) => `${name}_FILE`),
];

/** The chat server that agents use. */
export interface ChatConfig {
  /** The base of its addresses, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly key: string | undefined;
  /** The language model of agents that name no other. */
  readonly model: string;
  /** The language models that agents may name; undefined if their `model_name` does not count. */
  readonly models: readonly string[] | undefined;
}

/** Origins are compared as browsers write them: no path, no default port, host in lower case. */
function isOriginOrStar(text: string): boolean {
  return (
    text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text)
  );
}

/** The configuration of the service, from the environment. */
export interface Config {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  readonly databaseUrl: string;
  /** A prefix before every address: '' or a path without a trailing slash. */
  readonly basePath: string;
  /** Origins whose pages may use the service, and `*` for reads with a key. */
  readonly allowedOrigins: readonly string[];
  /** The time between the announcement of a stop and the stop, in seconds. */
  readonly drainSeconds: number;
  readonly logLevel: v.InferOutput<typeof environment>['LOG_LEVEL'];
  /** The largest body other than a CSV table, in bytes. */
  readonly maxBody: number;
  /** The largest CSV table, in bytes. */
  readonly maxTable: number;
  /** The most requests per key and minute; 0 for no limit. */
  readonly rateLimit: number;
  /** The most resources of each kind in a project, and the most projects of an owner. */
  readonly maxResources: number;
  /** The most bytes that an owner may store in all projects. */
  readonly maxStored: number;
  /** The most ready versions of a model that are kept. */
  readonly maxVersions: number;
  /** The most bytes of an owner's responses kept under an Idempotency-Key. */
  readonly maxKeptAnswers: number;
  /** The longest time of a training, in seconds. */
  readonly maxTrainingSeconds: number;
  /** The processes that answer large bodies of rows; with 0, the main loop does. */
  readonly predictionWorkers: number;
  /** The most answers of agents at once. */
  readonly maxAnswers: number;
  /** Undefined if agents cannot answer. */
  readonly chat: ChatConfig | undefined;
  /** The databases that skills may read, as `DATABASES` says. */
  readonly databases: string;
}

/** The environment has an invalid setting; the message names it in one line. */
export class ConfigError extends Error {}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset.
 * @throws {ConfigError} naming every malformed variable.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const set = withSecrets(
    withNewNames(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))),
  );
  const result = v.safeParse(environment, set);
  if (!result.success) {
    throw new ConfigError(
      result.issues
        .map((issue) => {
          const name = findSetName(env, v.getDotPath(issue) ?? '');
          return `${name} ${issue.message}${butIs(set, name)}`;
        })
        .join('; '),
    );
  }
  const {
    HOST,
    PORT,
    DATABASE_URL,
    BASE_PATH,
    ALLOWED_ORIGINS,
    DRAIN_SECONDS,
    LOG_LEVEL,
    MAX_BODY,
    MAX_TABLE,
    RATE_LIMIT,
    MAX_RESOURCES,
    MAX_STORED,
    MAX_VERSIONS,
    MAX_KEPT_ANSWERS,
    MAX_TRAINING_SECONDS,
    PREDICTION_WORKERS,
    MAX_ANSWERS,
    DATABASES,
  } = result.output;
  return {
    host: HOST,
    port: PORT,
    databaseUrl: DATABASE_URL,
    basePath: BASE_PATH,
    allowedOrigins: ALLOWED_ORIGINS,
    drainSeconds: DRAIN_SECONDS,
    logLevel: LOG_LEVEL,
    maxBody: MAX_BODY,
    maxTable: MAX_TABLE,
    rateLimit: RATE_LIMIT,
    maxResources: MAX_RESOURCES,
    maxStored: MAX_STORED,
    maxVersions: MAX_VERSIONS,
    maxKeptAnswers: MAX_KEPT_ANSWERS,
    maxTrainingSeconds: MAX_TRAINING_SECONDS,
    predictionWorkers: PREDICTION_WORKERS,
    maxAnswers: MAX_ANSWERS,
    chat: chatOf(result.output),
    databases: DATABASES,
  };
}

/** Returns the settings of the chat server, if there is one. */
function chatOf({
  CHAT_URL: url,
  CHAT_KEY: key,
  CHAT_MODEL: model,
  CHAT_MODELS: models,
}: v.InferOutput<typeof environment>): ChatConfig | undefined {
  if (url === undefined) return undefined;
  if (model === undefined) {
    throw new ConfigError('CHAT_MODEL must name the language model of the chat server at CHAT_URL');
  }
  return { url, key, model, models: models && [...new Set([model, ...models])] };
}

/** The variables that had another name before. */
const OLDER_NAMES = { PREDICTION_THREADS: 'PREDICTION_WORKERS' } as const;

/** Gives variables with an older name their name of today. */
function withNewNames(set: Readonly<Record<string, string | undefined>>) {
  const renamed = Object.entries(OLDER_NAMES).flatMap(([older, name]) =>
    set[older] === undefined || set[name] !== undefined ? [] : [[name, set[older]] as const],
  );
  return { ...set, ...Object.fromEntries(renamed) };
}

/** Returns the name under which a variable was set. */
function findSetName(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const older = Object.entries(OLDER_NAMES).find(([, newer]) => newer === name)?.[0];
  return older !== undefined && env[older] && !env[name] ? older : name;
}

/** Reads the secrets that are in files. */
function withSecrets(set: Readonly<Record<string, string | undefined>>) {
  const read = SECRETS.flatMap((name) => {
    const file = set[`${name}_FILE`];
    if (file === undefined) return [];
    if (set[name] !== undefined) {
      throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them`);
    }
    return [[name, secretIn(`${name}_FILE`, file)] as const];
  });
  return { ...set, ...Object.fromEntries(read) };
}

function secretIn(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`${name} must be a file that can be read, not "${file}"`);
  }
}

/** Describes the value of a variable, unless it may contain a secret. */
function butIs(set: Readonly<Record<string, string | undefined>>, name: string): string {
  const isSecret = SECRETS.some((secret) => secret === name);
  return isSecret || set[name]?.includes('@') ? '' : `, not "${set[name]}"`;
}

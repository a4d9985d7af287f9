import { availableParallelism } from 'node:os';
import * as v from 'valibot';
import { asRecord, parseJson } from '../contract/json-record.js';
import { SCOPES } from '../contract/scopes.js';
import { isOwnerName } from './auth/caller.js';
import { isHttpAddress, isSecureAddress } from './common/addresses.js';
import { isPostgres, isReadable } from './store/index.js';
import { LIMIT_NAMES, MAX_LIMIT } from './store/key-limits.js';

const MEBIBYTE = 1024 * 1024;

/** Returns the schema of a setting that is a number. */
function number(form: RegExp, message: string, unset: number) {
  return v.optional(v.pipe(v.string(), v.regex(form, message), v.transform(Number)), String(unset));
}

/** Returns the schema of a setting that is a whole number from 1, with so many digits at most. */
function count(digits: number, unit: string, unset: number) {
  // bounded: a variable of the environment
  const form = new RegExp(`^[1-9]\\d{0,${digits - 1}}$`);
  return number(form, `must be a number of ${unit}, such as ${unset}`, unset);
}

/** Returns the schema of a setting that is a number from 0. */
function numberTo(max: number, unit: string, unset: number) {
  const message = `must be a number ${unit}from 0 to ${max}`;
  // bounded: a variable of the environment
  const form = new RegExp(`^\\d{1,${String(max).length}}$`);
  return v.pipe(number(form, message, unset), v.maxValue(max, message));
}

function text(isFit: (text: string) => boolean, message: string) {
  return v.pipe(v.string(), v.check(isFit, message));
}

function split(list: string): string[] {
  return list === '' ? [] : list.split(',').map((item) => item.trim());
}

/** The most characters before the value of a claim in the name of an owner. */
const MAX_PREFIX = 50;

/** Returns the schema of a JSON object by values of a claim. */
function byValue<T>(schema: v.GenericSchema<unknown, T>, message: string) {
  const members = v.pipe(v.array(v.tuple([v.string(), schema])), v.minLength(1));
  return v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }): ReadonlyMap<string, T> => {
      const found = parseJson(dataset.value);
      const { success, output } = v.safeParse(members, Array.isArray(found) ? [] : Object.entries(asRecord(found)));
      if (success) return new Map(output);
      addIssue({ message });
      return NEVER;
    }),
  );
}

const OIDC_SCOPES_FORM = `must be a JSON object of values of the claim and lists of scopes (${SCOPES.join(', ')}), such as {"analysts": ["read", "predict"], "*": ["read"]}`;

const OIDC_LIMITS_FORM = `must be a JSON object of values of the claim and their limits (${LIMIT_NAMES.join(', ')}), whole numbers from 1 to ${MAX_LIMIT}, such as {"analysts": {"requests": 60, "rows": 100000}, "*": {"requests": 30}}`;

const limit = v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_LIMIT)));

/** The limits of a value. */
const limits = v.pipe(
  v.custom<object>((found) => !Array.isArray(found)),
  v.strictObject({ requests: limit, rows: limit, tokens: limit }),
);

/** The settings. The variable of `maxBody` is `MAX_BODY`; docs/operation.md explains each. */
export const settings = v.object({
  host: v.optional(v.string(), '127.0.0.1'),
  /** 0 lets the system choose a free port. */
  port: numberTo(65_535, '', 4000),
  databaseUrl: v.optional(
    text(
      (url) => url === ':memory:' || /^file:./.test(url) || (isPostgres(url) && isReadable(url)),
      'must be file:PATH, :memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE, in which characters of USER and PASSWORD other than letters and digits are percent-encoded (# is %23)',
    ),
    'file:data/roster.db',
  ),
  /** A prefix before every address: '' or a path without a trailing slash. */
  basePath: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(\/[A-Za-z0-9._~-]+)*\/?$/, 'must be empty or a path such as /roster, of letters, digits and . _ ~ -'),
      v.transform((path) => path.replace(/\/$/, '')),
      v.check((path) => !path.endsWith('/api'), 'must not end in /api, a prefix that every address already has'),
    ),
    '',
  ),
  /** Origins whose pages may use the service, and `*` for reads with a key. */
  allowedOrigins: v.optional(
    v.pipe(
      v.string(),
      v.transform(split),
      v.everyItem(isOriginOrStar, 'must be * or origins such as https://app.example.com, with commas between them'),
    ),
    '',
  ),
  /** The origin at which others reach the service; undefined if it gives no tokens of OAuth. */
  publicUrl: v.optional(
    text(
      isPublicUrl,
      'must be the origin at which others reach the service, such as https://roster.example.com, without a path; http will do on this machine alone',
    ),
  ),
  /** The time between the announcement of a stop and the stop. */
  drainSeconds: numberTo(3600, 'of seconds ', 5),
  logLevel: v.optional(
    v.picklist(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be one of trace, debug, info, warn, error, fatal, silent',
    ),
    'info',
  ),
  /** The largest body other than a CSV table, in bytes. */
  maxBody: count(15, 'bytes', 32 * MEBIBYTE),
  /** The largest CSV table, in bytes. */
  maxTable: count(15, 'bytes', 1024 * MEBIBYTE),
  /** The requests per key and minute; 0 for no limit. */
  rateLimit: number(/^\d{1,9}$/, 'must be a number of requests a minute, or 0 for no limit', 6000),
  /** The resources of each kind in a project, and the projects of an owner. */
  maxResources: count(9, 'resources', 10_000),
  /** The bytes that an owner may store in all projects. */
  maxStored: count(15, 'bytes', 10 * 1024 * MEBIBYTE),
  /** The ready versions of a model that are kept. */
  maxVersions: count(3, 'versions from 1 to 999', 5),
  /** The days for which promises of remembered predictions are kept. */
  promiseDays: count(4, 'days from 1 to 9999', 90),
  /** The days for which events of the audit log are kept. */
  auditDays: count(4, 'days from 1 to 9999', 365),
  /** The bytes of an owner's responses kept under an Idempotency-Key. */
  maxKeptAnswers: count(15, 'bytes', 64 * MEBIBYTE),
  maxTrainingSeconds: count(6, 'seconds from 1 to 999999', 3600),
  /** The processes that answer large bodies of rows; with 0, the main loop does. */
  predictionWorkers: number(
    /^\d{1,3}$/,
    'must be a number of processes from 0 to 999, such as 4',
    availableParallelism(),
  ),
  /** The answers of agents at once. */
  maxAnswers: count(5, 'answers', 256),
  chatUrl: v.optional(
    text(
      // Paths follow it, so that it has no query.
      (url) => isHttpAddress(url) && !url.includes('?'),
      'must be an http:// or https:// address, such as http://127.0.0.1:11434/v1, without a key in it',
    ),
  ),
  chatKey: v.optional(text(isHeaderText, 'must consist of visible characters of ASCII')),
  chatModel: v.optional(v.pipe(v.string(), v.maxLength(1000, 'must have at most 1000 characters'))),
  chatModels: v.optional(
    v.pipe(
      v.string(),
      v.transform(split),
      v.everyItem((name) => name !== '', 'must be names of models with commas between them'),
    ),
  ),
  /** Whether chat servers are asked for the form of an answer. */
  chatResponseFormat: v.optional(v.picklist(['json_schema', 'none'], "must be 'json_schema' or 'none'")),
  /** The address that alarms of models are sent to. */
  alarmUrl: v.optional(
    text(isHttpAddress, 'must be an http:// or https:// address, such as https://ops.example.com/roster'),
  ),
  /** The secret that they are signed with. */
  alarmSecret: v.optional(
    text(
      (secret) => isHeaderText(secret) && secret.length >= 16,
      'must consist of at least 16 visible characters of ASCII',
    ),
  ),
  /** The databases that skills may read, as `DATABASES` says. */
  databases: v.optional(v.string(), '{}'),
  /** The MCP servers that skills may use, as `MCP_SERVERS` says. */
  mcpServers: v.optional(v.string(), '{}'),
  /** The claim `iss` of tokens that are as good as keys. */
  oidcIssuer: v.optional(
    text(
      isIssuer,
      'must be the https address that the issuer of tokens calls itself, such as https://login.example.com/realms/acme, without a query; http will do on this machine alone',
    ),
  ),
  oidcAudience: v.optional(
    v.pipe(
      v.string(),
      v.transform(split),
      v.everyItem((name) => name !== '', 'must be audiences with commas between them'),
    ),
  ),
  oidcOwnerClaim: v.optional(v.string(), 'sub'),
  oidcOwnerPrefix: v.optional(
    text(
      (prefix) => isOwnerName(`${prefix}x`) && [...prefix].length <= MAX_PREFIX,
      `must have at most ${MAX_PREFIX} visible characters, and begin with none that is a space`,
    ),
    '',
  ),
  oidcScopesClaim: v.optional(v.string(), 'scope'),
  /** The scopes by a value of their claim, as JSON. */
  oidcScopes: v.optional(
    byValue(v.pipe(v.array(v.picklist(SCOPES)), v.minLength(1)), OIDC_SCOPES_FORM),
    JSON.stringify(Object.fromEntries(SCOPES.map((scope) => [`roster:${scope}`, [scope]]))),
  ),
  /** The limits by a value of that claim, as JSON. */
  oidcLimits: v.optional(byValue(limits, OIDC_LIMITS_FORM)),
  /** The client that the console signs in as. */
  oidcClientId: v.optional(text(isHeaderText, 'must consist of visible characters of ASCII')),
  oidcClientScope: v.optional(
    text(
      (scope) => /^openid( [\x21-\x7e]+)*$/.test(scope),
      'must be openid, and further scopes with a space between them',
    ),
    'openid',
  ),
});

/** A URL is an issuer to the letter, so that nothing is added to it or left out. */
function isIssuer(url: string): boolean {
  return isSecureAddress(url) && !/[?#\s]/.test(url);
}

export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Origins are compared as browsers write them: no path, no default port, host in lower case. */
function isOriginOrStar(text: string): boolean {
  return text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}

/** OAuth allows http on the own machine alone (RFC 8252, section 8.3). */
function isPublicUrl(text: string): boolean {
  return isSecureAddress(text) && new URL(text).origin === text;
}

/** Returns the variable of a setting: `MAX_BODY` of `maxBody`. */
export function variable(setting: string): string {
  return setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** The settings that may be secret, which a file can have in their place (`CHAT_KEY_FILE`). */
export const SECRETS: readonly string[] = ['databaseUrl', 'chatKey', 'alarmSecret', 'databases', 'mcpServers'];

/** The names of all variables that are read. */
export const SETTINGS: readonly string[] = [
  ...Object.keys(settings.entries).map(variable),
  ...SECRETS.map((setting) => `${variable(setting)}_FILE`),
];

export type Settings = v.InferOutput<typeof settings>;

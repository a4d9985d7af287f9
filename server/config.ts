import * as v from 'valibot';
import type { OidcConfig } from './auth/identities.js';
import { isLoopback } from './common/addresses.js';
import { followSecret, readSecret } from './common/secret-file.js';
import { isHeaderText, SECRETS, SETTINGS, type Settings, settings, variable } from './settings.js';
import { isPostgres } from './store/index.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Config extends Omit<Settings, `chat${string}` | `oidc${string}` | `alarm${string}`> {
  /** Returns the present URL of the store; undefined if it is not in a file. */
  readonly readDatabaseUrl: (() => string) | undefined;
  /** Undefined if no tokens are as good as keys. */
  readonly oidc: OidcConfig | undefined;
  /** Undefined if alarms of models are only logged. */
  readonly alarms: AlarmConfig | undefined;
  /** Undefined if agents cannot answer. */
  readonly chat: ChatConfig | undefined;
}

/** The chat server that agents use. */
export interface ChatConfig {
  /** The base of its addresses, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** Returns its key, which a file may change; undefined if it needs none. */
  readonly readKey: () => string | undefined;
  /** The language model of agents that name no other. */
  readonly model: string;
  /** The language models that agents may name; undefined if their `model_name` does not count. */
  readonly models: readonly string[] | undefined;
  /** Whether it is asked for the form of an answer by `response_format`. */
  readonly takesForms: boolean;
}

/** The address that alarms of models are sent to. */
export interface AlarmConfig {
  readonly url: string;
  /** Returns the secret that signs them, which a file may change. */
  readonly readSecret: () => string | undefined;
}

/** The environment has invalid settings; the message names them in one line. */
export class ConfigError extends Error {
  /** @param faults what is wrong, in words, one for each setting */
  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset.
 * @throws {ConfigError} naming every malformed variable.
 */
export function readConfig(env: Environment): Config {
  const found = Object.keys(settings.entries).map((setting) => findSetting(env, setting));
  const result = v.safeParse(settings, Object.fromEntries(found.map(({ setting, value }) => [setting, value])));
  if (!result.success) {
    const faults = result.issues.map(({ path, message }) => {
      const fault = found.find(({ setting }) => setting === path?.[0].key);
      return `${fault?.name} ${message}${fault ? butIs(fault) : ''}`;
    });
    throw new ConfigError(faults);
  }
  if (result.output.publicUrl !== undefined && result.output.basePath !== '') {
    throw new ConfigError([
      'PUBLIC_URL and BASE_PATH are both set; clients of OAuth look for the service at the root of a host, so leave BASE_PATH out',
    ]);
  }
  const { chatUrl, chatKey, chatModel, chatModels, chatResponseFormat, alarmUrl, alarmSecret, ...withOidc } =
    result.output;
  const { oidcIssuer, oidcAudience, oidcOwnerClaim, oidcOwnerPrefix, oidcScopesClaim, ...withScopes } = withOidc;
  const { oidcScopes, oidcLimits, oidcClientId, oidcClientScope, ...ungrouped } = withScopes;
  return {
    ...ungrouped,
    readDatabaseUrl: databaseUrlReader(ungrouped.databaseUrl, env),
    alarms: readAlarms(result.output, env),
    oidc: readOidc(result.output, env),
    chat: readChat(result.output, env),
  };
}

/**
 * Returns the fault of a service that other machines reach while there are no keys: without keys, and an issuer of
 * tokens, every caller owns everything, so only this machine may connect. A proxy that passes requests on may name
 * this machine as the host.
 * @returns undefined if only this machine reaches it
 */
export function findUnprotectedAddress({ host, publicUrl, oidc }: Config): string | undefined {
  const isPublic = publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
  if ((isLoopback(host) && !isPublic) || oidc) return undefined;
  const door = isLoopback(host) ? `PUBLIC_URL ${publicUrl}` : `HOST ${host}`;
  return (
    `${door} lets other machines in, and there is no key yet that would show who they are; ` +
    'make one with roster keys create --name NAME (npm run keys -- create --name NAME), or leave HOST at 127.0.0.1 and PUBLIC_URL out'
  );
}

/** @throws {ConfigError} if there is a chat server without a model */
function readChat(settings: Settings, env: Environment): ChatConfig | undefined {
  const { chatUrl: url, chatKey: key, chatModel: model, chatModels, chatResponseFormat } = settings;
  if (url === undefined) return undefined;
  if (model === undefined) {
    throw new ConfigError(['CHAT_MODEL must name the language model of the chat server at CHAT_URL']);
  }
  const models = chatModels && [...new Set([model, ...chatModels])];
  const takesForms = chatResponseFormat !== 'none';
  return { url, readKey: keyReader(key, env[`${variable('chatKey')}_FILE`]), model, models, takesForms };
}

/** @throws {ConfigError} if there is an issuer without an audience, or another setting of it without an issuer */
function readOidc(found: Settings, env: Environment): OidcConfig | undefined {
  const { oidcIssuer: issuer, oidcAudience: audiences, oidcClientId: id } = found;
  if (issuer === undefined) {
    const lone = SETTINGS.find((name) => name.startsWith('OIDC_') && env[name]);
    if (lone === undefined) return undefined;
    throw new ConfigError([`OIDC_ISSUER must name the issuer of tokens, because ${lone} is set`]);
  }
  if (audiences === undefined) {
    throw new ConfigError([
      'OIDC_AUDIENCE must name the audience of the tokens of OIDC_ISSUER: without it, tokens for other services would be taken, too',
    ]);
  }
  return {
    issuer,
    audiences,
    ownerClaim: found.oidcOwnerClaim,
    ownerPrefix: found.oidcOwnerPrefix,
    scopesClaim: found.oidcScopesClaim,
    scopes: found.oidcScopes,
    limits: found.oidcLimits ?? new Map(),
    client: id === undefined ? undefined : { id, scope: found.oidcClientScope },
  };
}

/** @throws {ConfigError} if there is an address without a secret, or the other way round */
function readAlarms({ alarmUrl: url, alarmSecret: secret }: Settings, env: Environment): AlarmConfig | undefined {
  if ((url === undefined) !== (secret === undefined)) {
    throw new ConfigError([
      'ALARM_URL and ALARM_SECRET go together: alarms are sent to the one, signed with the other',
    ]);
  }
  const readSecret = keyReader(secret, env[`${variable('alarmSecret')}_FILE`]);
  return url === undefined ? undefined : { url, readSecret };
}

function keyReader(key: string | undefined, file: string | undefined): () => string | undefined {
  return key === undefined || !file ? () => key : followSecret(file, key, isHeaderText);
}

/** The store itself decides when it looks at the file. */
function databaseUrlReader(url: string, env: Environment): (() => string) | undefined {
  const file = env[`${variable('databaseUrl')}_FILE`];
  const isUsable = (text: string) => isPostgres(text) && v.is(settings.entries.databaseUrl, text);
  return file && isPostgres(url) ? followSecret(file, url, isUsable, 0) : undefined;
}

/** A setting in the environment: the variable that has it, and its value. */
interface Found {
  readonly setting: string;
  readonly name: string;
  readonly value: string | undefined;
}

function findSetting(env: Environment, setting: string): Found {
  const name = variable(setting);
  const file = `${name}_FILE`;
  if (SECRETS.includes(setting) && env[file]) {
    if (env[name]) throw new ConfigError([`${name} and ${file} are both set; set one of them`]);
    return { setting, name: file, value: readNamedSecret(file, env[file]) };
  }
  return { setting, name, value: env[name] || undefined };
}

function readNamedSecret(name: string, file: string): string {
  try {
    return readSecret(name, file);
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

/** Describes the value of a variable, unless it may contain a secret. */
function butIs({ setting, value }: Found): string {
  return SECRETS.includes(setting) || value?.includes('@') ? '' : `, not "${value}"`;
}

import { urlToHttpOptions } from 'node:url';
import { Command } from 'commander';
import { asRecord, parseJson } from '../../contract/json-record.js';
import { McpServers } from '../agents/mcp/mcp-servers.js';
import { type McpServerSettings, parseMcpServers } from '../agents/mcp/settings.js';
import { LOCAL_OWNER } from '../auth/caller.js';
import type { OidcConfig } from '../auth/identities.js';
import { ExchangeError, exchange, explainExchange } from '../common/http-exchange.js';
import type { Owned } from '../common/named-settings.js';
import { unlessAborted } from '../common/unless-aborted.js';
import { type ChatConfig, type Config, ConfigError, findUnprotectedAddress, readConfig } from '../config.js';
import { type DatabaseSettings, parseDatabases } from '../databases/settings.js';
import { SqlDatabases } from '../databases/sql-databases.js';
import { findMisspelledSettings } from '../misspelled-settings.js';
import { ProblemError } from '../problems/problem.js';
import { SETTINGS } from '../settings.js';
import { explainOpening } from '../store/database/unavailable.js';
import { withoutCredentials } from '../store/index.js';
import { inspectStore } from '../store/inspect.js';

/** The longest time of a check, in milliseconds. They run at once. */
const CHECK_MS = 10_000;

/** The limits of a request to a server, which has to answer sooner than to an agent. */
const LIMITS = { firstByteMs: 5_000, silenceMs: 3_000, endMs: 1_000, maxReceivedBytes: 1024 * 1024 };

/** One thing that a service needs. */
interface Check {
  readonly subject: string;
  /**
   * Tries it.
   * @returns that it is well, in words
   * @throws what is wrong, and how to mend it
   */
  readonly run: (signal: AbortSignal) => Promise<string>;
}

interface Finding {
  readonly subject: string;
  readonly words: string;
  readonly isWrong: boolean;
}

export const checkCommand = new Command('check')
  .description(
    'read the configuration, try the store and the servers that it names, and say what is wrong; changes nothing',
  )
  .action(async () => {
    for await (const finding of findAll(process.env)) {
      process.stdout.write(formatFinding(finding));
      if (finding.isWrong) process.exitCode = 1;
    }
  });

/** White space and control characters, with which the words of a server could forge a line. */
const BREAKS = /[\s\p{C}]+/gu;

function formatFinding({ subject, words, isWrong }: Finding): string {
  return `${isWrong ? 'wrong' : 'ok   '} ${subject}: ${words.replace(BREAKS, ' ')}\n`;
}

/** Yields a finding of each subject. If the configuration cannot be read, there is nothing to try. */
async function* findAll(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const { config, databases, servers, faults } = readSettings(env);
  for (const words of faults) yield { subject: 'configuration', words, isWrong: true };
  if (faults.length === 0) {
    yield { subject: 'configuration', words: describeSettings(env), isWrong: false };
  }
  if (config === undefined) return;
  const checks = [
    checkStore(config),
    ...[...databases].map(([name, setting]) => checkDatabase(name, setting)),
    ...(config.chat ? [checkChat(config.chat)] : []),
    ...[...servers].map(([name, setting]) => checkMcpServer(name, setting)),
    ...(config.oidc ? [checkIssuer(config.oidc)] : []),
    ...(config.publicUrl === undefined ? [] : [checkPublicUrl(config.publicUrl)]),
  ];
  for (const finding of checks.map(runCheck)) yield await finding;
}

/** Reads all that the environment sets, with a fault for each setting that cannot be read. */
function readSettings(env: NodeJS.ProcessEnv) {
  const faults = findMisspelledSettings(env);
  const read = <T>(parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      faults.push(...(error instanceof ConfigError ? error.faults : [explain(error)]));
      return undefined;
    }
  };
  const config = read(() => readConfig(env));
  const databases = config && read(() => parseDatabases(config.databases));
  const servers = config && read(() => parseMcpServers(config.mcpServers));
  return { config, faults, databases: databases ?? new Map(), servers: servers ?? new Map() };
}

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'];

function describeSettings(env: NodeJS.ProcessEnv): string {
  const set = SETTINGS.filter((name) => env[name]);
  const read = set.length === 0 ? 'no variable is set' : `${set.join(', ')} can be read`;
  const proxy = PROXIES.find((name) => env[name]);
  return proxy === undefined ? read : `${read}; ${proxy} is not used: the service reaches every server directly`;
}

async function runCheck({ subject, run }: Check): Promise<Finding> {
  const signal = AbortSignal.timeout(CHECK_MS);
  try {
    return { subject, words: await unlessAborted(run(signal), signal), isWrong: false };
  } catch (error) {
    const words = signal.aborted
      ? `it did not answer within ${CHECK_MS / 1000} seconds; see whether it is overloaded, or a firewall drops what is sent to it`
      : explain(error);
    return { subject, words, isWrong: true };
  }
}

/** Returns the message of an error, with its cause where it was written for those who may not know it. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return error instanceof ProblemError && cause ? `${message} ${explainOpening(cause)}` : message;
}

function checkStore(config: Config): Check {
  const { databaseUrl: url } = config;
  const fault = findUnprotectedAddress(config);
  const run = async () => {
    const isInMemory = url === ':memory:';
    const state = isInMemory ? undefined : await inspectStore(url);
    if (fault !== undefined && !state?.hasKeys) throw new Error(fault);
    if (!state) return 'it is in memory, and gone when the service ends';
    const name = withoutCredentials(url);
    if (!state.exists) return `${name} is not there yet, and the start makes it`;
    return state.pending.length === 0
      ? `${name} is up to date`
      : `${name} can be opened, and the start runs its migrations ${state.pending.join(', ')}`;
  };
  return { subject: 'store', run };
}

/** Returns an owner who may use what the operator names. */
function findOwner({ owners }: Owned): string {
  const [first = LOCAL_OWNER] = owners ?? [];
  return first;
}

function checkDatabase(name: string, setting: DatabaseSettings): Check {
  const run = async (signal: AbortSignal) => {
    // Longer than for an agent: all tables are described at once.
    const queries = new SqlDatabases(new Map([[name, setting]]), { agents: { timeoutMs: CHECK_MS } });
    try {
      const { training = [], views = {} } = setting;
      // The files of views that only agents read are looked for, too.
      const tables = new Set([...Object.keys(views), ...training]);
      await queries.describe(findOwner(setting), name, [...tables], signal);
      return training.length === 0
        ? 'it can be read'
        : `it can be read, with the tables for trainings ${training.join(', ')}`;
    } finally {
      await queries.stop();
    }
  };
  return { subject: `database ${name}`, run };
}

function checkChat({ url, readKey, model, models = [] }: ChatConfig): Check {
  const run = async (signal: AbortSignal) => {
    // Loaded on demand, as in the service.
    const { ChatClient } = await import('../agents/chat/chat-client.js');
    const listed = await new ChatClient({ url, readKey, limits: LIMITS }).listModels(signal);
    if (listed === undefined) return `it answers, but lists no language models`;
    // Ollama lists the models that have no tag with one.
    const lacks = [...new Set([model, ...models])].filter(
      (name) => !listed.includes(name) && !listed.includes(`${name}:latest`),
    );
    // Some servers, such as Azure's, list other names than those that they take.
    return lacks.length === 0
      ? `it answers, and has ${model}`
      : `it answers, but does not list ${lacks.join(', ')}; see whether an agent gets an answer`;
  };
  return { subject: 'chat server', run };
}

function checkMcpServer(name: string, setting: McpServerSettings): Check {
  const run = async (signal: AbortSignal) => {
    const servers = new McpServers(new Map([[name, setting]]), 'check', LIMITS);
    try {
      const tools = await servers.list(findOwner(setting), name, [], signal);
      const unfit = [...tools].filter(([, tool]) => typeof tool === 'string');
      const words = `it lists ${tools.size} tools`;
      return unfit.length === 0 ? words : `${words}, ${unfit.length} of which agents cannot use`;
    } finally {
      await servers.stop();
    }
  };
  return { subject: `MCP server ${name}`, run };
}

function checkIssuer({ issuer }: OidcConfig): Check {
  const run = async () => {
    // Loaded on demand, as in the service.
    const { readIssuer } = await import('../auth/issuer.js');
    const { keys, endpoints } = await readIssuer(issuer);
    if (keys.length === 0) {
      throw new Error('it answers, but publishes no key for RS256, ES256 or EdDSA; no token is good');
    }
    const words = `it answers, with ${keys.length} keys of signatures`;
    return endpoints ? words : `${words}, but says of no place where a browser signs in`;
  };
  return { subject: 'OIDC issuer', run };
}

const PROXY = {
  server: 'The proxy at PUBLIC_URL',
  setting: 'PUBLIC_URL',
  patience: 'See whether the service behind it runs.',
};

/** The statuses of a proxy that reaches no service behind it. */
const NO_SERVICE: ReadonlySet<number> = new Set([502, 503, 504]);

const NOT_YET = 'no service answers there yet; check it again when one runs';

function checkPublicUrl(publicUrl: string): Check {
  const run = async (signal: AbortSignal) => {
    const address = urlToHttpOptions(new URL('/health/live', publicUrl));
    try {
      const response = await exchange({ ...address, agent: false }, undefined, LIMITS, signal);
      response.makeOptional();
      const body = asRecord(parseJson(await response.readBeginning(LIMITS.maxReceivedBytes)));
      if (response.status === 200 && body['status'] === 'live') return 'the service answers there';
      if (NO_SERVICE.has(response.status)) return NOT_YET;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      if (error.code === 'ECONNREFUSED') return NOT_YET;
      throw new Error(explainExchange(error, LIMITS, PROXY), { cause: error });
    }
    throw new Error(
      `another program answers at ${publicUrl}/health/live; let the proxy pass all addresses on to the service as they are`,
    );
  };
  return { subject: 'PUBLIC_URL', run };
}

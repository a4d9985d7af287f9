import { setMaxListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { readContract } from '../contract/document.js';
import { AgentRunner, type ChatServer } from './agents/agent-runner.js';
import type { McpServers } from './agents/mcp/mcp-servers.js';
import { parseMcpServers } from './agents/mcp/settings.js';
import { McpTools } from './agents/tools/mcp-tool.js';
import { SqlTools } from './agents/tools/sql-tool.js';
import type { Handlers } from './api/handlers.js';
import { RateLimits } from './api/limits/rate-limits.js';
import { createApp } from './app.js';
import { Callers } from './auth/callers.js';
import type { Identities, OidcConfig } from './auth/identities.js';
import { Sweeps } from './common/sweeps.js';
import { type ChatConfig, type Config, findUnprotectedAddress } from './config.js';
import { parseDatabases } from './databases/settings.js';
import { findMissing, SqlDatabases } from './databases/sql-databases.js';
import { HttpServer } from './edge/server.js';
import { listSweeps } from './housekeeping.js';
import { RunningCalls } from './mcp/running-calls.js';
import { PredictionPool } from './models/predictions/prediction-pool.js';
import { Predictors } from './models/predictions/predictors.js';
import { RowCounter } from './models/predictions/row-counter.js';
import { countAlarms } from './models/record/report-alarms.js';
import { countWaitingTrainings } from './models/training/begin-training.js';
import { Tables } from './models/training/tables.js';
import { Trainings } from './models/training/trainings.js';
import { welcomeOwner } from './projects/projects.js';
import { openPassageSearch } from './resources/documents/passage-search.js';
import { Store, withoutCredentials } from './store/index.js';
import { hasKeys } from './store/keys.js';
import { watchAnswers } from './telemetry/answer-watch.js';
import { Refusals } from './telemetry/audit.js';
import { Readiness } from './telemetry/health.js';
import { Metrics } from './telemetry/metrics.js';
import type { Tracing } from './telemetry/spans.js';

/** The least time of a stream at a stop, in milliseconds, unless the drain is shorter; requests have six seconds then. */
const LAST_STREAM_MS = 5_000;

/** The longest time that a scrape of the metrics waits for a probe of the store, in milliseconds. */
const SCRAPE_PATIENCE_MS = 500;

/**
 * Opens the store and builds the service on it, which is idle until `listen` and `work` are called.
 * The caller must stop it in every case.
 * @param tracing makes spans, if tracing is on
 * @param replaced handlers to use instead of the service's, as in a test build
 * @throws if the store or the contract cannot be read, or other machines can connect and there are
 *   no keys
 */
export async function openService(config: Config, log: Logger, tracing?: Tracing, replaced?: Partial<Handlers>) {
  // In the root of the project, two folders above the built file.
  const contract = readContract(new URL('../../openapi.yaml', import.meta.url));
  const store = await Store.open(config.databaseUrl, {
    limits: {
      resources: config.maxResources,
      stored: config.maxStored,
      versions: config.maxVersions,
      answers: config.maxKeptAnswers,
    },
    onError: (error) => log.warn({ err: error }, 'a connection to the store broke'),
    isService: true,
    readUrl: config.readDatabaseUrl,
    noteAddress: (url, failure) => {
      if (failure) log.error({ err: failure }, 'the changed address of the store is not used, since it cannot be');
      else log.info({ store: withoutCredentials(url) }, 'the store is used at another address or host');
    },
    noteMigrations: (names) => log.info({ migrations: names }, 'the tables of the store were migrated'),
  });
  try {
    await refuseStrangersWithoutKeys(config, store);
    const rates = new RateLimits(config.rateLimit, store);
    const metrics = new Metrics(contract.document.info.version);
    metrics.requests.expect(['none', ...contract.operations.map(({ id }) => id)]);
    const trainings = new Trainings(store, log, (outcome) => metrics.trainingEnded(outcome), {
      maxTime: config.maxTrainingSeconds * 1000,
    });
    const readiness = new Readiness(
      () => store.ping(),
      (failure) => {
        if (failure) log.error({ err: failure }, 'the store takes no requests');
        else log.info('the store takes requests again');
      },
    );
    metrics.watch({
      storeReady: async () => Number(await readiness.isReady(SCRAPE_PATIENCE_MS)),
      trainingsRunning: () => trainings.running,
      trainingsWaiting: () => countWaitingTrainings(store),
      storeBytes: () => store.measure(),
      alarms: () => countAlarms(store),
    });
    const draining = new AbortController();
    const stopping = new AbortController();
    // Each answer in progress listens.
    setMaxListeners(0, stopping.signal);
    const predictors = new Predictors(store);
    const pool = new PredictionPool(config.predictionWorkers, predictors);
    const tables = new Tables(store, log);
    const sweeps = new Sweeps(listSweeps(store, config, log, stopping.signal), log);
    const passages = openPassageSearch(store);
    const settings = parseDatabases(config.databases);
    const missing = await findMissing(settings);
    if (missing !== undefined) log.warn(missing);
    const databases = new SqlDatabases(settings, { trainings: { maxBytes: config.maxTable } });
    const sql = databases.isEmpty ? undefined : new SqlTools(databases);
    const servers = await openMcpServers(config.mcpServers, contract.document.info.version);
    const mcp = servers && new McpTools(servers);
    const counter = new RowCounter(rates, metrics);
    const tools = { store, passages, predictors, sql, mcp, counter };
    const agents = new AgentRunner(
      tools,
      config.chat && (await openChatServer(config.chat)),
      watchAnswers(metrics.answers, log, tracing?.startSpan),
      log,
      rates,
    );
    const identities = config.oidc && (await openIdentities(config.oidc, store, log));
    const callers = new Callers(store, log, findUnprotectedAddress(config) !== undefined, identities);
    const refusals = new Refusals(store, callers, log);
    const services = {
      store,
      readiness,
      tables,
      trainings,
      predictors,
      pool,
      metrics,
      refusals,
      rates,
      agents,
      calls: new RunningCalls(store, log),
      tools,
      databases,
      servers,
      draining: draining.signal,
    };
    const { signal } = stopping;
    const { listener, messages } = createApp(
      config,
      contract,
      services,
      callers,
      signal,
      log,
      tracing?.traceRequests,
      replaced,
    );

    let server: HttpServer | undefined;
    let drainMs = 0;
    /** The parts that a stop ends: the store last, since all others use it. */
    const phases: readonly Readonly<Record<string, () => Promise<void> | undefined>>[] = [
      { requests: () => server?.close(), trainings: () => trainings.stop(), housekeeping: () => sweeps.stop() },
      {
        'readers of tables': () => tables.stop(),
        predictions: () => pool.close(),
        queries: () => databases.stop(),
        'calls of MCP servers': () => servers?.stop(),
        searches: () => passages.close(),
      },
      // After all that counts, and before the store.
      { limits: () => rates.stop(), refusals: () => refusals.stop() },
      { store: () => store.close() },
    ];
    const ending = new Set<string>();
    return {
      store,
      app: listener,
      /** The classes of the requests and responses that `app` takes. */
      messages,
      /**
       * Listens on the configured host and port.
       * @param front the listener to use instead of the app, such as one that passes most requests
       *   to the app
       * @returns the address
       * @throws if it cannot listen, with the reason and a remedy in one line
       */
      listen: async (front: RequestListener = listener): Promise<string> => {
        server = new HttpServer(front, contract, messages);
        const url = await server.listen(config);
        log.info({ url, store: withoutCredentials(config.databaseUrl) }, 'listening');
        return url;
      },
      /** Starts trainings and periodic housekeeping. */
      work: () => {
        identities?.prepare();
        trainings.start();
        sweeps.start();
      },
      /**
       * Announces the stop: `/health/ready` answers 503, answers close their connections, and a
       * running training is left to another instance. All requests are still served.
       * @param ms the time for load balancers to notice
       * @param hurry ends the drain early
       */
      drain: async (ms: number, hurry: AbortSignal): Promise<void> => {
        draining.abort();
        server?.drain();
        // `stop` throws a failure.
        trainings.stop().catch(() => {});
        await delay(ms, undefined, { signal: hurry }).catch(() => {});
        drainMs = hurry.aborted ? 0 : ms;
      },
      /**
       * Closes the port, lets running requests finish, and ends everything that the service started. A stream that
       * began late in the drain has as much time as the others had, five seconds at most.
       * One failure does not keep the rest from ending.
       * @throws the first failure
       */
      stop: async (): Promise<void> => {
        draining.abort();
        stopping.abort(Math.min(drainMs, LAST_STREAM_MS));
        const failures: unknown[] = [];
        for (const phase of phases) {
          const ends = Object.entries(phase).map(async ([what, end]) => {
            ending.add(what);
            try {
              await end();
            } catch (error) {
              failures.push(error);
            }
            ending.delete(what);
          });
          await Promise.all(ends);
        }
        if (failures.length > 0) throw failures[0];
      },
      /** Returns what `stop` waits for, in words. */
      underWay: (): string[] => {
        const requests = server?.openRequests ?? 0;
        return [...ending].map((what) => (what === 'requests' ? `${requests} requests` : what));
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openChatServer({ url, readKey, model, models, takesForms }: ChatConfig): Promise<ChatServer> {
  // Loaded on demand: a service without a chat server starts faster without it.
  const { ChatClient } = await import('./agents/chat/chat-client.js');
  return { client: new ChatClient({ url, readKey, takesForms }), model, models };
}

/** Returns undefined if the service has no MCP servers. */
async function openMcpServers(text: string, version: string): Promise<McpServers | undefined> {
  const settings = parseMcpServers(text);
  if (settings.size === 0) return undefined;
  // Loaded on demand, as the client of a chat server is.
  const { McpServers } = await import('./agents/mcp/mcp-servers.js');
  return new McpServers(settings, version);
}

async function openIdentities(config: OidcConfig, store: Store, log: Logger): Promise<Identities> {
  // Loaded on demand, as the client of a chat server is.
  const { Identities } = await import('./auth/identities.js');
  const begin = (owner: string) => welcomeOwner(store, owner);
  return new Identities(config, begin, log);
}

async function refuseStrangersWithoutKeys(config: Config, store: Store): Promise<void> {
  const fault = findUnprotectedAddress(config);
  if (fault !== undefined && !(await hasKeys(store))) throw new Error(fault);
}

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { createApp } from './app.js';
import { Callers } from './callers/callers.js';
import { type Config, readConfig } from './config.js';
import { boundBodyTime } from './contract/body-time.js';
import { type Contract, readContract } from './contract/document.js';
import { answerUnreadableRequest } from './contract/unreadable-request.js';
import { isLoopback } from './loopback.js';
import { Predictors } from './models/predictors.js';
import { Tables } from './models/tables.js';
import { Trainings } from './models/trainings.js';
import { KEPT_FOR } from './operations/once.js';
import { Store, withoutCredentials } from './store/index.js';
import { Metrics } from './telemetry/metrics.js';
import { startTracing } from './telemetry/tracing.js';

/** The contract stands at the top of the project, which this file is built two folders below. */
const CONTRACT = new URL('../../openapi.yaml', import.meta.url);

/** How long the headers of a request may take to arrive, and then its body, in milliseconds. */
const HEADERS_TIMEOUT = 10_000;
const BODY_TIMEOUT = 120_000;

/** Connections at once, most of which may do nothing; each takes a file descriptor. */
const MAX_CONNECTIONS = 10_000;

/** How long a stop waits for what has begun, in milliseconds. */
const PATIENCE = 10_000;

const HOUR = 60 * 60 * 1000;

try {
  const config = readConfig(process.env);
  const lines = pino.destination({ sync: true, minLength: 4096, periodicFlush: 100 });
  process.on('exit', () => lines.flushSync());
  const log = pino({ level: config.logLevel }, lines);
  const tracing = await startTracing(process.env, log);
  try {
    await serve(config, log);
  } finally {
    await tracing?.stop();
  }
  // A collector that is away would be tried again for some time, with nobody there to see it.
  if (tracing) process.exit();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`Roster did not start: ${reason}\n`);
  process.exitCode = 1;
}

async function serve(config: Config, log: Logger): Promise<void> {
  const contract = readContract(CONTRACT);
  const store = await Store.open(config.databaseUrl, {
    most: { resources: config.maxResources },
    onError: (error) => log.warn({ err: error }, 'a connection to the store broke'),
  });
  try {
    await refuseStrangersWithoutKeys(config, store);
    const metrics = new Metrics();
    const trainings = new Trainings(store, log, (outcome) => metrics.trainingEnded(outcome));
    metrics.watchTrainings({
      running: () => trainings.running,
      waiting: () => store.models.waitingTrainings(),
    });
    const stopping = new AbortController();
    const predictors = new Predictors(store);
    const services = { store, tables: new Tables(store), trainings, predictors, metrics };
    const callers = new Callers(store, log, !isLoopback(config.host));
    const app = await createApp(config, contract, services, callers, stopping.signal, log);
    const server = httpServer(app.listener, contract);
    const stopped = new Promise((resolve) => server.once('close', resolve));
    await listen(server, config);
    log.info(
      { url: addressOf(server, config), store: withoutCredentials(config.databaseUrl) },
      'listening',
    );
    trainings.start();
    void forgetOldAnswers(store, log);
    const housekeeping = setInterval(() => forgetOldAnswers(store, log), HOUR);
    const signal = await nextSignal();
    log.info({ signal }, 'stopping');
    stopping.abort();
    clearInterval(housekeeping);
    await Promise.all([close(server, stopped), trainings.stop()]);
  } finally {
    await store.close();
  }
  log.info('stopped');
}

/** Without keys everyone who reaches the service owns it; so only this machine may reach it then. */
async function refuseStrangersWithoutKeys({ host }: Config, store: Store): Promise<void> {
  if (isLoopback(host) || (await store.keys.exist())) return;
  throw new Error(
    `HOST ${host} lets other machines in, and there is no key yet that would tell who they are; ` +
      'make one with roster keys create --name NAME (npm run keys -- create --name NAME), or leave HOST at 127.0.0.1',
  );
}

function httpServer(app: RequestListener, contract: Contract): Server {
  const answerUnreadable = answerUnreadableRequest(contract);
  const listener = boundBodyTime(app, BODY_TIMEOUT, answerUnreadable);
  const server = createServer(
    {
      // A request without a Host, or with an unknown Expect, is for the app to answer: Node has no problems.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT,
      // It would end streams, too.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
    },
    listener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server.on('checkExpectation', listener).on('clientError', answerUnreadable);
}

/** Answers are kept for a day; the others only take room. */
async function forgetOldAnswers(store: Store, log: Logger): Promise<void> {
  try {
    await store.answers.forget(new Date(Date.now() - KEPT_FOR).toISOString());
  } catch (error) {
    log.warn({ err: error }, 'old answers are not forgotten yet');
  }
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  // As many may wait to be let in: whoever finds the queue full is told nothing, and tries again after seconds.
  server.listen({ port, host, backlog: 4096 });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(`it cannot listen on HOST ${host} and PORT ${port}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'EADDRINUSE'
    ? 'address already in use; stop what listens there, or choose another PORT'
    : error.message;
}

function addressOf(server: Server, { host, basePath }: Config): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`;
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

/** Lets what has begun end, then closes; what has not ended in time is cut. */
async function close(server: Server, stopped: Promise<unknown>): Promise<void> {
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  await Promise.race([stopped, delay(PATIENCE, undefined, { ref: false })]);
  clearInterval(idle);
  server.closeAllConnections();
  await stopped;
}

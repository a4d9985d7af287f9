import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { createApp, type Lifecycle } from './app.js';
import { type Config, readConfig } from './config.js';
import { readContract } from './contract/document.js';
import { answerUnreadableRequest } from './contract/unreadable-request.js';
import { Predictors } from './models/predictors.js';
import { Trainings } from './models/trainings.js';
import { Store, withoutCredentials } from './store/index.js';

/** The contract stands at the top of the project, which this file is built two folders below. */
const CONTRACT = new URL('../../openapi.yaml', import.meta.url);

/** How long a stop waits for what has begun, in milliseconds. */
const PATIENCE = 10_000;

try {
  const config = readConfig(process.env);
  await serve(config, pino({ level: config.logLevel }));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`Roster did not start: ${reason}\n`);
  process.exitCode = 1;
}

async function serve(config: Config, log: Logger): Promise<void> {
  const contract = readContract(CONTRACT);
  const store = await Store.open(config.databaseUrl, {
    onError: (error) => log.warn({ err: error }, 'a connection to the store broke'),
  });
  try {
    const trainings = new Trainings(store, log);
    const lifecycle: Lifecycle = { stopping: false };
    const services = { store, trainings, predictors: new Predictors(store) };
    const app = await createApp(config, contract, services, lifecycle, log);
    // A request without a Host, or with an unknown Expect, is for the app to answer: Node has no problems.
    const server = createServer({ requireHostHeader: false }, app)
      .on('checkExpectation', app)
      .on('clientError', answerUnreadableRequest(contract));
    const stopped = new Promise((resolve) => server.once('close', resolve));
    await listen(server, config);
    log.info(
      { url: addressOf(server, config), store: withoutCredentials(config.databaseUrl) },
      'listening',
    );

    trainings.start();
    const signal = await nextSignal();
    log.info({ signal }, 'stopping');
    lifecycle.stopping = true;
    await Promise.all([close(server, stopped), trainings.stop()]);
  } finally {
    await store.close();
  }
  log.info('stopped');
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`it cannot listen on HOST ${host} and PORT ${port}: ${reason}`, { cause });
  }
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

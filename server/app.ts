import type { RequestListener } from 'node:http';
import express, { type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Contract } from '../contract/document.js';
import { OPENAI_PATHS } from '../contract/operations.js';
import { handleRequests } from './api/handle-request.js';
import type { Handlers } from './api/handlers.js';
import { Limits } from './api/limits/index.js';
import { sendProblem, sendRefusal } from './api/reply/error-handler.js';
import type { Callers } from './auth/callers.js';
import { isLoopback } from './common/addresses.js';
import type { Config } from './config.js';
import { bypassRouter, type Messages, protect } from './edge/server.js';
import { goesToPool } from './models/predictions/predict.js';
import { writeOauthFault } from './oauth/faults.js';
import { operations, refuseMissing, type Services } from './operations.js';
import { pages } from './pages/index.js';
import { problem } from './problems/problem.js';
import { storeProblem } from './store/database/unavailable.js';
import { logFailures, observeRequests } from './telemetry/request-log.js';

/**
 * Composes the service: its middleware, in order. Returns its listener, and the classes of the requests and
 * responses that a server must give it.
 * @param stopping aborted when streams and answers of agents must end
 * @param traceRequests creates a span for each request, if tracing is on
 * @param replaced handlers to use instead of the service's own
 * @throws {ContractError} if the contract has a fault
 */
export function createApp(
  config: Config,
  contract: Contract,
  services: Services,
  callers: Callers,
  stopping: AbortSignal,
  log: Logger,
  traceRequests?: RequestHandler,
  replaced: Partial<Handlers> = {},
): { readonly listener: RequestListener; readonly messages: Messages } {
  const { allowedOrigins } = config;
  const noteFailure = logFailures(log);
  const limits = new Limits(services.rates, config.maxAnswers, contract.operations);
  services.metrics.watchQueues(() => ({ ...limits.measureQueues(), writes: services.store.writing }));
  // Clients whose base URL ends in /api find the same addresses there.
  const bases = [config.basePath, `${config.basePath}/api`];
  const requests = handleRequests(
    {
      contract,
      config,
      callers,
      limits,
      stopping,
      noteFailure,
      handlers: { ...operations(services, callers, config, contract.document.info.version), ...replaced },
      refuseMissing: refuseMissing(services),
      defersJson: goesToPool(services.pool),
    },
    bases,
  );
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  const observe = observeRequests(log, services.metrics.requests);
  const answerError = sendProblem(
    contract,
    bases,
    storeProblem,
    ({ type }, status, req, { locals }) => {
      services.metrics.refused(type);
      if (status === 401 || status === 403) services.refusals.note(type, req, locals);
    },
    noteFailure,
    writeOauthFault,
  );
  const { listener, messages } = bypassRouter(
    app,
    traceRequests ? (req, res) => traceRequests(req, res, () => observe(req, res)) : observe,
    requests,
    answerError,
  );
  const signIn = callers.findSignIn();
  const routesOfPages = pages(contract, config.basePath, isLoopback(config.host), signIn);
  app.use(config.basePath || '/', routesOfPages);
  // A problem's type is `/problems/…`, for any base path.
  if (config.basePath) app.use(routesOfPages);
  app.use(refuseUnknownAddress(contract));
  app.use(answerError);
  const front = protect(listener, allowedOrigins, {
    exempt: openAddresses(contract, bases),
    overloadProblem: limits.overloadProblem,
    refuse: (refusal, req, res) => {
      services.metrics.refused(refusal.type);
      limits.throttle(req, res);
      sendRefusal(contract, bases, refusal, req, res);
    },
  });
  return { listener: front, messages };
}

/**
 * Returns the addresses that are open to all: the health checks, which are exempt from load
 * shedding.
 */
function openAddresses({ operations }: Contract, bases: readonly string[]): Set<string> {
  const open = operations.filter(({ isOpen, speaksOauth }) => isOpen && !speaksOauth);
  return new Set(bases.flatMap((base) => open.map(({ path }) => base + path)));
}

/** The addresses that clients of OpenAI's API ask for, whatever their base URL is. */
const OF_OPENAI = /\/(v1(\/|$)|chat\/completions$|responses$)/;

function refuseUnknownAddress({ operations }: Contract): RequestHandler {
  const paths = new Set(operations.map(({ path }) => path));
  const served = [...paths].filter((path) => path.startsWith(OPENAI_PATHS)).join(', ');
  return ({ path }) => {
    const advice = OF_OPENAI.test(path)
      ? `of OpenAI's API there are ${served}. The base URL of its clients ends in /v1.`
      : 'compare it with the contract. Addresses are case-sensitive, and those of models begin with /api.';
    throw problem('/problems/unknown-address', `There is no address ${path}; ${advice}`);
  };
}

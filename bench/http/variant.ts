import { pino } from 'pino';
import { type Contract, createContract, type Document, readContract } from '../../contract/document.js';
import { asRecord } from '../../contract/json-record.js';
import { AgentRunner } from '../../server/agents/agent-runner.js';
import { RateLimits } from '../../server/api/limits/rate-limits.js';
import { createApp } from '../../server/app.js';
import { Callers } from '../../server/auth/callers.js';
import { readConfig } from '../../server/config.js';
import { SqlDatabases } from '../../server/databases/sql-databases.js';
import { RunningCalls } from '../../server/mcp/running-calls.js';
import { PredictionPool } from '../../server/models/predictions/prediction-pool.js';
import { Predictors } from '../../server/models/predictions/predictors.js';
import { RowCounter } from '../../server/models/predictions/row-counter.js';
import { Tables } from '../../server/models/training/tables.js';
import { Trainings } from '../../server/models/training/trainings.js';
import { openPassageSearch } from '../../server/resources/documents/passage-search.js';
import type { Store } from '../../server/store/index.js';
import { watchAnswers } from '../../server/telemetry/answer-watch.js';
import { Refusals } from '../../server/telemetry/audit.js';
import { Readiness } from '../../server/telemetry/health.js';
import { Metrics } from '../../server/telemetry/metrics.js';
import { root } from '../../testkit/root.js';
import { openStore, serve } from './baselines/serve.js';

/** Roster in another form: `MORE` operations in its contract, or no events (`AUDITS=false`). */
const { MORE = '', AUDITS } = process.env;
const config = readConfig(process.env);
const log = pino({ level: config.logLevel });
const store = await openStore();
if (AUDITS === 'false') leaveOutEvents(store);
const predictors = new Predictors(store);
const metrics = new Metrics('0.0.0');
const answers = watchAnswers(metrics.answers, log);
const passages = openPassageSearch(store);
const rates = new RateLimits(config.rateLimit, store);
const tools = { store, passages, predictors, sql: undefined, mcp: undefined, counter: new RowCounter(rates, metrics) };
const callers = new Callers(store, log);
const services = {
  servers: undefined,
  store,
  tables: new Tables(store, log),
  trainings: new Trainings(store, log, () => {}, { maxTime: config.maxTrainingSeconds * 1000 }),
  databases: new SqlDatabases(new Map()),
  predictors,
  pool: new PredictionPool(0, predictors),
  metrics,
  refusals: new Refusals(store, callers, log),
  rates,
  tools,
  agents: new AgentRunner(tools, undefined, answers, log, rates),
  calls: new RunningCalls(store, log),
  readiness: new Readiness(() => store.ping()),
  draining: new AbortController().signal,
};
const { signal } = new AbortController();
const contract = growContract(Number(MORE));
const { listener, messages } = createApp(config, contract, services, callers, signal, log);
await serve(listener, messages);

/** Lets the writes of requests end as those that the service makes by itself. */
function leaveOutEvents(store: Store): void {
  const transaction = store.transaction.bind(store);
  store.transaction = (work, target) => transaction(work, target && { ...target, act: undefined });
}

/**
 * Returns the contract with a number of operations before its own: copies of them, with their own addresses and
 * operationIds. Each has the name of its original to find its handler.
 */
function growContract(count: number): Contract {
  const { document } = readContract(new URL('openapi.yaml', root));
  const paths = Object.fromEntries([...copies(document, count), ...Object.entries(document.paths)]);
  const grown = createContract('', { ...document, paths });
  const operations = grown.operations.map((operation) => ({
    ...operation,
    id: operation.id.replace(/-copy-\d+$/, ''),
  }));
  return { ...grown, operations };
}

function* copies({ paths }: Document, count: number): Generator<[string, Document['paths'][string]]> {
  let made = 0;
  for (let generation = 1; made < count; generation++) {
    for (const [path, item] of Object.entries(paths)) {
      const copy = Object.entries(item).flatMap(([key, part]) => {
        const { operationId } = asRecord(part);
        if (operationId === undefined) return [[key, part]];
        if (made === count) return [];
        made++;
        return [[key, { ...asRecord(part), operationId: `${operationId}-copy-${generation}` }]];
      });
      // `/projects/{project_name}/skills` becomes `/projects-1/{project_name}/skills`.
      const address = path.replace(/^\/[^/]+/, (first) => `${first}-${generation}`);
      yield [address, Object.fromEntries(copy)];
    }
  }
}

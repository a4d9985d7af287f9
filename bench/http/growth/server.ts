import { pino } from 'pino';
import { AgentRunner } from '../../../server/agents/agent-runner.js';
import { createApp } from '../../../server/app.js';
import { Callers } from '../../../server/auth/callers.js';
import { readConfig } from '../../../server/config.js';
import { SqlDatabases } from '../../../server/databases/sql-databases.js';
import { PredictionPool } from '../../../server/models/predictions/prediction-pool.js';
import { Predictors } from '../../../server/models/predictions/predictors.js';
import { Tables } from '../../../server/models/training/tables.js';
import { Trainings } from '../../../server/models/training/trainings.js';
import { openPassageSearch } from '../../../server/resources/documents/passage-search.js';
import { watchAnswers } from '../../../server/telemetry/answer-watch.js';
import { Metrics } from '../../../server/telemetry/metrics.js';
import { openStore, serve } from '../baselines/serve.js';
import { grownContract } from './grown-contract.js';

/** Roster on a contract with more operations; `MORE` is their number. */
const { MORE = '' } = process.env;
const config = readConfig(process.env);
const contract = await grownContract(Number(MORE));
const log = pino({ level: config.logLevel });
const store = await openStore();
const predictors = new Predictors(store);
const metrics = new Metrics();
const answers = watchAnswers(metrics.answers, log);
const passages = openPassageSearch(store);
const tools = { store, passages, predictors, sql: undefined, onPredicted: () => {} };
const services = {
  databases: undefined,
  store,
  tables: new Tables(store, log),
  trainings: new Trainings(store, log, () => {}, { maxTime: config.maxTrainingSeconds * 1000 }),
  queries: new SqlDatabases(new Map()),
  predictors,
  pool: new PredictionPool(0, predictors),
  metrics,
  agents: new AgentRunner(tools, undefined, answers, log),
  draining: new AbortController().signal,
};
const callers = new Callers(store, log);
const { signal } = new AbortController();
const { listener, messages } = createApp(config, contract, services, callers, signal, log);
await serve(listener, messages);

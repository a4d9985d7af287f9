import type { AgentRunner } from './agents/agent-runner.js';
import { completionOperations } from './agents/completions.js';
import { conversationOperations } from './agents/conversations/conversations.js';
import type { Handlers } from './api/handlers.js';
import type { SqlDatabases } from './databases/sql-databases.js';
import { modelOperations } from './models/models.js';
import { predictOperations } from './models/predictions/predict.js';
import type { PredictionPool } from './models/predictions/prediction-pool.js';
import type { Predictors } from './models/predictions/predictors.js';
import type { Tables } from './models/training/tables.js';
import { trainingOperations } from './models/training/train.js';
import type { Trainings } from './models/training/trainings.js';
import { type CallerLimits, callerOperations } from './projects/caller.js';
import { projectOperations } from './projects/projects.js';
import { agentOperations } from './resources/agents.js';
import { chatbotOperations } from './resources/chatbots.js';
import { documentOperations } from './resources/documents/documents.js';
import type { DatabaseNames } from './resources/skill-check.js';
import { skillOperations } from './resources/skills.js';
import type { Store } from './store/index.js';
import { healthOperations } from './telemetry/health.js';
import type { Metrics } from './telemetry/metrics.js';

export interface Services {
  readonly store: Store;
  readonly tables: Tables;
  readonly trainings: Trainings;
  readonly queries: SqlDatabases;
  readonly predictors: Predictors;
  readonly pool: PredictionPool;
  readonly metrics: Metrics;
  readonly agents: AgentRunner;
  readonly databaseNames: DatabaseNames;
  /** Aborted when the service is about to stop. */
  readonly draining: AbortSignal;
}

/**
 * Returns the handlers of all operations of the contract.
 * @param version the version of the service
 */
export function operations(services: Services, limits: CallerLimits, version: string): Handlers {
  const { store, predictors, pool, metrics, agents, databaseNames, draining } = services;
  return {
    ...callerOperations(limits),
    ...projectOperations(store),
    ...skillOperations(store, databaseNames),
    ...documentOperations(store),
    ...agentOperations(store),
    ...completionOperations(store, agents),
    ...chatbotOperations(store),
    ...conversationOperations(store, agents),
    ...modelOperations(store, services.trainings),
    ...trainingOperations(services),
    ...predictOperations(store, predictors, pool, (rows) => metrics.predicted(rows)),
    ...healthOperations(store, metrics, version, draining),
  };
}

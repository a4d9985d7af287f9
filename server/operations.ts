import type { Agents } from '../agents/agents.js';
import type { TableQueries } from '../databases/table-queries.js';
import type { Handlers } from '../pipeline/handlers.js';
import type { PredictionPool } from '../predictions/prediction-pool.js';
import type { Predictors } from '../predictions/predictors.js';
import type { Store } from '../store/index.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Tables } from '../training/tables.js';
import type { Trainings } from '../training/trainings.js';
import { agentOperations } from './agents.js';
import { type CallerLimits, callerOperations } from './caller.js';
import { chatbotOperations } from './chatbots.js';
import { completionOperations } from './completions.js';
import { conversationOperations } from './conversations.js';
import { documentOperations } from './documents.js';
import { healthOperations } from './health.js';
import { versionOperations } from './model-versions.js';
import { modelOperations } from './models.js';
import { predictOperations } from './predict.js';
import { projectOperations } from './projects.js';
import type { DatabaseNames } from './refusing/skill-check.js';
import { retrainOperations } from './retrain.js';
import { skillOperations } from './skills.js';

/** The services that operations use. */
export interface Services {
  readonly store: Store;
  readonly tables: Tables;
  readonly trainings: Trainings;
  readonly queries: TableQueries;
  readonly predictors: Predictors;
  readonly pool: PredictionPool;
  readonly metrics: Metrics;
  readonly agents: Agents;
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
    ...modelOperations(services),
    ...retrainOperations(services),
    ...predictOperations(store, predictors, pool, metrics),
    ...versionOperations(store),
    ...healthOperations(store, metrics, version, draining),
  };
}

import type { AgentRunner } from './agents/agent-runner.js';
import { completionOperations } from './agents/completions.js';
import { conversationOperations } from './agents/conversations/conversations.js';
import type { McpServers } from './agents/mcp/mcp-servers.js';
import type { ToolServices } from './agents/tools/tools.js';
import type { RefuseMissing } from './api/handle-request.js';
import type { Handlers } from './api/handlers.js';
import type { RateLimits } from './api/limits/rate-limits.js';
import type { Callers } from './auth/callers.js';
import type { Config } from './config.js';
import type { SqlDatabases } from './databases/sql-databases.js';
import { mcpOperations } from './mcp/mcp.js';
import type { RunningCalls } from './mcp/running-calls.js';
import { errorOperations } from './models/errors.js';
import { modelOperations } from './models/models.js';
import { onnxOperations } from './models/onnx.js';
import { predictOperations } from './models/predictions/predict.js';
import type { PredictionPool } from './models/predictions/prediction-pool.js';
import type { Predictors } from './models/predictions/predictors.js';
import { actualsOperations } from './models/record/actuals.js';
import { recordOperations } from './models/record/record.js';
import { seriesOperations } from './models/series.js';
import type { Tables } from './models/training/tables.js';
import { trainingOperations } from './models/training/train.js';
import type { Trainings } from './models/training/trainings.js';
import { oauthOperations } from './oauth/oauth.js';
import { openaiOperations } from './openai/openai.js';
import { keyOperations } from './projects/keys.js';
import { type CallerLimits, callerOperations, findProject, projectOperations } from './projects/projects.js';
import { agentOperations } from './resources/agents.js';
import { chatbotOperations } from './resources/chatbots.js';
import { documentOperations, findDocumentSkill } from './resources/documents/documents.js';
import { manifestOperations } from './resources/manifest/manifest.js';
import { modelDetailsOperations } from './resources/model-details.js';
import { skillOperations } from './resources/skills.js';
import type { Store } from './store/index.js';
import { auditOperations, type Refusals } from './telemetry/audit.js';
import { healthOperations, type Readiness } from './telemetry/health.js';
import type { Metrics } from './telemetry/metrics.js';

export interface Services {
  readonly store: Store;
  readonly readiness: Readiness;
  readonly tables: Tables;
  readonly trainings: Trainings;
  readonly predictors: Predictors;
  readonly pool: PredictionPool;
  readonly metrics: Metrics;
  readonly refusals: Refusals;
  readonly rates: RateLimits;
  readonly agents: AgentRunner;
  readonly calls: RunningCalls;
  readonly tools: ToolServices;
  readonly databases: SqlDatabases;
  /** Undefined if the service has none. */
  readonly servers: McpServers | undefined;
  /** Aborted when the service is about to stop. */
  readonly draining: AbortSignal;
}

/**
 * Returns the handlers of all operations of the contract.
 * @param version the version of the service
 */
export function operations(
  services: Services,
  callers: Callers,
  { publicUrl = '', ...limits }: CallerLimits & Pick<Config, 'publicUrl'>,
  version: string,
): Handlers {
  const { store, predictors, pool, metrics, rates, agents, draining } = services;
  return {
    ...callerOperations(limits, rates, store),
    ...keyOperations(store),
    ...projectOperations(store),
    ...skillOperations(store, services),
    ...documentOperations(store),
    ...agentOperations(store),
    ...completionOperations(store, agents),
    ...chatbotOperations(store),
    ...manifestOperations(services),
    ...conversationOperations(store, agents),
    ...modelOperations(store, services.trainings),
    ...modelDetailsOperations(store),
    ...trainingOperations(services),
    ...predictOperations(store, predictors, pool, services.tools.counter),
    ...actualsOperations(store, services.tables),
    ...onnxOperations(predictors),
    ...errorOperations(store),
    ...seriesOperations(store, predictors),
    ...recordOperations(store, services.tables),
    ...mcpOperations({ ...services.tools, agents, calls: services.calls }, version),
    ...openaiOperations(store, agents),
    // Without a public URL they have no address.
    ...oauthOperations(store, callers, publicUrl),
    ...auditOperations(store),
    ...healthOperations(services.readiness, metrics, version, draining),
  };
}

/**
 * Returns the check that runs before a large body is read: for a prediction it looks up the model, for
 * a document the skill, else the project. A look-up costs less than reading a body in vain.
 */
export function refuseMissing({ store, predictors }: Services): RefuseMissing {
  return async (operationId, params, caller) => {
    const { projectName, modelName, skill_name, project_name: project = projectName } = params;
    if (operationId === 'predict' && projectName !== undefined && modelName !== undefined) {
      await predictors.requireVersion(caller, { projectName, modelName });
    } else if (project !== undefined) {
      const found = await findProject(store, caller, project);
      if (operationId === 'putDocument' && skill_name !== undefined) {
        await findDocumentSkill(store, found, skill_name);
      }
    }
  };
}

import { type ProblemError, problem } from '../problems/problem.js';

/** Returns the problem of an agent that does not exist. */
export function agentNotFound(nameOrId: string, project: string): ProblemError {
  return problem(
    '/problems/agent-not-found',
    `There is no agent with the name or identifier "${nameOrId}" in the project "${project}".`,
  );
}

import type { Agents } from '../agents/agents.js';
import type { Handlers } from '../pipeline/handlers.js';
import type { Store } from '../store/index.js';

export function completionOperations(
  _store: Store,
  _agents: Agents,
): Pick<Handlers, 'completeAgent' | 'streamAgent'> {
  return {
    completeAgent: async () => {
      throw new Error('in progress');
    },
    streamAgent: async () => {
      throw new Error('in progress');
    },
  };
}

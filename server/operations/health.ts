import { type Handlers, PlainText } from '../contract/handlers.js';
import { unavailable } from '../contract/problems.js';
import type { Store } from '../store/index.js';
import type { Metrics } from '../telemetry/metrics.js';

type HealthOperations = Pick<Handlers, 'getLiveness' | 'getReadiness' | 'getMetrics'>;

export function healthOperations(store: Store, metrics: Metrics): HealthOperations {
  return {
    getLiveness: ({ reply }) => reply({ status: 200, body: { status: 'live' } }),

    getReadiness: async ({ reply }) => {
      try {
        await store.ping();
      } catch (cause) {
        throw unavailable('The store does not answer; try again in a moment.', 1, { cause });
      }
      return reply({ status: 200, body: { status: 'ready' } });
    },

    getMetrics: async ({ reply }) => {
      const text = await metrics.text();
      return reply({ status: 200, body: new PlainText(metrics.contentType, text) });
    },
  };
}

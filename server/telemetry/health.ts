import { type Handlers, PlainText } from '../api/handlers.js';
import { unavailable } from '../problems/problem.js';
import type { Store } from '../store/index.js';
import type { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

type HealthOperations = Pick<Handlers, 'getLiveness' | 'getReadiness' | 'getStatus' | 'getMetrics'>;

/**
 * @param version the version of the service
 * @param draining aborted when the service is about to stop
 */
export function healthOperations(
  store: Store,
  metrics: Metrics,
  version: string,
  draining: AbortSignal,
): HealthOperations {
  const readiness = new Readiness(() => store.ping());
  return {
    getLiveness: ({ reply }) => reply({ status: 200, body: { status: 'live' } }),

    getReadiness: async ({ reply }) => {
      if (draining.aborted) throw unavailable('The service is stopping; try again in a moment.');
      await readiness.check();
      return reply({ status: 200, body: { status: 'ready' } });
    },

    getStatus: ({ reply }) => reply({ status: 200, body: { version, mindsdb_version: version } }),

    getMetrics: async ({ reply }) => {
      const text = await metrics.text();
      return reply({ status: 200, body: new PlainText(metrics.contentType, text) });
    },
  };
}

import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { createMock, type Note } from './mock.js';
import { route } from './route.js';

/** Prism, with a contract that can be replaced while it listens. */
export interface PrismServer {
  /**
   * Answers by a contract from now on. After an error, the contract before stays.
   * @param document a contract without faults
   */
  use(document: object): Promise<void>;
  /**
   * Listens on the loopback address.
   * @returns the address, with the actual port
   */
  listen(port: number): Promise<string>;
}

/** Creates a Prism without a contract, which does not listen yet. */
export function createPrism(note: Note): PrismServer {
  const operations: Awaited<ReturnType<typeof getHttpOperationsFromSpec>> = [];
  const server = createServer(operations, {
    cors: true,
    config: {
      isProxy: false,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    components: {
      logger: createLogger('mock', { level: 'silent' }),
      route,
      mock: createMock(() => operations.map(({ path }) => path), note),
    },
  });
  return {
    async use(document) {
      const next = await getHttpOperationsFromSpec(document);
      // Prism keeps this array, and reads it at each request.
      operations.splice(0, operations.length, ...next);
    },
    listen: (port) => server.listen(port, '127.0.0.1'),
  };
}

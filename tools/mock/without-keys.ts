import type { RequestListener } from 'node:http';
import { allowOrigins } from '../../server/http/cors.js';

/**
 * Accepts any key and none, and pages of any origin, as Prism does. Frontends send the key that they will have later;
 * the service behind has no keys and would refuse it.
 */
export function withoutKeys(app: RequestListener): RequestListener {
  return allowOrigins(
    () => '*',
    (req, res) => {
      delete req.headers.authorization;
      app(req, res);
    },
  );
}

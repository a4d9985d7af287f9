import type { RequestListener } from 'node:http';
import { KEY_HEADERS } from '../../server/auth/callers.js';
import { ORIGIN_HEADERS } from '../../server/auth/origins.js';
import { allowOrigins } from '../../server/edge/cors.js';

/**
 * Accepts requests with any key or none, and from pages of any origin, as Prism does. Frontends already send the key
 * that they will have later. The service behind has no keys: it would refuse that key, and changes from pages of other
 * origins.
 */
export function withoutKeys(app: RequestListener): RequestListener {
  return allowOrigins(
    () => '*',
    (req, res) => {
      for (const name of [...KEY_HEADERS, ...ORIGIN_HEADERS]) delete req.headers[name];
      app(req, res);
    },
  );
}

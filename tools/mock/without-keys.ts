import type { RequestListener } from 'node:http';
import { KEY_HEADERS } from '../../server/auth/key-headers.js';
import { allowOrigins } from '../../server/http/cors.js';
import { ORIGIN_HEADERS } from '../../server/http/other-origin.js';

/**
 * Accepts any key and none, and pages of any origin, as Prism does. Frontends send the key that they will have later;
 * the service behind has no keys and would refuse it, and what pages of other origins change.
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

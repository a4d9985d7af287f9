import { fileURLToPath } from 'node:url';
import * as OpenApiValidator from 'express-openapi-validator';
import { expressApp } from './express-app.js';
import { openStore, serve } from './serve.js';
import { Work } from './work.js';

const apiSpec = fileURLToPath(new URL('../../../../openapi.yaml', import.meta.url));

/**
 * The same with express-openapi-validator as its README shows it, which validates requests. It would validate
 * the answers as well, if it were asked to.
 */
await serve(
  expressApp(new Work(await openStore()), (app) => {
    app.use(OpenApiValidator.middleware({ apiSpec }));
  }),
);

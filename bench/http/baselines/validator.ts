import * as OpenApiValidator from 'express-openapi-validator';
import { CONTRACT_FILE } from '../contract-file.js';
import { expressApp } from './express-app.js';
import { openStore, serve } from './serve.js';
import { Work } from './work.js';

/**
 * The same with express-openapi-validator as its README shows it, which validates requests. It would validate
 * the answers as well, if it were asked to.
 */
await serve(
  expressApp(new Work(await openStore()), (app) => {
    app.use(OpenApiValidator.middleware({ apiSpec: CONTRACT_FILE }));
  }),
);

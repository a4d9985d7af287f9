import { expressApp } from './express-app.js';
import { openStore, serve } from './serve.js';
import { Work } from './work.js';

/** Express that does the work of the operations, and nothing else: no validation, no keys, no log. */
await serve(expressApp(new Work(await openStore())));

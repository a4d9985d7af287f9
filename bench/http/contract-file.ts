import { fileURLToPath } from 'node:url';

/** The contract in the root of the project, relative to dist/bench/http, where this file is built to. */
export const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

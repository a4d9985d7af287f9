import { fileURLToPath } from 'node:url';

/** The contract stands at the top of the project, which this file is built three folders below. */
export const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

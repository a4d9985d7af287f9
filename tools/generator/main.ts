/**
 * The first step of `npm run generate` and `npm run lint:spec`, in the project's folder: checks the contract,
 * and prints its faults, one per line. Then, with `--write`, writes the server's module of the contract; with
 * `--compare`, checks that the module is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ContractError } from '../../server/contract/contract-error.js';
import { contractModule } from './contract-module.js';
import { handlersIn } from './handlers.js';

const MODULE = 'generated/contract.ts';

const { values: options } = parseArgs({
  options: { write: { type: 'boolean' }, compare: { type: 'boolean' } },
});
try {
  const text = contractModule(readFileSync('openapi.yaml', 'utf8'), handlersIn('.'));
  if (options.write) writeFileSync(MODULE, text);
  if (options.compare && readFileSync(MODULE, 'utf8') !== text) {
    fail(`${MODULE} is not what openapi.yaml gives: npm run generate`);
  }
} catch (error) {
  if (!(error instanceof ContractError)) throw error;
  fail(error.message);
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/**
 * The first step of `npm run generate`, in the project's folder: checks the contract and the tour, and prints their
 * faults, one per line. Then, with `--write`, writes the modules that the server and the client have of them; with
 * `--compare`, checks that they are up to date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ContractError } from '../../server/contract/document-schema.js';
import { documentOf } from './check/index.js';
import { contractModule } from './contract-module.js';
import { examplesModule } from './examples-module.js';
import { handlersIn } from './handlers.js';
import { tourModule } from './tour-module.js';

const { values: options } = parseArgs({
  options: { write: { type: 'boolean' }, compare: { type: 'boolean' } },
});
try {
  const source = readFileSync('openapi.yaml', 'utf8');
  const document = documentOf(source, { handlers: handlersIn('.') });
  const modules = {
    'generated/contract.ts': contractModule(source, document),
    'generated/examples.ts': examplesModule(document),
    'generated/tour.ts': tourModule(readFileSync('docs/tour.arazzo.yaml', 'utf8'), document),
  };
  for (const [file, text] of Object.entries(modules)) {
    if (options.write) writeFileSync(file, text);
    if (options.compare && textOf(file) !== text) {
      fail(`${file} is not what openapi.yaml and docs/ give: npm run generate`);
    }
  }
} catch (error) {
  if (!(error instanceof ContractError)) throw error;
  fail(error.message);
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

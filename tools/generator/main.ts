/**
 * The first step of `npm run generate`, in the project's folder: checks the contract and the tour, and prints their
 * faults, one per line. Then, with `--write`, writes the modules that the server and the client have of them; with
 * `--compare`, checks that they are up to date.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readDocument } from '../../contract/check/index.js';
import { ContractError, type Document } from '../../contract/document-schema.js';
import { listOperations } from '../../contract/operations.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { examplesModule } from './examples-module.js';
import { facadeModule } from './facade-module.js';
import { writeGenerated } from './generated-files.js';
import { codeIn } from './handlers.js';
import { mediaTypesModule } from './media-types-module.js';
import { tourModule } from './tour-module.js';

const options = scriptCommand('generate:contract', 'Check the contract, and generate modules from it.')
  .option('--write', 'write what is not up to date')
  .option('--compare', 'end with 1 if something is not up to date')
  .parse()
  .opts<{ readonly write?: true; readonly compare?: true }>();
try {
  const source = readFileSync('openapi.yaml', 'utf8');
  const document = readDocument(source, codeIn('.'));
  const modules = {
    'generated/contract.ts': contractModule(source, document),
    'generated/examples.ts': examplesModule(document),
    'generated/facade.ts': facadeModule(document),
    'generated/media-types.ts': mediaTypesModule(document),
    'generated/tour.ts': tourModule(readFileSync('docs/tour.arazzo.yaml', 'utf8'), document),
  };
  const stale = writeGenerated(Object.entries(modules), { compare: !options.write });
  for (const file of options.compare ? stale : []) {
    fail(`${file} is not what openapi.yaml and docs/ give: npm run generate`);
  }
} catch (error) {
  if (!(error instanceof ContractError)) throw error;
  fail(error.message);
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Returns the server's module of the contract. */
function contractModule(source: string, document: Document): string {
  const operations = listOperations(document);
  const deferred = operations.filter(({ defersBody }) => defersBody).map(({ id }) => quoted(id));
  const raw = operations.filter(({ takesRawJson }) => takesRawJson).map(({ id }) => quoted(id));
  return `/** Made by \`npm run generate\` from openapi.yaml: do not edit. */

/** The SHA-256 of the contract, which was checked. */
export const CHECKED_CONTRACT = '${hash('sha256', source)}';

/** The operations that say \`x-roster-deferred-body\`, which the types do not carry over. */
export const DEFERRED_BODIES = [${deferred.join(', ')}] as const;

/** The operations that say \`x-roster-raw-json\`. */
export const RAW_JSON_BODIES = [${raw.join(', ')}] as const;

/** The contract in JSON, which is read in a hundredth of the time that YAML takes. */
export const CONTRACT_AS_JSON =
  ${quoted(JSON.stringify(document))};
`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

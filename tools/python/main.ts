/**
 * `npm run generate:python`: makes the contract's half of the Python client from `openapi.yaml`, with Redocly. With
 * `--check`, compares it with the file instead.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asRecord } from '../../contract/json-record.js';
import { readYaml } from '../../contract/yaml.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { writeGenerated } from '../generator/generated-files.js';
import { keepReached } from './keep-reached.js';
import { pythonContract } from './python-contract.js';

const FOLDER = 'python/src/roster/';
const FILE = `${FOLDER}_api.py`;
/** Headers of all answers: an operation without others needs no second method, which returns them. */
const COMMON_HEADERS: ReadonlySet<string> = new Set(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']);

const options = scriptCommand('generate:python', "Make the contract's half of the Python client.")
  .option('--check', 'compare it with the file instead')
  .parse()
  .opts<{ readonly check?: true }>();
const contract = pythonContract(asRecord(readYaml(readFileSync('openapi.yaml', 'utf8')).content));
const compare = options.check === true;
const module = forStrictMypy(
  keepReached(generate(JSON.stringify(contract, withoutCommonHeaders)), ['Client', ...namesOfOtherHalf()]),
);
const [stale] = writeGenerated([[FILE, module]], { compare });
if (stale && compare) {
  process.stderr.write(`${stale} is out of date: npm run generate\n`);
  process.exitCode = 1;
}

function withoutCommonHeaders(key: string, value: unknown): unknown {
  return COMMON_HEADERS.has(key) ? undefined : value;
}

/** Returns the module that Redocly makes. It names its output by another ending than the one that it writes. */
function generate(openapi: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'roster-python-'));
  try {
    const source = join(folder, 'openapi.json');
    writeFileSync(source, openapi);
    const output = join(folder, 'api.ts');
    const args = ['generate-client', source, '--output', output, '--generator', 'python'];
    execFileSync('redocly', args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    return readFileSync(join(folder, 'api.py'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns the module with a note for mypy, which has to be in it: programs that install the package have settings of
 * their own. Redocly's runtime has three small faults of types.
 */
function forStrictMypy(module: string): string {
  return module.replace(/^from __future__/m, '# mypy: disable-error-code="arg-type,no-any-return"\n\n$&');
}

/** Returns the names of the module that the half written by hand uses. */
function namesOfOtherHalf(): string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.py') && !FILE.endsWith(file));
  return files.flatMap((file) => {
    return [...readFileSync(FOLDER + file, 'utf8').matchAll(/\b_api\.(\w+)/g)].map(([, name = '']) => name);
  });
}

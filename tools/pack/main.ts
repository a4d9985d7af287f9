/**
 * `npm run pack`: packs the server, the client, the predictions, the review and the contract into `dist/packages/`, and the
 * Python client where there is Python.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { scriptCommand } from '../../testkit/command-line.js';
import { NO_PYTHON, pythonOfThisMachine } from '../../testkit/python.js';
import { root } from '../../testkit/root.js';
import { versionInStep } from '../release/versions.js';
import { buildPythonPackage } from './python-package.js';
import { writeSbom } from './sbom.js';

/** Files that no package needs. */
const UNWANTED = /\.(test|test-d|bench)\.|\.map$|\.tsbuildinfo$|(?<!\.d)\.ts$|\bfixtures\./;

const packedSchema = v.array(
  v.object({
    filename: v.string(),
    size: v.number(),
    unpackedSize: v.number(),
    files: v.array(v.object({ path: v.string() })),
  }),
);

/** The forms of the contract in its package. */
const FORMATS = ['yaml', 'json', 'dereferenced.json'];

const folder = fileURLToPath(root);

const readme = (version: string) => `# roster-contract

The contract of Roster ${version}: OpenAPI 3.1.

- \`openapi.yaml\`: the document, with its comments.
- \`openapi.json\`: the same as JSON.
- \`openapi.dereferenced.json\`: JSON without references, for tools that resolve none.

\`\`\`js
import contract from 'roster-contract/openapi.json' with { type: 'json' };
\`\`\`
`;

scriptCommand('pack', 'Pack all packages into dist/packages/.').parse();

try {
  pack();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function pack(): void {
  const version = versionInStep(folder);
  const contract = makeContractPackage(folder, version);
  const packages = join(folder, 'dist/packages');
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(packages);
  // They are built, and `prepare` would build them again.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', packages];
  const packed = execFileSync('npm', [...args, '.', './client', './prediction', './review', contract], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  for (const { filename, size, unpackedSize, files } of v.parse(packedSchema, JSON.parse(packed))) {
    const unwanted = files.map(({ path }) => path).filter((path) => UNWANTED.test(path));
    if (unwanted.length > 0) throw new Error(`${filename} has ${unwanted.join(', ')}`);
    process.stdout.write(`${filename}: ${files.length} files, ${kib(size)} KiB, installed ${kib(unpackedSize)} KiB\n`);
  }
  packPython(packages);
  const sbom = `roster-${version}.cdx.json`;
  writeFileSync(join(packages, sbom), writeSbom(folder, version));
  process.stdout.write(`${sbom}: what the package of the service consists of, with licences\n`);
  lint(contract);
}

/** @throws if publint finds something in the folder of a package */
function lint(packageFolder: string): void {
  const publint = ['package-checks', 'publint', '--strict', packageFolder];
  execFileSync(process.execPath, [join(folder, 'dist/tools/on-demand/main.js'), ...publint], {
    cwd: folder,
    stdio: 'inherit',
  });
}

function packPython(packages: string): void {
  const python = pythonOfThisMachine();
  if (python === undefined) {
    process.stdout.write(`The Python client is left out: ${NO_PYTHON}\n`);
    return;
  }
  for (const file of buildPythonPackage(python, packages)) {
    process.stdout.write(`${basename(file)}: ${kib(statSync(file).size)} KiB\n`);
  }
}

function kib(bytes: number): number {
  return Math.ceil(bytes / 1024);
}

/**
 * Makes the folder of the package `roster-contract` from the files of the contract that the build makes.
 * @param root the folder of the project
 * @returns the folder of the package
 * @throws if the build has not made them
 */
function makeContractPackage(root: string, version: string): string {
  const folder = join(root, 'dist/roster-contract');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const format of FORMATS) {
    const built = `dist/openapi/${version}.${format}`;
    if (!existsSync(join(root, built))) throw new Error(`there is no ${built}; npm run build`);
    copyFileSync(join(root, built), join(folder, `openapi.${format}`));
  }
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), readme(version));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(version), null, 2)}\n`);
  return folder;
}

function manifest(version: string) {
  const files = FORMATS.map((format) => `openapi.${format}`);
  return {
    name: 'roster-contract',
    version,
    description: 'The OpenAPI document of Roster, as YAML and as JSON.',
    license: 'MIT',
    type: 'module',
    exports: Object.fromEntries(files.map((file) => [`./${file}`, `./${file}`])),
    files,
  };
}

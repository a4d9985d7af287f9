/** `npm run pack`: packs the server, the client, the predictions and the contract into `dist/packages/`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { root } from '../../testkit/root.js';
import { versionInStep } from '../release/versions.js';
import { makeContractPackage } from './contract-package.js';

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

const folder = fileURLToPath(root);

try {
  pack();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function pack(): void {
  const contract = makeContractPackage(folder, versionInStep(folder));
  const packages = join(folder, 'dist/packages');
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(packages);
  // They are built, and `prepare` would build them again.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', packages];
  const packed = execFileSync('npm', [...args, '.', './client', './prediction', contract], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  for (const { filename, size, unpackedSize, files } of v.parse(packedSchema, JSON.parse(packed))) {
    const unwanted = files.map(({ path }) => path).filter((path) => UNWANTED.test(path));
    if (unwanted.length > 0) throw new Error(`${filename} has ${unwanted.join(', ')}`);
    process.stdout.write(
      `${filename}: ${files.length} files, ${kib(size)} KiB, installed ${kib(unpackedSize)} KiB\n`,
    );
  }
}

function kib(bytes: number): number {
  return Math.ceil(bytes / 1024);
}

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Compiles the kernel to a module that contains its bytes, so that the service needs no file at run
 * time. With --check it writes nothing, and fails if the module differs from the compiled source.
 */
const COMPILER = 'tools/on-demand/assemblyscript/node_modules/assemblyscript/dist/asc.js';
const { main } = await import(new URL(`../../../${COMPILER}`, import.meta.url).href);

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCE = 'prediction/src/kernel/assembly/index.ts';
const MODULE = new URL('../../../generated/kernel.ts', import.meta.url);

const OPTIONS = [
  ...['--runtime', 'stub', '--importMemory', '--noExportMemory', '--zeroFilledMemory'],
  ...['--use', 'abort=', '--enable', 'simd', '-O3', '--noAssert', '--pedantic'],
];

const { bytes, declarations } = await compile();
const text = `/** Made by \`npm run generate\` from ${SOURCE}: do not edit. */

/** The exports of the kernel. */
export interface Kernel {
${signatures(declarations)}
}

/** The kernel as WebAssembly, in base64. */
export const kernel =
  '${Buffer.from(bytes).toString('base64')}';
`;
if (!process.argv.includes('--check')) await writeFile(MODULE, text);
else if ((await readFile(MODULE, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('generated/kernel.ts is not what its source gives: npm run generate\n');
  process.exitCode = 1;
}

async function compile() {
  const files = new Map();
  const outputs = ['--outFile', 'kernel.wasm', '--bindings', 'raw'];
  const { error, stderr } = await main([SOURCE, '--baseDir', ROOT, ...OPTIONS, ...outputs], {
    writeFile: (name, contents) => void files.set(name, contents),
  });
  if (error) throw new Error(stderr.toString(), { cause: error });
  return { bytes: files.get('kernel.wasm'), declarations: files.get('kernel.d.ts') };
}

/** Returns the functions of a declaration file as members of an interface. */
function signatures(declarations) {
  return [...declarations.matchAll(/export function (.*)/g)].map(([, signature]) => `  ${signature}`).join('\n');
}

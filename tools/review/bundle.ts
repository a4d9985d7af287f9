/**
 * `npm run generate:review`: bundles `spec:review` into one file that needs nothing but Node, for those who use
 * the GitHub Action. With `--check`, compares it with the file instead.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { root } from '../../testkit/root.js';

const FOLDER = new URL('generated/spec-review/', root);

const { values: options } = parseArgs({ options: { check: { type: 'boolean' } } });
const files = await bundle();
if (options.check) {
  const stale = [...files].filter(([name, text]) => readIfThere(new URL(name, FOLDER)) !== text);
  for (const [name] of stale) {
    process.stderr.write(`generated/spec-review/${name} is out of date: npm run generate\n`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of files) writeFileSync(new URL(name, FOLDER), text);
}

/** Returns the texts of the program and of the licences of the packages in it, by the names of their files. */
async function bundle(): Promise<Map<string, string>> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'tools/review/main.ts',
      target: 'node20',
      write: false,
      minify: true,
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: { output: { entryFileNames: 'main.mjs' } },
    },
  });
  if (Array.isArray(result) || !('output' in result)) throw new Error('Vite made no bundle');
  return new Map(
    result.output.map((file) => [
      file.fileName,
      file.type === 'chunk' ? file.code : String(file.source),
    ]),
  );
}

function readIfThere(file: URL): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

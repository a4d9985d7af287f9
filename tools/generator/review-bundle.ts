/**
 * `npm run generate:review`: bundles `spec:review` into one file that needs nothing but Node, for those who use
 * the GitHub Action. With `--check`, compares it with the file instead.
 */
import { build } from 'vite';
import { scriptCommand } from '../../testkit/command-line.js';
import { writeGenerated } from './generated-files.js';

const FOLDER = 'generated/spec-review';

const options = scriptCommand('generate:review', 'Bundle spec:review into one file.')
  .option('--check', 'compare it with the file instead')
  .parse()
  .opts<{ readonly check?: true }>();
const stale = writeGenerated(await bundle(), { compare: options.check === true });
for (const file of options.check ? stale : []) {
  process.stderr.write(`${file} is out of date: npm run generate\n`);
  process.exitCode = 1;
}

/** Returns the texts of the program and of the licences of the packages in it, by the paths of their files. */
async function bundle(): Promise<[file: string, text: string][]> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'review/src/main.ts',
      target: 'node20',
      write: false,
      minify: true,
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: { output: { entryFileNames: 'main.mjs' } },
    },
  });
  if (Array.isArray(result) || !('output' in result)) throw new Error('Vite made no bundle');
  return result.output.map((file) => [
    `${FOLDER}/${file.fileName}`,
    file.type === 'chunk' ? file.code : String(file.source),
  ]);
}

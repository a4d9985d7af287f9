import { dirname, relative } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

/** Bundles what runs as a process or a thread: loading one file instead of hundreds halves its start. */
const ENTRIES = [
  'server/main',
  'server/commands/roster',
  'server/commands/score/write-thread',
  'server/service-thread',
  'server/databases/duckdb/duckdb-worker',
  'server/databases/postgres/parse-worker',
  'server/databases/sqlite/sqlite-worker',
  'server/models/predictions/prediction-worker',
  'server/resources/documents/search-worker',
  'server/models/training/table-worker',
  'server/models/training/training-worker',
  'server/work/watchdog-thread',
];

/** Packages with native code, and those that only some users install. */
const EXTERNAL = [/^@photostructure\/sqlite$/, /^libpg-query$/, /^@opentelemetry\//, /^date-holidays$/, /^pg-native$/];

const root = fileURLToPath(new URL('.', import.meta.url)).replaceAll('\\', '/');

export default defineConfig({
  plugins: [keepAddresses()],
  // Packages are resolved as Node.js does it, but for our own, whose sources are bundled.
  ssr: { noExternal: true, resolve: { mainFields: ['main'], conditions: ['roster-source', 'node'] } },
  build: {
    ssr: true,
    // Each entry replaces the file of its name that tsc wrote.
    emptyOutDir: false,
    target: 'node20.19',
    minify: false,
    sourcemap: true,
    license: { fileName: 'server/bundle/licences.md' },
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((name) => [name, `${root}${name}.ts`])),
      external: EXTERNAL,
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'server/bundle/[name].js',
        intro: ({ fileName }) => `const __dist = new URL('${relative(dirname(fileName), '.')}/', import.meta.url);`,
      },
    },
  },
});

/** Gives each module the `import.meta.url` of the file that tsc makes of it. */
function keepAddresses(): Plugin {
  return {
    name: 'keep-addresses',
    transform: {
      filter: { id: /\.ts$/, code: 'import.meta.url' },
      handler(code, id) {
        const file = relative(root, id).replace(/ts$/, 'js');
        const address = `new URL('${file}', __dist).href`;
        return { code: code.replaceAll('import.meta.url', address), map: null };
      },
    },
  };
}

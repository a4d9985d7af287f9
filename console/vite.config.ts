import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { contractForms } from './build/contract-forms.js';
import { demoTables } from './build/demo-tables.js';

/** The service or mock that `npm run console:dev` sends requests to. */
const ROSTER_URL = process.env['ROSTER_URL'] || 'http://127.0.0.1:4000';

const API = ['/api', '/projects', '/me', '/health', '/docs', '/problems', '/openapi.json'];

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative addresses work under any BASE_PATH.
  base: './',
  resolve: {
    conditions: ['roster-source', ...defaultClientConditions],
    // Smaller parts that suffice here.
    alias: {
      'openapi-fetch': fileURLToPath(new URL('./src/session/fetch-client.ts', import.meta.url)),
      'eventsource-parser/stream': fileURLToPath(new URL('./src/session/event-stream.ts', import.meta.url)),
    },
  },
  // `h('p', null, text)` is smaller than `jsx('p', { children: text })`, which the types have.
  oxc: {
    jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
    jsxInject: "import { Fragment, h } from 'preact'",
  },
  plugins: [contractForms(), demoTables(), loadPlainly(), zipWithoutWorkers()],
  build: {
    outDir: fileURLToPath(new URL('../dist/server/console/', import.meta.url)),
    emptyOutDir: true,
    assetsDir: 'console',
    target: 'es2022',
    // Browsers of that year know it.
    modulePreload: false,
    // Beside the folder that is served.
    license: { fileName: 'licences.md' },
    // A data: address would be another source for the Content-Security-Policy to allow.
    assetsInlineLimit: 0,
    // Named without a digest: the service serves these files alone, and browsers revalidate them.
    // One stylesheet: parts that are loaded later have none to wait for.
    cssCodeSplit: false,
    rolldownOptions: {
      // Reading a property and naming a global do nothing by themselves.
      treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
      output: {
        entryFileNames: 'console/[name].js',
        chunkFileNames: 'console/[name].js',
        assetFileNames: 'console/index[extname]',
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(API.map((path) => [path, { target: ROSTER_URL, changeOrigin: true }])),
  },
});

/** Loads later files by `import` alone: Vite's helper is for files that bring styles, and larger than some of them. */
function loadPlainly(): Plugin {
  const helper = '\0vite/preload-helper.js';
  return {
    name: 'load-plainly',
    enforce: 'pre',
    load: (id) => (id === helper ? 'export const __vitePreload = (load) => load();' : null),
  };
}

/** Lets the writer of workbooks compress in the page: its workers have addresses that the Content-Security-Policy refuses. */
function zipWithoutWorkers(): Plugin {
  return {
    name: 'zip-without-workers',
    enforce: 'pre',
    load: (id) =>
      id.endsWith('/zip/zipToArrayBuffer.js')
        ? "import zip from './zipToArrayBufferSync.js'; export default async (files) => zip(files);"
        : null,
  };
}

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { contractForms } from './build/contract-forms.js';
import { demoTables } from './build/demo-tables.js';

/** The service or mock that `npm run console:dev` sends requests to. */
const ROSTER_URL = process.env['ROSTER_URL'] || 'http://127.0.0.1:4000';

const API = ['/api', '/projects', '/me', '/health', '/docs', '/problems', '/openapi.json'];

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative addresses work under any BASE_PATH.
  base: './',
  plugins: [contractForms(), demoTables()],
  build: {
    outDir: fileURLToPath(new URL('../dist/server/console/', import.meta.url)),
    emptyOutDir: true,
    assetsDir: 'console',
    target: 'es2022',
    // A data: address would be another source for the Content-Security-Policy to allow.
    assetsInlineLimit: 0,
    // Named without a digest: the service serves these files alone, and browsers revalidate them.
    rolldownOptions: {
      output: {
        entryFileNames: 'console/[name].js',
        chunkFileNames: 'console/[name].js',
        assetFileNames: 'console/[name][extname]',
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      API.map((path) => [path, { target: ROSTER_URL, changeOrigin: true }]),
    ),
  },
});

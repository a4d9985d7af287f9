import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import { splitRows } from '../../examples/demo/hold-out.js';

const DIAMONDS = new URL('../../datasets/diamonds.csv', import.meta.url);

/** The number of rows that are kept from the training, as in `npm run demo`. */
const HELD_OUT_ROWS = 1000;

/**
 * Provides the demo's table as two files: `diamonds.csv`, to train with, and `more-diamonds.csv`, to predict.
 */
export function demoTables(): Plugin {
  return {
    name: 'demo-tables',
    async generateBundle() {
      for (const [name, source] of await tables()) {
        this.emitFile({ type: 'asset', fileName: `console/${name}`, source });
      }
    },
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const table = (await tables()).get(request.url?.replace('/console/', '') ?? '');
        if (table === undefined) return next();
        response.setHeader('Content-Type', 'text/csv').end(table);
      });
    },
  };
}

async function tables(): Promise<Map<string, string>> {
  const [train, test] = splitRows(await readFile(DIAMONDS, 'utf8'), HELD_OUT_ROWS);
  return new Map([
    ['diamonds.csv', `${train}\n`],
    ['more-diamonds.csv', `${test}\n`],
  ]);
}

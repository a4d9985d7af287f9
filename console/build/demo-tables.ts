import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import { splitRows } from '../../examples/demo/hold-out.js';

const DIAMONDS = new URL('../../datasets/diamonds.csv', import.meta.url);
const HOUSES = new URL('../../datasets/txhousing.csv', import.meta.url);

/** The number of rows that are kept from the training, as in `npm run demo`. */
const HELD_OUT_ROWS = 1000;

/**
 * Provides the demo's tables: `diamonds.csv`, to train with, `more-diamonds.csv`, to predict, and
 * `house-sales.csv`, to forecast.
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
    ['house-sales.csv', monthlySales(await readFile(HOUSES, 'utf8'))],
  ]);
}

/** Writes the month of each row in one column, and leaves out months whose sales are not known. */
function monthlySales(table: string): string {
  const [, ...lines] = table.trim().split('\n');
  const rows = lines.flatMap((line) => {
    const [city, year, month = '', sales] = line.split(',');
    return sales === 'NA' ? [] : [`${city},${year}-${month.padStart(2, '0')},${sales}`];
  });
  return `city,month,sales\n${rows.join('\n')}\n`;
}

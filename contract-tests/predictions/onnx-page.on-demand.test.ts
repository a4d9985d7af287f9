/** Tests that the programs of docs/models/onnx.md predict what the service predicts, in each engine that this machine has. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRoster, createRosterClient, type Roster } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { listen } from '../../testkit/http/listen.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { pythonOfThisMachine } from '../../testkit/python.js';
import { root } from '../../testkit/root.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { markdownPages } from '../docs/markdown.js';

const run = promisify(execFile);

const PACKAGES = fileURLToPath(new URL('tools/on-demand/onnx/node_modules', root));
const blocks = markdownPages().find(({ path }) => path === 'docs/models/onnx.md')?.blocks ?? [];

/** Returns the one program of the page that has a text. */
function programWith(text: string): string {
  const [program, ...others] = blocks.filter(({ code }) => code.includes(text));
  if (!program || others.length > 0) throw new Error(`The page has no one program with ${text}.`);
  return program.code;
}

let server: ServerProcess;
let roster: Roster;
/** It has what the programs read, and the packages of Node.js. */
let folder: string;
beforeAll(async () => {
  server = await startServer();
  roster = createRoster({ baseUrl: server.url, project: 'default' });
  const path = { projectName: 'default', modelName: 'prices' };
  await trainPrices(createRosterClient({ baseUrl: server.url }), path, fewDiamonds);
  folder = await mkdtemp(join(tmpdir(), 'roster-onnx-'));
  const file = await roster.models.getOnnx('prices');
  await writeFile(join(folder, 'prices.onnx'), new Uint8Array(await file.arrayBuffer()));
  await writeFile(join(folder, 'diamonds.csv'), fewDiamonds);
  await symlink(PACKAGES, join(folder, 'node_modules'));
});
afterAll(async () => {
  await closePages();
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Returns values, lower and upper bounds, a list of each. */
async function predictPrices(rows: readonly Record<string, unknown>[]): Promise<unknown[][]> {
  const answered = await roster.models.predict('prices', [...rows], { confidence: 0.9 });
  return ['price', 'price_min', 'price_max'].map((key) => answered.map((row) => Object(row)[key]));
}

const TWO_ROWS = [
  { carat: 0.7, cut: 'Ideal', color: 'G' },
  { carat: 0.3, cut: 'Premium', color: 'E' },
];

test('Node.js', async () => {
  await writeFile(join(folder, 'main.mjs'), programWith("from 'onnxruntime-node'"));
  const { stdout } = await run(process.execPath, ['main.mjs'], { cwd: folder });
  const lists = stdout.match(/\[[^\]]*\]/g) ?? [];
  expect(lists.map((list) => JSON.parse(list))).toEqual(await predictPrices(TWO_ROWS));
});

test('a browser', async ({ skip }) => {
  const chromium = browserOfThisMachine();
  if (chromium === undefined) {
    skip(NO_BROWSER);
    return;
  }
  const imports = { 'onnxruntime-web/wasm': '/ort.wasm.bundle.min.mjs' };
  const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
    <body><script type="module">${programWith("from 'onnxruntime-web/wasm'")}</script>`;
  const types: Record<string, string> = { '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
  const asked: string[] = [];
  const url = await listen(async ({ url: address = '' }, response) => {
    asked.push(address);
    if (address === '/') {
      response.setHeader('Content-Type', 'text/html').end(page);
      return;
    }
    const type = types[extname(address)];
    const path = type ? join(PACKAGES, 'onnxruntime-web/dist', address) : join(folder, address);
    const file = await readFile(path).catch(() => undefined);
    response.writeHead(file ? 200 : 404, { 'Content-Type': type ?? 'application/onnx' }).end(file);
  });
  const window = await (await sharedBrowser(chromium)).newPage();
  window.setDefaultTimeout(WAIT_MS);
  await window.goto(url);
  await window.waitForFunction("document.body.textContent.startsWith('[[')");
  const printed = await window.evaluate<string>('document.body.textContent');
  expect(JSON.parse(printed)).toEqual(await predictPrices(TWO_ROWS));
  expect(asked.filter((address) => address !== '/favicon.ico')).toEqual([
    '/',
    '/ort.wasm.bundle.min.mjs',
    '/prices.onnx',
    '/ort-wasm-simd-threaded.wasm',
  ]);
});

/** The part of Spark that is needed here: batches of rows, of which its function makes others. */
const SPARK = `
import pandas as pd
table = pd.read_csv("diamonds.csv")
predicted = pd.concat(price(iter([table[:60], table[60:]])))
`;

/** Flink hands its function rows as a table. */
const FLINK = `
import pandas as pd
predicted = price(pd.read_csv("diamonds.csv"))
`;

test.for([
  { engine: 'Python', text: 'Model("prices.onnx", threads', modules: 'pandas', more: '' },
  { engine: 'DuckDB', text: 'import duckdb', modules: 'duckdb, pandas, pyarrow', more: '' },
  { engine: 'Ray Data', text: 'import ray', modules: 'pandas, pyarrow, ray.data', more: '' },
  { engine: 'what Spark calls', text: 'rows.mapInPandas', modules: 'pandas', more: SPARK },
  { engine: 'what Flink calls', text: 'pyflink.table', modules: 'pandas', more: FLINK },
])('$engine', async ({ text, modules, more }, { skip }) => {
  const python = pythonOfThisMachine(`onnxruntime, ${modules}`);
  if (python === undefined) {
    skip(`there is no Python with onnxruntime, ${modules}`);
    return;
  }
  await writeFile(join(folder, 'model.py'), programWith('# model.py'));
  const print = 'predicted[["carat", "value", "lower", "upper"]].to_numpy().tolist()';
  const program = `${programWith(text)}${more}\nimport json\nprint(json.dumps(${print}))\n`;
  await writeFile(join(folder, 'main.py'), program);
  const { stdout } = await run(python, ['main.py'], { cwd: folder });
  const printed: number[][] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  const rows = fewDiamonds
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [carat, cut, color] = line.split(',');
      return { carat: Number(carat), cut, color };
    });
  const columns = [rows.map(({ carat }) => carat), ...(await predictPrices(rows))];
  // Blocks of Ray come in any order.
  const sort = (list: readonly unknown[][]) => list.map((row) => row.join(' ')).sort();
  expect(sort(printed)).toEqual(sort(rows.map((_, at) => columns.map((column) => column[at]))));
});

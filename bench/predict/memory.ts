import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { encodeModel, readRowsTable, SeenRows, type Table, type Task, train as trainModel } from 'roster-prediction';
import { ask } from '../../testkit/http/client.js';
import { readField } from '../../testkit/json.js';
import { residentMemory } from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';
import { onService, train } from '../services.js';
import { SYNTHETIC_TARGET, syntheticRows } from './synthetic.js';

const MODELS = 24;
const SERIES = 100_000;
const VALUES = 4;
const ASKED_MEBIBYTES = 700;

/** Yields the lines of series that differ in their level and their noise. */
function* seriesCsv(count: number): Generator<string> {
  yield 'name,step,value\n';
  for (let series = 0; series < count; series += 100) {
    const lines = Array.from({ length: 100 * VALUES }, (_, line) => {
      const [one, step] = [series + Math.floor(line / VALUES), line % VALUES];
      return `series-${one},${step},${10 + (one % 7) + ((one * 7919 + step * 104729) % 13)}\n`;
    });
    yield lines.join('');
  }
}

/** The memory of the main process once it has answered with many large models. */
const loaded = onService({ name: 'memory/models', hasShort: true }, async ({ url, pid }, given) => {
  const models = given.isShort ? 4 : MODELS;
  const path = (model: number) => `/api/projects/default/models/series-${model}`;
  const query = 'target=value&order_by=step&group_by=name&horizon=1';
  for (let model = 0; model < models; model++) {
    await train(`${url}${path(model)}?${query}`, seriesCsv(SERIES));
  }
  const before = residentMemory(pid);
  for (let model = 0; model < models; model++) {
    await ask('POST', `${url}${path(model)}/predict`, [{ name: 'series-7' }]);
  }
  const after = residentMemory(pid);
  const what = `the main process with ${models} models of ${SERIES.toLocaleString('en')} series`;
  return [
    {
      asked: `${what}: at most ${ASKED_MEBIBYTES} MiB`,
      measured: `${after.toFixed(0)} MiB, ${before.toFixed(0)} MiB before they were loaded`,
      passed: after <= ASKED_MEBIBYTES,
    },
  ];
});

type Rows = Iterable<Record<string, unknown>>;

function* drawRows(count: number, draw: (row: number) => Record<string, unknown>): Rows {
  for (let row = 0; row < count; row++) yield draw(row);
}

/** Numbers that look drawn, the same in each run. */
const mixed = (row: number, most: number) => (row * 7919 + ((row * row) % 104729)) % most;

function readSeries(count: number, length: number): Table {
  const rows = drawRows(count * length, (row) => ({
    name: `series-${Math.floor(row / length)}`,
    step: row % length,
    value: 10 + mixed(row, 13) + (row % length),
  }));
  const goal = { orderBy: 'step', groupBy: ['name'], horizon: 2, known: [] };
  return readRowsTable(rows, 'value', { task: goal });
}

function readTable(rows: Rows, target: string, task: Task): Table {
  return readRowsTable(rows, target, { task });
}

const KINDS: readonly (readonly [string, () => Table])[] = [
  ['200 rows', () => readTable(syntheticRows(200), SYNTHETIC_TARGET, 'regression')],
  ['20,000 rows', () => readTable(syntheticRows(20_000), SYNTHETIC_TARGET, 'regression')],
  [
    '100 classes',
    () => {
      const draw = (row: number) => ({ x: mixed(row, 1009), y: `class ${mixed(row, 1009) % 100}` });
      return readTable(drawRows(10_000, draw), 'y', 'classification');
    },
  ],
  [
    '10,000 categories',
    () => {
      const draw = (row: number) => {
        const categories = ['a', 'b', 'c', 'd', 'e'].map((name, column) => {
          return [name, `category ${mixed(row + column, 2000)}`] as const;
        });
        return { ...Object.fromEntries(categories), y: mixed(row, 17) + mixed(row, 1009) / 1009 };
      };
      return readTable(drawRows(20_000, draw), 'y', 'regression');
    },
  ],
  [
    '500 columns',
    () => {
      const draw = (row: number) => {
        const cells = Array.from({ length: 500 }, (_, column) => {
          return [`column ${column}`, mixed(row + 31 * column, 10_007)] as const;
        });
        return { ...Object.fromEntries(cells), y: mixed(row, 10_007) + (row % 3) };
      };
      return readTable(drawRows(300, draw), 'y', 'regression');
    },
  ],
  ['1 series', () => readSeries(1, 5000)],
  ['3,000 series', () => readSeries(3000, 12)],
  ['100,000 series', () => readSeries(SERIES, 6)],
];

/** The memory that models say they take, which the caches count, beside the memory that a process of theirs has then. */
const kinds: Scenario = {
  name: 'memory/kinds',
  run: async ({ folder }) => {
    const findings: Finding[] = [];
    for (const [kind, read] of KINDS) {
      const table = read();
      const model = trainModel(table);
      const stored = encodeModel(model);
      const files = [join(folder, 'model')];
      await writeFile(join(folder, 'model'), stored);
      if (table.task !== 'forecast') {
        files.push(join(folder, 'seen-rows'));
        await writeFile(join(folder, 'seen-rows'), SeenRows.of(table, model.columns).encode());
      }
      const { estimated, measured } = await measureLoaded(files);
      const share = estimated / measured;
      findings.push({
        asked: `a model of ${kind} says 1 to 1.5 times the memory that it takes`,
        measured: `${mebibytes(estimated)} estimated, ${mebibytes(measured)} measured: ${share.toFixed(2)}; stored in ${mebibytes(stored.length)}`,
        passed: share >= 0.98 && share <= 1.5,
      });
    }
    return findings;
  },
};

async function measureLoaded(files: readonly string[]): Promise<{ estimated: number; measured: number }> {
  const script = fileURLToPath(new URL('./loaded-memory.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, ...files]);
  const sizes: unknown = JSON.parse(stdout);
  return { estimated: Number(readField(sizes, 'estimated')), measured: Number(readField(sizes, 'measured')) };
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

export const memory = [loaded, kinds];

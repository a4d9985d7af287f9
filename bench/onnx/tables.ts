import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRoster, type Roster } from 'roster-client';
import { readRowsTable, train } from 'roster-prediction';
import { seededRandom } from 'roster-prediction/internals';
import { type Cells, type OnnxRuntime, type Outputs, readCells } from '../../testkit/prediction/onnx-session.js';
import {
  askService,
  CONFIDENCES,
  openModel,
  rowsBeside,
  TABLES,
  type Thresholds,
  trainingRows,
  trainTable,
} from '../../testkit/prediction/onnx-tables.js';
import { pythonOfThisMachine } from '../../testkit/python.js';
import { root } from '../../testkit/root.js';
import { type Service, treeTime } from '../../testkit/service/measured-service.js';
import { requireFrom } from '../../tools/on-demand/installed.js';
import type { Finding, Given } from '../scenarios.js';
import { onService } from '../services.js';

export const runtime: OnnxRuntime = requireFrom('onnx')('onnxruntime-node');

/** Tables, and the rows that are compared of each. */
const LONG = { names: TABLES, rowCount: 100_000 };
const SHORT = { names: ['huge', 'rare'], rowCount: 1000 };
const CHUNK_ROWS = 10_000;
const MAX_DIFFERENCE = 1e-12;
const EXPORTS = 10;
const PROGRAM = fileURLToPath(new URL('bench/onnx/runtime.py', root));

export const tables = onService(
  { name: 'tables', hasShort: true, start: { env: { RATE_LIMIT: '0' } } },
  async (service, given) => {
    const findings: Finding[] = [];
    for (const table of given.isShort ? SHORT.names : LONG.names) {
      findings.push(await compareTable(service, table, given));
    }
    return findings;
  },
);

/** Compares what a table's model answers in both runtimes with what the service answers. */
async function compareTable({ url, pid }: Service, table: string, given: Given): Promise<Finding> {
  const roster = createRoster({ baseUrl: url, project: 'default' });
  await trainTable(roster, url, table);
  const { bytes, file, columns, classes, run } = await openModel(roster, table, runtime);
  const folder = join(given.folder, table);
  mkdirSync(folder);
  writeFileSync(join(folder, 'model.onnx'), bytes);
  const random = seededRandom(TABLES.indexOf(table));
  const thresholds = findThresholds(table);
  const { rowCount } = given.isShort ? SHORT : LONG;
  const difference = new Difference();
  const expected: Float64Array[] = [];
  for (let row = 0; row < rowCount; row += CHUNK_ROWS) {
    const rows = rowsBeside(Math.min(CHUNK_ROWS, rowCount - row), random, thresholds);
    const confidence = CONFIDENCES[expected.length % CONFIDENCES.length] ?? Number.NaN;
    const cells = readCells(rows, columns);
    writeChunk(join(folder, String(expected.length)), cells, rows.length, confidence);
    const toFlat = (outputs: Outputs) => flatten(outputs, file.outputs, rows.length, classes);
    const answers = toFlat(await askService(roster, table, rows, confidence, classes));
    difference.add(answers, toFlat(await run(cells, confidence)), rows.length);
    expected.push(answers);
  }
  const asked = `${table}: of ${rowCount.toLocaleString('en')} rows none differs by more than ${MAX_DIFFERENCE}`;
  const size = `${(bytes.length / 1024).toFixed(0)} KiB in ${(await timeExport(roster, pid, table)).toFixed(0)} ms`;
  const inPython = compareInPython(folder, expected, rowCount);
  const parts = [difference.text, `in Python ${inPython?.text ?? 'left out: there is none with onnxruntime'}`, size];
  const passed = difference.isSmall && inPython?.isSmall !== false;
  return { asked, measured: parts.join('; '), passed, mustHold: true };
}

/** Rows that one answers otherwise than another, and the largest difference relative to its number. */
class Difference {
  #most = 0;
  #rows = 0;

  add(expected: Float64Array, given: Float64Array, rowCount: number): void {
    const rows = new Set<number>();
    for (const [at, number] of expected.entries()) {
      const other = given[at] ?? Number.NaN;
      if (number === other) continue;
      const difference = Math.abs((number - other) / number);
      this.#most = Math.max(this.#most, Number.isNaN(difference) ? Infinity : difference);
      rows.add(at % rowCount);
    }
    this.#rows += rows.size;
  }

  get isSmall(): boolean {
    return this.#most <= MAX_DIFFERENCE;
  }

  get text(): string {
    if (this.#rows === 0) return 'none differs';
    return `${this.#rows} differ, by ${this.#most.toExponential(1)} at most`;
  }
}

/** Lays outputs out value by value, each for all rows; a class is its index. */
function flatten(
  outputs: Outputs,
  names: readonly string[],
  rowCount: number,
  classes: readonly string[],
): Float64Array {
  const parts = names.map((name) => {
    const values = Array.from(outputs[name] ?? [], (value) =>
      typeof value === 'string' ? classes.indexOf(value) : Number(value),
    );
    const width = values.length / rowCount;
    return values.map((_, at) => values[(at % rowCount) * width + Math.floor(at / rowCount)] ?? 0);
  });
  return Float64Array.from(parts.flat());
}

/** Trains the same model here, to learn where its trees split. */
function findThresholds(table: string): Thresholds {
  const model = train(readRowsTable(trainingRows(table), 'y'));
  if (model.task === 'forecast') throw new Error('The model is of another task.');
  const whole = model.features.filter(({ part }) => part === null);
  return new Map(whole.map(({ column, cuts }) => [model.columns[column]?.name ?? '', cuts]));
}

function writeChunk(path: string, cells: Cells, rowCount: number, confidence: number): void {
  const numbers: string[] = [];
  const texts: Record<string, readonly string[]> = {};
  const bytes: Buffer[] = [];
  for (const [name, values] of cells) {
    if (values instanceof Float64Array) {
      numbers.push(name);
      bytes.push(Buffer.from(values.buffer));
    } else texts[name] = values;
  }
  // JSON writes NaN as null.
  writeFileSync(`${path}.json`, JSON.stringify({ rows: rowCount, confidence, numbers, texts }));
  writeFileSync(`${path}.bin`, Buffer.concat(bytes));
}

/** Runs the chunks of a folder in Python. @returns the reason, if this machine's Python cannot */
function compareInPython(folder: string, expected: readonly Float64Array[], rowCount: number) {
  const python = pythonOfThisMachine('numpy, onnxruntime');
  if (python === undefined) return undefined;
  execFileSync(python, [PROGRAM, folder]);
  const difference = new Difference();
  for (const [index, answers] of expected.entries()) {
    const { buffer } = new Uint8Array(readFileSync(join(folder, `${index}.out`)));
    const rows = Math.min(CHUNK_ROWS, rowCount - index * CHUNK_ROWS);
    difference.add(answers, new Float64Array(buffer), rows);
  }
  return difference;
}

/** Returns the processor time of an export, in milliseconds. */
async function timeExport(roster: Roster, pid: number, table: string): Promise<number> {
  const before = treeTime(pid);
  for (let round = 0; round < EXPORTS; round++) {
    await (await roster.models.getOnnx(table)).arrayBuffer();
  }
  return (treeTime(pid) - before) / EXPORTS;
}

/** Runs files of ONNX in ONNX Runtime, which `tools/on-demand/onnx` pins. */

import type { Row } from './sample-tables.js';

interface Tensor {
  readonly data: Float64Array | Uint8Array | readonly string[];
}

interface Session {
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

/** The part of `onnxruntime-node` that is used here. */
export interface OnnxRuntime {
  readonly Tensor: new (
    type: 'float64' | 'string',
    data: Float64Array | readonly string[],
    shape: readonly number[],
  ) => Tensor;
  readonly InferenceSession: { create(file: Uint8Array, options: object): Promise<Session> };
}

/** A column that a file reads, as its metadata describe it. */
export interface ReadColumn {
  readonly name: string;
  readonly input: string;
  readonly kind: 'number' | 'date' | 'category';
}

/** The columns of rows that a file reads, by the name of its input. */
export type Cells = ReadonlyMap<string, Float64Array | readonly string[]>;

/** The outputs of a file, by name: a list of values each. */
export type Outputs = Readonly<Record<string, ArrayLike<number | string>>>;

/** Reads rows of numbers, dates in ISO 8601 and texts. */
export function readCells(rows: readonly Row[], columns: readonly ReadColumn[]): Cells {
  const read = ({ name, kind }: ReadColumn): Float64Array | string[] => {
    const cells = rows.map((row) => row[name] ?? null);
    if (kind === 'category') return cells.map((cell) => (cell === null ? '' : String(cell)));
    const toNumber = (cell: unknown) => (kind === 'date' ? Date.parse(String(cell)) : Number(cell));
    return Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : toNumber(cell)));
  };
  return new Map(columns.map((column) => [column.input, read(column)]));
}

/**
 * Opens a file in a runtime.
 * @param threads how many threads share the work; one adds trees in their order, also of a single row
 * @returns a function that predicts cells with a confidence or NaN
 */
export async function openOnnx(
  { Tensor, InferenceSession }: OnnxRuntime,
  file: Uint8Array,
  threads = 1,
): Promise<(cells: Cells, confidence: number) => Promise<Outputs>> {
  const session = await InferenceSession.create(file, { intraOpNumThreads: threads });
  const toTensor = (values: Float64Array | readonly string[]) =>
    new Tensor(values instanceof Float64Array ? 'float64' : 'string', values, [values.length]);
  return async (cells, confidence) => {
    const feeds = [...cells].map(([input, values]) => [input, toTensor(values)] as const);
    const asked = toTensor(Float64Array.of(confidence));
    const outputs = await session.run(Object.fromEntries([...feeds, ['confidence', asked]]));
    return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data]));
  };
}

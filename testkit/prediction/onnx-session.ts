/** Runs files of ONNX in ONNX Runtime, which `tools/on-demand/onnx` pins. */

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
  readonly InferenceSession: {
    create(file: Uint8Array, options: object): Promise<Session>;
  };
}

/** A column that a file reads, as its metadata describe it. */
export interface ReadColumn {
  readonly name: string;
  readonly input: string;
  readonly kind: 'number' | 'date' | 'category';
}

/** The outputs of a file, by name: a list of values each. */
export type Outputs = Readonly<Record<string, ArrayLike<number | string>>>;

/**
 * Opens a file in a runtime.
 * @param threads how many threads share the work; one adds trees in their order, also of a single row
 * @returns a function that predicts rows of numbers, dates in ISO 8601 and texts, with a confidence or NaN
 */
export async function openOnnx(
  { Tensor, InferenceSession }: OnnxRuntime,
  file: Uint8Array,
  columns: readonly ReadColumn[],
  threads = 1,
) {
  const session = await InferenceSession.create(file, { intraOpNumThreads: threads });
  const tensorOf = (rows: readonly Readonly<Record<string, unknown>>[], column: ReadColumn) => {
    const cells = rows.map((row) => row[column.name] ?? null);
    const shape = [rows.length];
    if (column.kind === 'category') {
      const texts = cells.map((cell) => (cell === null ? '' : String(cell)));
      return new Tensor('string', texts, shape);
    }
    const numbers = Float64Array.from(cells, (cell) => {
      if (cell === null) return Number.NaN;
      return column.kind === 'date' ? Date.parse(String(cell)) : Number(cell);
    });
    return new Tensor('float64', numbers, shape);
  };
  return async (
    rows: readonly Readonly<Record<string, unknown>>[],
    confidence: number,
  ): Promise<Outputs> => {
    const feeds = Object.fromEntries([
      ...columns.map((column) => [column.input, tensorOf(rows, column)] as const),
      ['confidence', new Tensor('float64', Float64Array.of(confidence), [1])] as const,
    ]);
    const outputs = await session.run(feeds);
    return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data]));
  };
}

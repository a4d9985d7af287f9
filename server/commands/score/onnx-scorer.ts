import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import type { ArrowValues } from 'roster-prediction/arrow';
import type { AnswerBatch, AnswerColumn, Scorer } from './answers.js';
import type { OnnxFile } from './onnx-file.js';
import type { RowBatch, RowColumn } from './row-batch.js';

const PACKAGE = 'onnxruntime-node';
const INSTALL = `npm install ${PACKAGE}@1.30.0`;

interface Tensor {
  readonly data: Float64Array | Uint8Array | readonly string[];
}

interface Session {
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

/** The part of the package that is used; its own types exist only where it is installed. */
interface OnnxRuntime {
  readonly Tensor: new (
    type: 'float64' | 'string',
    data: Float64Array | readonly string[],
    shape: readonly number[],
  ) => Tensor;
  readonly InferenceSession: { create(file: Uint8Array, options: object): Promise<Session> };
}

export interface OnnxOptions {
  readonly confidence: number | undefined;
  readonly probabilities: boolean;
}

/**
 * Opens a model in a file.
 * @throws in one line, if ONNX Runtime is not installed
 */
export async function openOnnx(file: OnnxFile, columns: readonly RowColumn[], options: OnnxOptions): Promise<Scorer> {
  const runtime = loadRuntime();
  // With several threads, the trees of a single row may be added in another order, which changes the last bits.
  const session = await runtime.InferenceSession.create(file.bytes, { intraOpNumThreads: 1 });
  return new OnnxScorer(runtime, session, file, columns, options);
}

function loadRuntime(): OnnxRuntime {
  try {
    return createRequire(import.meta.url)(PACKAGE);
  } catch (cause) {
    throw new Error(`ONNX Runtime is needed, but the package ${PACKAGE} cannot be loaded; install it (${INSTALL})`, {
      cause,
    });
  }
}

class OnnxScorer implements Scorer {
  readonly parallel = availableParallelism();
  readonly columns: readonly AnswerColumn[];

  constructor(
    private readonly runtime: OnnxRuntime,
    private readonly session: Session,
    private readonly file: OnnxFile,
    private readonly sent: readonly RowColumn[],
    private readonly options: OnnxOptions,
  ) {
    const { target, classes } = file;
    const named = (part: string, type: AnswerColumn['type']): AnswerColumn => ({ name: `${target}_${part}`, type });
    const probabilities = options.probabilities ? classes.map((name) => named(`probability_${name}`, 'DOUBLE')) : [];
    this.columns =
      classes.length > 0
        ? [
            { name: target, type: 'VARCHAR' },
            named('confidence', 'DOUBLE'),
            named('set', 'VARCHAR[]'),
            ...probabilities,
          ]
        : [{ name: target, type: 'DOUBLE' }, ...['confidence', 'min', 'max'].map((part) => named(part, 'DOUBLE'))];
  }

  async score({ rows, columns }: RowBatch, signal: AbortSignal): Promise<AnswerBatch[]> {
    signal.throwIfAborted();
    if (rows === 0) return [];
    const feeds = this.file.inputs.map(({ name, input, kind }) => {
      const place = this.sent.findIndex((column) => column.name === name);
      const column = columns[place];
      if (kind === 'category') return [input, this.#texts(column?.strings(rows) ?? Array(rows).fill(''))] as const;
      return [input, this.#numbers(column?.doubles(rows) ?? new Float64Array(rows).fill(Number.NaN))] as const;
    });
    const confidence = this.#numbers(Float64Array.of(this.options.confidence ?? Number.NaN));
    const outputs = await this.session.run(Object.fromEntries([...feeds, ['confidence', confidence]]));
    signal.throwIfAborted();
    const read = (name: string) => outputs[name]?.data ?? [];
    const { classes } = this.file;
    if (classes.length === 0) {
      return [{ rows, columns: ['value', 'level', 'lower', 'upper'].map((name) => numbers(read(name))) }];
    }
    const probabilities = Float64Array.from(read('probabilities'), Number);
    return [
      {
        rows,
        columns: [
          { kind: 'others', values: Array.from(read('class'), String) },
          numbers(read('probability')),
          { kind: 'others', values: readSets(read('set'), probabilities, classes) },
          ...(this.options.probabilities
            ? classes.map((_, at) => numbers(probabilities.filter((_, index) => index % classes.length === at)))
            : []),
        ],
      },
    ];
  }

  #numbers(values: Float64Array): Tensor {
    return new this.runtime.Tensor('float64', values, [values.length]);
  }

  #texts(values: readonly string[]): Tensor {
    return new this.runtime.Tensor('string', values, [values.length]);
  }
}

function numbers(values: ArrayLike<unknown>): ArrowValues {
  return { kind: 'numbers', values: Float64Array.from(values, Number), validity: null };
}

/** Returns the classes of each set, the most likely first, as answers have them. */
function readSets(flags: ArrayLike<unknown>, probabilities: Float64Array, classes: readonly string[]): string[][] {
  const { length } = classes;
  return Array.from({ length: flags.length / length }, (_, row) => {
    const own = probabilities.subarray(row * length, (row + 1) * length);
    return classes
      .map((name, at) => ({ name, at, share: own[at] ?? 0 }))
      .filter(({ at }) => Number(flags[row * length + at]) === 1)
      .sort((one, other) => other.share - one.share || one.at - other.at)
      .map(({ name }) => name);
  });
}

import { LOWEST_LEVEL } from '../intervals/conformal.js';
import { DEFAULT_CONFIDENCE } from '../tasks/classification/server.js';
import type { RowModel } from '../tasks/models.js';
import type { Steps } from '../trees/steps.js';
import { Arithmetic } from './arithmetic.js';
import { addClassification } from './classification.js';
import { GraphBuilder } from './graph.js';
import { addInputs } from './inputs.js';
import { addRegression } from './regression.js';

/** Facts of a model that it does not know itself. */
export interface ModelFacts {
  readonly name: string;
  readonly version: number;
  /** The SHA-256 of its artifact, in hex. */
  readonly checksum: string;
}

/** Grows with every change of the bytes that a model is exported as. */
export const ONNX_REVISION = 1;

/**
 * Writes a model as ONNX: a graph that takes the columns of rows, and a confidence, and gives what the model answers,
 * in float64 and to the last bit as far as the order of additions is the same.
 *
 * @returns the bytes of the file, in parts
 * @throws {RangeError} if the model learns from no column: a graph without one cannot show how many rows it has
 */
export function* exportOnnx(model: RowModel, facts: ModelFacts): Steps<Uint8Array[]> {
  if (model.features.length === 0) throw new RangeError('The model learns from no column.');
  const graph = new GraphBuilder();
  const inputs = yield* addInputs(graph, model);
  const arithmetic = new Arithmetic(graph);
  const { isMissing, choose, least, most } = arithmetic;
  const confidence = graph.input('confidence', 'double', [1]);
  const isOwn = isMissing(confidence);
  const level = choose(isOwn, DEFAULT_CONFIDENCE, most(least(confidence, 1), LOWEST_LEVEL));
  if (model.task === 'regression') {
    yield* addRegression(arithmetic, model, inputs, { isOwn, level });
  } else yield* addClassification(arithmetic, model, inputs, level);
  const metadata = new Map([
    ['model', facts.name],
    ['version', String(facts.version)],
    ['checksum', facts.checksum],
    ['task', model.task],
    ['target', model.target],
    ['columns', JSON.stringify(inputs.described)],
    ['coverage', JSON.stringify(coverage(model))],
  ]);
  if (model.task === 'regression') metadata.set('unit', model.target_reading?.unit ?? '');
  else metadata.set('classes', JSON.stringify(model.classes.map(({ name }) => name)));
  const { parts } = graph.finish(facts.name, { version: facts.version, metadata });
  return joinParts(parts);
}

/** Bytes that a file is handed over in, and a little more. */
const PORTION = 64 * 1024;

/** Joins small parts, and gives each portion its own memory. */
function joinParts(parts: readonly Uint8Array[]): Uint8Array[] {
  const portions: Uint8Array[] = [];
  let open: Uint8Array[] = [];
  let length = 0;
  for (const [index, part] of parts.entries()) {
    open.push(part);
    length += part.length;
    if (length < PORTION && index < parts.length - 1) continue;
    portions.push(new Uint8Array(Buffer.concat(open)));
    open = [];
    length = 0;
  }
  return portions;
}

/** The share of intervals or sets that held the truth of rows that the model was not trained on. */
function coverage(model: RowModel) {
  if (model.task === 'regression') {
    const { interval_level, interval_coverage, held_out_rows } = model.metrics;
    return { confidence: interval_level, share: interval_coverage, rows: held_out_rows };
  }
  const { set_level, set_coverage, held_out_rows } = model.metrics;
  return { confidence: set_level, share: set_coverage, rows: held_out_rows };
}

import type { Readable } from 'node:stream';
import type { AnyPredictor, PredictOptions } from '../../../prediction/src/predicting.js';
import { LineFault, NdjsonReader } from '../../json/ndjson-reader.js';
import { JsonLines } from '../../pipeline/handlers.js';
import { ProblemError, problem } from '../../problems/problem.js';
import { StreamWarnings, type UnknownNames } from './row-warnings.js';

type Block = readonly (Uint8Array | ProblemError)[];

/** Tells that a piece of the body came in which no line ends. */
const PROGRESS: Block = [];

/** The options of a stream. */
interface StreamOptions extends PredictOptions {
  readonly unknown?: UnknownNames;
}

/**
 * Answers each line of a body with a prediction, or with the problem that it has, as it arrives. If the model can
 * make nothing of something in the rows, a last line tells of it.
 * @param count is told how many rows were predicted
 */
export function predictLines(
  body: Readable,
  predictor: AnyPredictor,
  options: StreamOptions,
  count: (rows: number) => void,
): JsonLines {
  const warnings = new StreamWarnings(predictor);
  const answer = (block: readonly unknown[]) =>
    answerTo(block, predictor, options, warnings, count);
  return new JsonLines(answers(body, options, warnings, answer));
}

async function* answers(
  body: Readable,
  { unknown }: StreamOptions,
  warnings: StreamWarnings,
  answer: (block: readonly unknown[]) => Block,
): AsyncGenerator<Block> {
  const refuse = (value: unknown, line: number) => warnings.refusal(value, line) ?? value;
  const lines = new NdjsonReader(unknown === 'refuse' ? refuse : undefined);
  for await (const piece of body) {
    for (const block of lines.read(piece)) yield answer(block);
    yield PROGRESS;
  }
  for (const block of lines.end()) yield answer(block);
  const last = warnings.lastLine();
  if (last) yield [last];
}

function answerTo(
  block: readonly unknown[],
  predictor: AnyPredictor,
  options: PredictOptions,
  warnings: StreamWarnings,
  count: (rows: number) => void,
): Block {
  const parts: (Uint8Array | ProblemError)[] = [];
  let rows: unknown[] = [];
  const predict = () => {
    if (rows.length === 0) return;
    warnings.add(rows);
    parts.push(...predictor.lines(rows, options));
    count(rows.length);
    rows = [];
  };
  for (const value of block) {
    if (value instanceof LineFault) {
      predict();
      parts.push(problem('/problems/invalid-line', value.detail, { line: value.line }));
    } else if (value instanceof ProblemError) {
      predict();
      parts.push(value);
    } else {
      rows.push(value);
    }
  }
  predict();
  return parts;
}

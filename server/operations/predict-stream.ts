import type { Readable } from 'node:stream';
import type { PredictOptions } from '../../prediction/src/predicting.js';
import { LineFault, LineReader } from '../json/ndjson-reader.js';
import { JsonLines } from '../pipeline/handlers.js';
import { type ProblemError, problem } from '../problems/problem.js';
import type { AnyPredictor } from '../training/predictors.js';

type Block = readonly (Uint8Array | ProblemError)[];

/** Tells that a piece of the body came in which no line ends. */
const PROGRESS: Block = [];

/**
 * Answers each line of a body with a prediction, or with the problem that it has, as it arrives.
 * @param count is told how many rows were predicted
 */
export function predictLines(
  body: Readable,
  predictor: AnyPredictor,
  options: PredictOptions,
  count: (rows: number) => void,
): JsonLines {
  const answer = (block: readonly unknown[]) => answerTo(block, predictor, options, count);
  return new JsonLines(answers(body, answer));
}

async function* answers(
  body: Readable,
  answer: (block: readonly unknown[]) => Block,
): AsyncGenerator<Block> {
  const lines = new LineReader();
  for await (const piece of body) {
    for (const block of lines.read(piece)) yield answer(block);
    yield PROGRESS;
  }
  for (const block of lines.end()) yield answer(block);
}

function answerTo(
  block: readonly unknown[],
  predictor: AnyPredictor,
  options: PredictOptions,
  count: (rows: number) => void,
): Block {
  const parts: (Uint8Array | ProblemError)[] = [];
  let rows: unknown[] = [];
  const predict = () => {
    if (rows.length === 0) return;
    parts.push(...predictor.lines(rows, options));
    count(rows.length);
    rows = [];
  };
  for (const value of block) {
    if (value instanceof LineFault) {
      predict();
      parts.push(problem('/problems/invalid-line', value.detail, { line: value.line }));
    } else {
      rows.push(value);
    }
  }
  predict();
  return parts;
}

import type { RowWarnings } from '../row-check/row-warnings.js';
import { type AnswerOptions, type AnswerPart, DeclinedError } from './answer-part.js';
import { answerParsedRows, answerRows } from './answer-rows.js';
import type { AnyPredictor } from './formats.js';

/** Hands out bytes in pieces. */
export async function* pieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export interface Answered {
  readonly bytes: Buffer;
  readonly warnings: RowWarnings | undefined;
}

/** Answers a body, and gathers the parts of the answer. */
export async function answer(
  predictor: AnyPredictor,
  body: Uint8Array,
  options: AnswerOptions,
  size?: number,
): Promise<Answered> {
  try {
    return await gather(answerRows(predictor, pieces(body, size), options));
  } catch (error) {
    if (!(error instanceof DeclinedError)) throw error;
    return gather(answerParsedRows(predictor, JSON.parse(Buffer.from(body).toString()), options));
  }
}

async function gather(answers: AsyncIterable<AnswerPart>): Promise<Answered> {
  const parts: AnswerPart[] = [];
  for await (const part of answers) parts.push(part);
  const bytes = parts.map((part) => (part.kind === 'bytes' ? part.bytes : new Uint8Array()));
  const told = parts.find((part) => part.kind === 'warnings');
  const warnings = told?.kind === 'warnings' ? told.warnings : undefined;
  return { bytes: Buffer.concat(bytes), warnings };
}

import type { AnyPredictor, RowWarnings } from 'roster-prediction/predicting';
import {
  type AnswerOptions,
  type AnswerPart,
  answerParsedRows,
  answerRows,
  DeclinedError,
} from 'roster-prediction/predicting';

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

/** The text of an answer, and what comes with it. */
export interface TextAnswer {
  readonly text: string;
  readonly rows: number;
  readonly faults: readonly AnswerPart[];
  readonly warnings: unknown;
}

/** Answers bytes that come in pieces of some size; a faulty line has its number in place of an answer. */
export async function answerText(
  predictor: AnyPredictor,
  bytes: Uint8Array,
  size: number,
  options: AnswerOptions,
): Promise<TextAnswer> {
  const texts: Buffer[] = [];
  const faults: AnswerPart[] = [];
  let rows = 0;
  let warnings: unknown;
  for await (const part of answerRows(predictor, pieces(bytes, size), options)) {
    if (part.kind === 'bytes') {
      texts.push(Buffer.from(part.bytes));
      rows += part.rows;
    } else if (part.kind === 'fault') {
      texts.push(Buffer.from(`<${part.line}>\n`));
      faults.push(part);
    } else if (part.kind === 'warnings') {
      warnings = part.warnings;
    }
  }
  return { text: Buffer.concat(texts).toString(), rows, faults, warnings };
}

async function gather(answers: AsyncIterable<AnswerPart>): Promise<Answered> {
  const parts: AnswerPart[] = [];
  for await (const part of answers) parts.push(part);
  const bytes = parts.map((part) => (part.kind === 'bytes' ? part.bytes : new Uint8Array()));
  const warningsPart = parts.find((part) => part.kind === 'warnings');
  const warnings = warningsPart?.kind === 'warnings' ? warningsPart.warnings : undefined;
  return { bytes: Buffer.concat(bytes), warnings };
}

import type { AnswerPart } from '../../../prediction/src/predicting.js';
import { ByteStream, JsonLines, type StreamPiece } from '../../api/reply/send.js';
import { CSV_TYPE, JSON_TYPE } from '../../edge/request.js';
import { type ProblemError, problem } from '../../problems/problem.js';
import type { AnswerProgress } from './prediction-pool.js';
import { unknownNames, warningFields, warningsLine } from './row-warnings.js';

/** The events of a prediction, in order. */
type Events = AsyncIterable<AnswerProgress>;

/**
 * Answers a stream of lines with lines. A line without an answer gets its problem, and the last line has the
 * warnings.
 */
export function lineAnswer(events: Events, count: (rows: number) => void): JsonLines {
  async function* blocks(): AsyncGenerator<readonly (Uint8Array | ProblemError)[]> {
    for await (const event of events) {
      if (event.kind === 'bytes') {
        count(event.rows);
        yield [event.bytes];
      } else if (event.kind === 'fault') yield [lineProblem(event)];
      else if (event.kind === 'progress') yield [];
      else {
        const line = warningsLine(event.warnings);
        if (line) yield [line];
      }
    }
  }
  return new JsonLines(blocks());
}

/** Answers rows with bytes of a media type. */
export function byteAnswer(
  mediaType: string,
  events: Events,
  { isStream, areLines }: { readonly isStream: boolean; readonly areLines: boolean },
  count: (rows: number) => void,
): ByteStream {
  async function* pieces(): AsyncGenerator<StreamPiece> {
    for await (const event of events) {
      if (event.kind === 'bytes') {
        count(event.rows);
        yield event.bytes;
      } else if (event.kind === 'fault') throw bodyProblem(event);
      else if (event.kind === 'progress') yield 'progress';
      else if (isStream && areLines) yield warningsLine(event.warnings) ?? 'progress';
      else yield { fields: warningFields(event.warnings) };
    }
  }
  const isText = mediaType === JSON_TYPE || mediaType === CSV_TYPE;
  return new ByteStream(isText ? `${mediaType}; charset=utf-8` : mediaType, pieces(), {
    isStream,
    areLines,
    trailer: isStream && !areLines ? 'Row-Warnings' : undefined,
  });
}

/** A line that cannot be answered. */
type LineFault = Extract<AnswerPart, { kind: 'fault' }>;

/** Returns the problem of a line in an answer of lines. */
function lineProblem({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body', line);
  return problem('/problems/invalid-line', message, { line });
}

/** Returns the problem of a line in an answer that has no place for it. */
function bodyProblem({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body');
  return problem('/problems/malformed-body', `Line ${line}: ${message}`);
}

import type { AnswerPart } from '../../../prediction/src/predicting.js';
import { ByteStream, JsonLines, type StreamPiece } from '../../api/reply/send.js';
import { CSV_TYPE, JSON_TYPE } from '../../edge/request.js';
import { type ProblemError, problem, unavailable } from '../../problems/problem.js';
import { OutOfMemoryError, WorkerEndedError } from '../../work/worker-process.js';
import { VersionGoneError } from './answer-executor.js';
import { type AnswerProgress, RowsFaultError, SlowAnswerError } from './prediction-pool.js';
import { unknownNames, warningFields, warningsLine } from './row-warnings.js';

/** The events of a prediction, in order. */
type Events = AsyncIterable<AnswerProgress>;

const TRAILER = 'Row-Warnings';

/** A line that cannot be answered. */
type LineFault = Extract<AnswerPart, { kind: 'fault' }>;

/**
 * Answers a stream of lines with lines. A line without an answer gets its problem, and the last line has the
 * warnings.
 */
export function lineAnswer(events: Events, count: (rows: number) => void): JsonLines {
  async function* blocks(): AsyncGenerator<readonly (Uint8Array | ProblemError)[]> {
    for await (const event of translateErrors(events)) {
      if (event.kind === 'bytes') {
        count(event.rows);
        yield [event.bytes];
      } else if (event.kind === 'fault') yield [problemOf(event)];
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
    for await (const event of translateErrors(events)) {
      if (event.kind === 'bytes') {
        count(event.rows);
        yield event.bytes;
      } else if (event.kind === 'fault') throw faultOfBody(event);
      else if (event.kind === 'progress') yield 'progress';
      else if (isStream && areLines) yield warningsLine(event.warnings) ?? 'progress';
      else yield { fields: warningFields(event.warnings) };
    }
  }
  const trailer = isStream && !areLines ? TRAILER : undefined;
  return new ByteStream(withCharset(mediaType), pieces(), { isStream, areLines, trailer });
}

/** Adds the charset to a media type of text. */
function withCharset(mediaType: string): string {
  return mediaType === JSON_TYPE || mediaType === CSV_TYPE
    ? `${mediaType}; charset=utf-8`
    : mediaType;
}

async function* translateErrors(events: Events): AsyncGenerator<AnswerProgress> {
  try {
    yield* events;
  } catch (error) {
    throw asProblem(error);
  }
}

/** Returns the problem of a line in an answer of lines. */
function problemOf({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body', line);
  return problem('/problems/invalid-line', message, { line });
}

/** Returns the problem of a line in an answer that has no place for it. */
function faultOfBody({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body');
  return problem('/problems/malformed-body', `Line ${line}: ${message}`);
}

function asProblem(error: unknown): unknown {
  if (error instanceof OutOfMemoryError || error instanceof WorkerEndedError) {
    return workerEnded(error);
  }
  if (error instanceof VersionGoneError) {
    return unavailable('The model was trained anew while the rows arrived; send them again.');
  }
  if (error instanceof SlowAnswerError) {
    return unavailable(
      'The answer took too long, or was read too slowly, while others waited; send fewer rows at a time.',
    );
  }
  if (!(error instanceof RowsFaultError)) return error;
  const { fault } = error;
  switch (fault.name) {
    case 'RowsError':
      return problem('/problems/malformed-body', fault.message);
    case 'UnknownNamesError':
      return unknownNames(fault.names, (row) => `/body/${row}`);
    default:
      return error;
  }
}

function workerEnded(cause: Error): ProblemError {
  return unavailable(
    'The process that answered the rows ended, most often because they took too much memory or time; send fewer rows at a time, or as a stream.',
    5,
    { cause },
  );
}

import type { AnswerPart } from 'roster-prediction/predicting';
import { ByteStream, type StreamPiece } from '../../api/reply/send.js';
import { CSV_TYPE, JSON_TYPE, LINES_TYPE } from '../../edge/request.js';
import { type ProblemError, problem } from '../../problems/problem.js';
import type { AnswerProgress } from './prediction-pool.js';
import { unknownNames, type WarningFields, warningFields, warningsLine } from './row-warnings.js';

/** The events of an answer, in order. */
type Events = AsyncIterable<AnswerProgress>;

/** Waits for the first part of an answer, before which all of the body was read, and releases the body. */
export async function startAnswer(events: AsyncGenerator<AnswerProgress>, release: () => void): Promise<Events> {
  let first = await events.next();
  while (!first.done && first.value.kind === 'progress') first = await events.next();
  if (first.done) return events;
  release();
  return prepend(first.value, events);
}

async function* prepend(first: AnswerProgress, rest: AsyncGenerator<AnswerProgress>): AsyncGenerator<AnswerProgress> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/**
 * Answers a stream of lines with lines. A line without an answer gets its problem, and the last line has the
 * warnings.
 */
export function lineAnswer(events: Events, beginsAtOnce: boolean): ByteStream {
  async function* pieces(): AsyncGenerator<StreamPiece> {
    for await (const event of events) {
      if (event.kind === 'bytes') yield event.bytes;
      else if (event.kind === 'fault') yield lineProblem(event);
      else if (event.kind === 'progress') yield 'progress';
      else if (event.kind === 'warnings') yield warningsLine(event.warnings) ?? 'progress';
    }
  }
  const options = { isStream: true, areLines: true, beginsAtOnce };
  return new ByteStream(LINES_TYPE, pieces(), options);
}

/** Answers rows with bytes of a media type. */
export function byteAnswer(
  mediaType: string,
  events: Events,
  { isStream, areLines }: { readonly isStream: boolean; readonly areLines: boolean },
): ByteStream {
  async function* pieces(): AsyncGenerator<StreamPiece> {
    // An answer that is refused before its first bytes has no warnings.
    let fields: WarningFields | undefined;
    for await (const event of events) {
      if (event.kind === 'bytes') {
        if (fields) yield { fields };
        fields = undefined;
        yield event.bytes;
      } else if (event.kind === 'fault') throw bodyProblem(event);
      else if (event.kind === 'progress') yield 'progress';
      else if (event.kind === 'promises') continue;
      else if (isStream && areLines) yield warningsLine(event.warnings) ?? 'progress';
      else fields = warningFields(event.warnings);
    }
    if (fields) yield { fields };
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

function lineProblem({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body', line);
  return problem('/problems/invalid-line', message, { line });
}

/** Returns the problem of a line in an answer that has no place for it. */
function bodyProblem({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body');
  return problem('/problems/malformed-body', `Line ${line}: ${message}`);
}

import { Readable } from 'node:stream';
import type { components } from '../../../generated/openapi.js';
import type {
  AnswerOptions,
  AnswerPart,
  AnyPredictor,
} from '../../../prediction/src/predicting.js';
import { UnparsedJson } from '../../api/body/parse-body.js';
import type { Handlers, Input, Sent } from '../../api/handlers.js';
import { ByteStream, JsonText, type StreamPiece } from '../../api/reply/send.js';
import { CSV_TYPE, JSON_TYPE, LINES_TYPE } from '../../edge/request.js';
import { type ProblemError, problem } from '../../problems/problem.js';
import { findFormat, parseCsvQuery } from '../formats.js';
import type { AnswerProgress, PredictionPool } from './prediction-pool.js';
import type { Predictors } from './predictors.js';
import {
  checkRows,
  unknownNames,
  type WarningFields,
  warningFields,
  warningsLine,
} from './row-warnings.js';

type PredictionRows = components['schemas']['PredictionRow'][];
type PredictBody = components['schemas']['PredictBody'];

/** The events of an answer, in order. */
type Events = AsyncIterable<AnswerProgress>;

/** Counts the rows that are answered. */
interface RowCounter {
  predicted(rows: number): void;
}

/**
 * Chooses the way of rows. The API has parsed JSON that is short and answered with JSON: its rows are answered
 * here, which costs less than to ask another process. All other bodies go as bytes to the pool.
 */
export function predictOperations(
  predictors: Predictors,
  pool: PredictionPool,
  counter: RowCounter,
): Pick<Handlers, 'predict'> {
  const answerWith = (predictor: AnyPredictor, input: Input<'predict'>, body: PredictBody) => {
    const { query, reply } = input;
    const [rows, at] = findRows(body);
    const answer = (headers: WarningFields) => {
      counter.predicted(rows.length);
      const [row] = rows;
      const pieces =
        rows.length === 1 ? [predictor.answerOne(row, query)] : predictor.answer(rows, query);
      return reply({ status: 200, headers, body: new JsonText<PredictionRows>(pieces) });
    };
    const headers = checkRows(predictor, rows, at, query.unknown);
    return headers instanceof Promise ? headers.then(answer) : answer(headers);
  };

  const answerParsed = (input: Input<'predict'>, body: PredictBody) => {
    const predictor = predictors.require(input.caller, input.params);
    return predictor instanceof Promise
      ? predictor.then((loaded) => answerWith(loaded, input, body))
      : answerWith(predictor, input, body);
  };

  const answerUnparsed = async (input: Input<'predict'>, unparsed: UnparsedJson<PredictBody>) => {
    const { query, answerType, caller, params, closed, reply } = input;
    const parse = () => unparsed.parse(unparsed.bytes);
    const validate = async () => {
      const [rows, at] = findRows(await parse());
      if (query.unknown !== 'refuse') return;
      await checkRows(await predictors.require(caller, params), rows, at, query.unknown);
    };
    if (answerType === JSON_TYPE && !pool.hasWorkers) return answerParsed(input, await parse());
    const versionId = await predictors.requireVersion(caller, params).catch(async (error) => {
      // A fault of the body is told before one of the address, as for smaller bodies.
      await parse();
      throw error;
    });
    const options = answerOptions(input, JSON_TYPE);
    const body = {
      async *[Symbol.asyncIterator]() {
        yield unparsed.bytes;
      },
    };
    const job = { caller, versionId, options, body, isWhole: true, validate, closed };
    const events = pool.answer(job);
    let first = await events.next();
    while (!first.done && first.value.kind === 'progress') first = await events.next();
    // All of it was read before the first part.
    if (!first.done) unparsed.release();
    const answer = byteAnswer(
      answerType,
      first.done ? events : prepend(first.value, events),
      { isStream: false, areLines: options.to === 'ndjson' },
      counter,
    );
    return reply({ status: 200, body: answer });
  };

  const answerStream = async (input: Input<'predict'>, body: Readable) => {
    const { mediaType, answerType, caller, params, closed, reply } = input;
    const versionId = await predictors.requireVersion(caller, params);
    const options = answerOptions(input, mediaType);
    const events = pool.answer({ caller, versionId, options, body, isWhole: false, closed });
    const areLines = options.to === 'ndjson';
    const answer =
      areLines && options.from === 'ndjson'
        ? lineAnswer(events, counter)
        : byteAnswer(answerType, events, { isStream: true, areLines }, counter);
    return reply({ status: 200, body: answer });
  };

  return {
    predict: (input): Sent<'predict'> | Promise<Sent<'predict'>> => {
      const { body } = input;
      if (body instanceof Readable) return answerStream(input, body);
      return body instanceof UnparsedJson ? answerUnparsed(input, body) : answerParsed(input, body);
    },
  };
}

/** Returns the rows of a body, and where they are, as a JSON pointer. */
function findRows(body: PredictBody): [rows: readonly unknown[], at: string] {
  return Array.isArray(body) ? [body, '/body'] : [body.data, '/body/data'];
}

/** @param mediaType the media type of the rows */
function answerOptions({ query, answerType }: Input<'predict'>, mediaType: string): AnswerOptions {
  const { confidence, unknown, explain } = query;
  const to = findFormat(answerType);
  return {
    from: findFormat(mediaType),
    to: to === 'parquet' ? 'json' : to,
    ...(confidence !== undefined && { confidence }),
    ...(unknown !== undefined && { unknown }),
    ...(explain !== undefined && { explain }),
    csv: parseCsvQuery(query),
  };
}

async function* prepend(
  first: AnswerProgress,
  rest: AsyncGenerator<AnswerProgress>,
): AsyncGenerator<AnswerProgress> {
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
function lineAnswer(events: Events, counter: RowCounter): ByteStream {
  async function* pieces(): AsyncGenerator<StreamPiece> {
    for await (const event of events) {
      if (event.kind === 'bytes') {
        counter.predicted(event.rows);
        yield event.bytes;
      } else if (event.kind === 'fault') yield lineProblem(event);
      else if (event.kind === 'progress') yield 'progress';
      else yield warningsLine(event.warnings) ?? 'progress';
    }
  }
  const options = { isStream: true, areLines: true, beginsAtOnce: true };
  return new ByteStream(LINES_TYPE, pieces(), options);
}

/** Answers rows with bytes of a media type. */
function byteAnswer(
  mediaType: string,
  events: Events,
  { isStream, areLines }: { readonly isStream: boolean; readonly areLines: boolean },
  counter: RowCounter,
): ByteStream {
  async function* pieces(): AsyncGenerator<StreamPiece> {
    for await (const event of events) {
      if (event.kind === 'bytes') {
        counter.predicted(event.rows);
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

function lineProblem({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body', line);
  return problem('/problems/invalid-line', message, { line });
}

/** Returns the problem of a line in an answer that has no place for it. */
function bodyProblem({ line, message, unknown }: LineFault): ProblemError {
  if (unknown) return unknownNames(unknown, () => '/body');
  return problem('/problems/malformed-body', `Line ${line}: ${message}`);
}

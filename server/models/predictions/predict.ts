import { Readable } from 'node:stream';
import type { components } from '../../../generated/openapi.js';
import {
  type AnswerOptions,
  type AnswerPart,
  type AnyPredictor,
  answerParsedRows,
  columnName,
  InvalidRowsError,
  listForecastOptions,
  type PromisePart,
  type TableForm,
} from '../../../prediction/src/predicting.js';
import { UnparsedJson } from '../../api/body/parse-body.js';
import type { Handlers, Input, Sent } from '../../api/handlers.js';
import type { RateLimits } from '../../api/limits/rate-limits.js';
import { ByteStream, JsonText, type StreamPiece } from '../../api/reply/send.js';
import type { Caller } from '../../auth/caller.js';
import { CSV_TYPE, JSON_TYPE, LINES_TYPE } from '../../edge/request.js';
import { invalidRequest, type ProblemError, problem } from '../../problems/problem.js';
import type { Store } from '../../store/index.js';
import { refuseFullOwner } from '../../store/quota.js';
import { findFormat, parseForm } from '../formats.js';
import { addPromises, newAnswerId, type RememberedAnswer } from '../record/promise-rows.js';
import { storeAhead } from '../record/store-ahead.js';
import type { ServingVersion } from '../serving-version.js';
import type { AnswerProgress, PredictionPool } from './prediction-pool.js';
import type { Predictors } from './predictors.js';
import {
  checkRows,
  findRows,
  invalidRows,
  unknownNames,
  type WarningFields,
  warningFields,
  warningsLine,
} from './row-warnings.js';

type PredictionRows = components['schemas']['PredictionRow'][];
type PredictBody = components['schemas']['PredictBody'];

/** The events of an answer, in order. */
type Events = AsyncIterable<AnswerProgress>;

/**
 * Counts rows before they are answered.
 * @returns undefined, or a promise if the store is asked
 * @throws {ProblemError} if the caller may have no more rows
 */
export type CountRows = (caller: Caller, rows: number) => Promise<void> | undefined;

/** Returns what counts rows in the limits of their callers, and in all. */
export function createRowCounter(
  rates: Pick<RateLimits, 'spend'>,
  metrics: { predicted(rows: number): void },
): CountRows {
  return (caller, rows) => {
    const counted = rates.spend(caller, 'rows', rows);
    if (counted) return counted.then(() => metrics.predicted(rows));
    metrics.predicted(rows);
    return undefined;
  };
}

/** The bytes of JSON from which another process answers sooner than the main loop. */
const MIN_DEFERRED = 32 * 1024;

/**
 * Decides the way of JSON: whether its rows stay bytes and go to the pool, as those of all other formats do.
 * Rows that are few, or that no other process can answer, are parsed and answered as objects on the main
 * loop, which costs less than to ask another process.
 */
export function goesToPool(pool: PredictionPool, bytes: number, answerType: string): boolean {
  return answerType !== JSON_TYPE || (bytes >= MIN_DEFERRED && pool.hasWorkers);
}

export function predictOperations(
  store: Store,
  predictors: Predictors,
  pool: PredictionPool,
  countRows: CountRows,
): Pick<Handlers, 'predict'> {
  const answerWith = (predictor: AnyPredictor, input: Input<'predict'>, body: PredictBody) => {
    const { query, reply } = input;
    // Of JSON, no other option is refused.
    readForm(input);
    const [rows, at] = findRows(body);
    const { remember: _, ...options } = query;
    const answer = (headers: WarningFields) => {
      const [row] = rows;
      const pieces = refuseInvalid(
        () =>
          rows.length === 1 && 'answerOne' in predictor
            ? [predictor.answerOne(row, options)]
            : predictor.answer(rows, options),
        at,
      );
      const all = { ...headers, ...calibrationFields(predictor, query) };
      return reply({ status: 200, headers: all, body: new JsonText<PredictionRows>(pieces) });
    };
    const answerCounted = (headers: WarningFields) => {
      const counted = countRows(input.caller, rows.length);
      return counted ? counted.then(() => answer(headers)) : answer(headers);
    };
    const headers = checkRows(predictor, rows, at, query);
    return headers instanceof Promise ? headers.then(answerCounted) : answerCounted(headers);
  };

  /** Remembers the answer where that is asked for. @throws {ProblemError} if the owner stores as much as allowed */
  const remember = async (
    { query, caller, params }: Input<'predict'>,
    version: ServingVersion,
  ): Promise<RememberedAnswer | undefined> => {
    if (query.remember !== true) return undefined;
    const { owner, act } = caller;
    await refuseFullOwner(store.reads, owner, store.limits.stored);
    return { id: newAnswerId(), owner, act, project: params.projectName, version };
  };

  /** Answers parsed rows as `answerWith` does, and remembers them. */
  const answerRemembered = async (input: Input<'predict'>, body: PredictBody) => {
    const { query, caller, params, reply } = input;
    const version = await predictors.requireVersion(caller, params);
    const predictor = await predictors.require(caller, params);
    const form = readForm(input);
    const [rows, at] = findRows(body);
    const headers = await checkRows(predictor, rows, at, query);
    const answer = await remember(input, version);
    await countRows(caller, rows.length);
    const pieces: Uint8Array[] = [];
    const promises: PromisePart[] = [];
    try {
      for await (const part of answerParsedRows(
        predictor,
        rows,
        answerOptions(input, form, answer),
      )) {
        if (part.kind === 'promises') promises.push(part);
        else if (part.kind === 'bytes') pieces.push(Buffer.from(part.bytes));
      }
    } catch (error) {
      throw error instanceof InvalidRowsError ? invalidRows(error, at) : error;
    }
    if (answer) await addPromises(store, answer, promises);
    const all = { ...headers, ...calibrationFields(predictor, query) };
    return reply({ status: 200, headers: all, body: new JsonText<PredictionRows>(pieces) });
  };

  const answerParsed = (input: Input<'predict'>, body: PredictBody) => {
    if (input.query.remember === true) return answerRemembered(input, body);
    const predictor = predictors.require(input.caller, input.params);
    return predictor instanceof Promise
      ? predictor.then((loaded) => answerWith(loaded, input, body))
      : answerWith(predictor, input, body);
  };

  const answerBytes = async (
    input: Input<'predict'>,
    body: Readable | UnparsedJson<PredictBody>,
  ) => {
    const { query, answerType, caller, params, closed, reply } = input;
    const isStream = body instanceof Readable;
    const parse = async () => (isStream ? undefined : body.parse(body.bytes));
    const validate = async () => {
      const parsed = await parse();
      if (!parsed || query.unknown !== 'refuse') return;
      const [rows, at] = findRows(parsed);
      await checkRows(await predictors.require(caller, params), rows, at, query);
    };
    const version = await predictors.requireVersion(caller, params).catch(async (error) => {
      // A fault of the body is told before one of the address, as for smaller bodies.
      await parse();
      throw error;
    });
    const form = readForm(input);
    const answer = await remember(input, version);
    // A backtest is of the training, and has its calibration.
    const adapted = query.backtest === undefined ? version.adapted : null;
    const options = { ...answerOptions(input, form, answer), ...(adapted && { adapted }) };
    const headers = adapted ? ADAPTED : {};
    const bytes = isStream ? body : toIterable(body.bytes);
    const request = {
      caller,
      versionId: version.id,
      options,
      body: bytes,
      isWhole: !isStream,
      validate,
      closed,
    };
    const counted = countAnswered(pool.answer(request), (rows) => countRows(caller, rows));
    const events = answer ? storeAhead(store, answer, counted) : counted;
    const areLines = options.to === 'ndjson';
    if (isStream && areLines && options.from === 'ndjson') {
      // A forecast reads all lines before its first row. Options that the model may refuse can be the answer, too.
      const mayBeRefused =
        options.probabilities || options.warnings || listForecastOptions(options).length > 0;
      const beginsAtOnce = version.task !== 'forecast' && !mayBeRefused;
      return reply({ status: 200, headers, body: lineAnswer(events, beginsAtOnce) });
    }
    const parts = isStream ? events : await startAnswer(events, body);
    const sent = byteAnswer(answerType, parts, { isStream, areLines });
    return reply({ status: 200, headers, body: sent });
  };

  return {
    predict: (input): Sent<'predict'> | Promise<Sent<'predict'>> => {
      const { body } = input;
      return body instanceof Readable || body instanceof UnparsedJson
        ? answerBytes(input, body)
        : answerParsed(input, body);
    },
  };
}

/** Tells that truths have moved what was calibrated in the training. */
const ADAPTED = { 'Model-Calibration': 'adapted' } as const;

function calibrationFields(
  { calibration }: AnyPredictor,
  { backtest }: Input<'predict'>['query'],
): Partial<typeof ADAPTED> {
  return calibration && backtest === undefined ? ADAPTED : {};
}

/** @throws {ProblemError} if the rows, which are at a JSON pointer, do not fit the model */
function refuseInvalid<T>(answer: () => T, at: string): T {
  try {
    return answer();
  } catch (error) {
    throw error instanceof InvalidRowsError ? invalidRows(error, at) : error;
  }
}

/**
 * Reads the parameters that depend on each other. Call it once the model is found: who does not own it gets the 404 of
 * every request.
 *
 * @throws {ProblemError} if the body has no such form, or a column of ids is named and nothing is to be remembered
 */
function readForm({ query, mediaType }: Input<'predict'>): TableForm {
  if (query.id !== undefined && query.remember !== true) {
    const message = 'names the ids of rows that are remembered; send remember=true with it';
    throw invalidRequest([{ pointer: '/query/id', message }]);
  }
  return parseForm(query, mediaType);
}

/** Can be read again, by a second way of a body that the first has declined. */
function toIterable(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
  };
}

/** Waits for the first part of an answer, before which all of the body was read, and frees that. */
async function startAnswer(
  events: AsyncGenerator<AnswerProgress>,
  body: UnparsedJson<PredictBody>,
): Promise<Events> {
  let first = await events.next();
  while (!first.done && first.value.kind === 'progress') first = await events.next();
  if (first.done) return events;
  body.release();
  return prepend(first.value, events);
}

/** Counts the rows of an answer as they go. The answer ends where the caller may have no more. */
async function* countAnswered(
  events: AsyncGenerator<AnswerProgress>,
  count: (rows: number) => Promise<void> | undefined,
): AsyncGenerator<AnswerProgress, undefined> {
  for await (const event of events) {
    if (event.kind === 'bytes') await count(event.rows);
    yield event;
  }
  return undefined;
}

function answerOptions(
  { query, answerType, mediaType }: Input<'predict'>,
  form: TableForm,
  answer: RememberedAnswer | undefined,
): AnswerOptions {
  const { id, confidence, steps, backtest, unknown, rows, explain, probabilities, warnings } =
    query;
  const to = findFormat(answerType);
  return {
    from: findFormat(mediaType),
    to: to === 'parquet' || to === 'xlsx' ? 'json' : to,
    ...(confidence !== undefined && { confidence }),
    ...(steps !== undefined && { steps }),
    ...(backtest !== undefined && { backtest }),
    ...(unknown !== undefined && { unknown }),
    ...(rows !== undefined && { rows }),
    ...(explain !== undefined && { explain }),
    ...(probabilities !== undefined && { probabilities }),
    ...(warnings !== undefined && { warnings }),
    ...(answer && {
      remember: { answer: answer.id, ...(id !== undefined && { id: columnName(id) }) },
    }),
    form,
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
function lineAnswer(events: Events, beginsAtOnce: boolean): ByteStream {
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
function byteAnswer(
  mediaType: string,
  events: Events,
  { isStream, areLines }: { readonly isStream: boolean; readonly areLines: boolean },
): ByteStream {
  async function* pieces(): AsyncGenerator<StreamPiece> {
    for await (const event of events) {
      if (event.kind === 'bytes') yield event.bytes;
      else if (event.kind === 'fault') throw bodyProblem(event);
      else if (event.kind === 'progress') yield 'progress';
      else if (event.kind === 'promises') continue;
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

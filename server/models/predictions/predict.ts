import { Readable } from 'node:stream';
import {
  type AnswerOptions,
  type AnyPredictor,
  answerParsedRows,
  columnName,
  InvalidRowsError,
  listForecastOptions,
  type RememberedPart,
  type Remembering,
  SLICE_WORK,
  type TableForm,
} from 'roster-prediction/predicting';
import type { components } from '../../../generated/openapi.js';
import type { DefersJson, RawJson } from '../../api/body/parse-body.js';
import type { Handlers, Input, Sent } from '../../api/handlers.js';
import { JsonText } from '../../api/reply/send.js';
import { JSON_TYPE } from '../../edge/request.js';
import { invalidRequest } from '../../problems/problem.js';
import type { Store } from '../../store/index.js';
import { refuseFullOwner } from '../../store/quota.js';
import { findFormat, parseForm } from '../formats.js';
import { newAnswerId, type RememberedAnswer } from '../record/promise-rows.js';
import { SMALL_ROWS, SmallAnswers } from '../record/small-answers.js';
import { storeAhead } from '../record/store-ahead.js';
import type { ServingVersion } from '../serving-version.js';
import { byteAnswer, lineAnswer, startAnswer } from './answer-streams.js';
import type { AnswerProgress, PredictionPool } from './prediction-pool.js';
import type { Predictors } from './predictors.js';
import type { RowCount, RowCounter } from './row-counter.js';
import { checkRows, type FoundRows, findRows, invalidRows, type WarningFields } from './row-warnings.js';

type PredictionRows = components['schemas']['PredictionRow'][];
type PredictBody = components['schemas']['PredictBody'];

/** The work of parsing and validating a byte of JSON, in microseconds: many small rows take the most. */
const BYTE_WORK = 0.2;

/**
 * Returns what decides whether the rows of a body stay bytes and go to the pool, as those of all formats but JSON do.
 * JSON is parsed and validated on the main loop if that is little work, or no other process can do it; the work of its
 * answer is estimated then.
 */
export function goesToPool({ hasWorkers }: PredictionPool): DefersJson {
  return (bytes, answerType) => answerType !== JSON_TYPE || (hasWorkers && bytes * BYTE_WORK > SLICE_WORK);
}

/** The id of an answer, and the number of its first row. */
type Place = Pick<Remembering, 'answer' | 'first'>;

/** Stands for the memory of an answer in estimates of its work. */
const REMEMBERED: Remembering = { answer: '' };

export function predictOperations(
  store: Store,
  predictors: Predictors,
  pool: PredictionPool,
  counter: RowCounter,
): Pick<Handlers, 'predict'> {
  const small = new SmallAnswers(store);
  const storeBatches = (answer: RememberedAnswer, batches: readonly RememberedPart[]) =>
    small.addLarge(answer, batches);

  /** Describes an answer that is remembered. @throws {ProblemError} if the owner stores as much as allowed */
  const remember = async ({ caller, params }: Input<'predict'>, version: ServingVersion): Promise<RememberedAnswer> => {
    const { owner, act } = caller;
    await refuseFullOwner(store.reads, owner, store.limits.stored);
    return { id: newAnswerId(), owner, act, project: params.projectName, version };
  };

  /** Answers rows here, as objects, which costs less than another process. */
  const answerHere = (
    { query, caller, reply }: Input<'predict'>,
    predictor: AnyPredictor,
    { rows, at }: FoundRows,
    headers: WarningFields,
  ) => {
    const { remember: _, ...options } = query;
    const count = counter.begin(caller);
    const all = { ...headers, ...calibrationFields(predictor, query) };
    const send = (pieces: Iterable<string | Uint8Array>, rowCount: number) => {
      count.answer(rowCount);
      return reply({ status: 200, headers: all, body: new JsonText<PredictionRows>(pieces) });
    };
    const answerCounted = <T>(rowCount: number, answer: () => T): T | Promise<T> => {
      const counted = count.add(rowCount);
      return counted ? counted.then(answer) : answer();
    };
    if (rows.length === 1 && 'answerOne' in predictor) {
      return answerCounted(1, () => send([predictor.answerOne(rows[0], options)], 1));
    }
    const pieces = refuseInvalid(() => predictor.answer(rows, options), at);
    return answerCounted(pieces.rowCount, () => send(pieces, pieces.rowCount));
  };

  /** Answers rows as `answerHere` does, and remembers them. */
  const rememberHere = async (
    input: Input<'predict'>,
    predictor: AnyPredictor,
    body: RawJson<PredictBody>,
    { rows, at }: FoundRows,
    headers: WarningFields,
  ) => {
    const { query, caller, params, reply } = input;
    const version = await predictors.requireVersion(caller, params);
    const answer = await remember(input, version);
    const form = readForm(input);
    const count = counter.begin(caller);
    const make = async (place: Place, known?: RowCount) => {
      const pieces: Uint8Array[] = [];
      const promises: RememberedPart[] = [];
      for await (const part of answerParsedRows(predictor, rows, answerOptions(input, form, place))) {
        if (part.kind === 'count') await known?.add(part.rows);
        else if (part.kind === 'promises') promises.push(part);
        else if (part.kind === 'bytes') {
          pieces.push(Buffer.from(part.bytes));
          answered += part.rows;
        }
      }
      return { pieces, promises };
    };
    let answered = 0;
    let pieces: Uint8Array[];
    try {
      // Forecasts have other rows than were sent, and so many that they need not be gathered.
      if (rows.length <= SMALL_ROWS && 'answerOne' in predictor) {
        await count.add(rows.length);
        const makeAndLeave = async (place: Place) => {
          const made = await make(place);
          // Others are answered while it is stored.
          body.leave();
          return made;
        };
        ({ pieces } = await small.add(answer, query.id !== undefined, makeAndLeave));
      } else {
        const made = await make({ answer: answer.id }, count);
        await small.addLarge(answer, made.promises);
        ({ pieces } = made);
      }
      count.answer(answered);
    } catch (error) {
      throw error instanceof InvalidRowsError ? invalidRows(error, at) : error;
    } finally {
      count.end();
    }
    const all = { ...headers, ...calibrationFields(predictor, query) };
    return reply({ status: 200, headers: all, body: new JsonText<PredictionRows>(pieces) });
  };

  /** Answers parsed rows here if that is little work, else in the pool. */
  const answerParsed = (input: Input<'predict'>, predictor: AnyPredictor, body: RawJson<PredictBody>) => {
    const { query } = input;
    // JSON has no form, and no other option is refused.
    if ((query.id ?? query.sheet ?? query.header_line) !== undefined) readForm(input);
    const found = findRows(body.parsed);
    const { rows, at } = found;
    const { remember: isRemembered, ...options } = query;
    const answer = (headers: WarningFields) => {
      const asked = isRemembered ? { ...options, remember: REMEMBERED } : options;
      const work = refuseInvalid(() => predictor.estimate(rows, asked), at);
      if (work > SLICE_WORK) return answerInPool(input, body, found);
      return isRemembered
        ? rememberHere(input, predictor, body, found, headers)
        : answerHere(input, predictor, found, headers);
    };
    const headers = checkRows(predictor, rows, at, query);
    return headers instanceof Promise ? headers.then(answer) : answer(headers);
  };

  const answerInPool = async (input: Input<'predict'>, body: Readable | RawJson<PredictBody>, found?: FoundRows) => {
    const { query, answerType, caller, params, responseClosed, reply } = input;
    const isStream = body instanceof Readable;
    const parse = async () => (isStream || found ? undefined : body.parse());
    const validate = async () => {
      const parsed = await parse();
      if (!parsed || query.unknown !== 'refuse') return;
      const { rows, at } = findRows(parsed);
      await checkRows(await predictors.require(caller, params), rows, at, query);
    };
    if (!isStream) body.leave();
    const version = await predictors.requireVersion(caller, params).catch(async (error) => {
      // Report errors in the body before a missing model, as for smaller bodies.
      await parse();
      throw error;
    });
    const form = readForm(input);
    const answer = query.remember === true ? await remember(input, version) : undefined;
    // A backtest is of the training, and has its calibration.
    const adapted = query.backtest === undefined ? version.adapted : null;
    const place = answer && { answer: answer.id };
    const options = { ...answerOptions(input, form, place), ...(adapted && { adapted }) };
    const headers = adapted ? ADAPTED : {};
    const bytes = isStream ? body : toIterable(body.bytes);
    const count = counter.begin(caller);
    const request = {
      caller,
      versionId: version.id,
      options,
      body: bytes,
      found,
      isWhole: !isStream,
      count: (rows: number) => count.add(rows),
      validate,
      responseClosed,
    };
    const parts = pool.answer(request);
    const events = countAnswered(answer ? storeAhead(answer, parts, storeBatches) : parts, count);
    const areLines = options.to === 'ndjson';
    if (isStream && areLines && options.from === 'ndjson') {
      // A forecast reads all lines before its first row. Options that the model may refuse can be the answer, too.
      const mayBeRefused =
        options.probabilities || options.warnings || options.contributions || listForecastOptions(options).length > 0;
      const beginsAtOnce = version.task !== 'forecast' && !mayBeRefused;
      return reply({ status: 200, headers, body: lineAnswer(events, beginsAtOnce) });
    }
    const begun = isStream ? events : await startAnswer(events, () => body.release());
    const sent = byteAnswer(answerType, begun, { isStream, areLines });
    return reply({ status: 200, headers, body: sent });
  };

  return {
    predict: (input): Sent<'predict'> | Promise<Sent<'predict'>> => {
      const { body, caller, params } = input;
      if (body instanceof Readable || body.parsed === undefined) return answerInPool(input, body);
      const predictor = predictors.require(caller, params);
      return predictor instanceof Promise
        ? predictor.then((loaded) => answerParsed(input, loaded, body))
        : answerParsed(input, predictor, body);
    },
  };
}

/** Shows that true values have moved the calibration of the training. */
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
function readForm(request: Input<'predict'>): TableForm {
  const { query } = request;
  if (query.id !== undefined && query.remember !== true) {
    const message = 'names the ids of rows that are remembered; send remember=true with it';
    throw invalidRequest([{ pointer: '/query/id', message }]);
  }
  return parseForm(query, request);
}

/** Can be read again, by a second way of a body that the first has declined. */
function toIterable(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
  };
}

/** Notes the rows of an answer as they go, and gives back at its end what was counted beyond them. */
async function* countAnswered(
  events: AsyncGenerator<AnswerProgress>,
  count: RowCount,
): AsyncGenerator<AnswerProgress, undefined> {
  try {
    for await (const event of events) {
      if (event.kind === 'bytes') count.answer(event.rows);
      yield event;
    }
  } finally {
    count.end();
  }
  return undefined;
}

function answerOptions(
  { query, answerType, mediaType }: Input<'predict'>,
  form: TableForm,
  place: Place | undefined,
): AnswerOptions {
  const { id, confidence, steps, backtest, unknown, rows, explain, probabilities, warnings, contributions } = query;
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
    ...(contributions !== undefined && { contributions }),
    ...(place && { remember: { ...place, ...(id !== undefined && { id: columnName(id) }) } }),
    form,
  };
}

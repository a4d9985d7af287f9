import { Readable } from 'node:stream';
import type { components } from '../../../generated/openapi.js';
import { type AnswerOptions, DeclinedError } from '../../../prediction/src/predicting.js';
import { UnparsedJson } from '../../api/body/parse-body.js';
import type { Handlers, Input } from '../../api/handlers.js';
import { JsonText } from '../../api/reply/send.js';
import type { Caller } from '../../auth/caller.js';
import { JSON_TYPE } from '../../edge/request.js';
import { findProject } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { findFormat, parseCsvQuery } from '../formats.js';
import { modelNotReady, requireModel } from '../model-lookup.js';
import { findModel, parseNumberedName } from '../model-rows.js';
import { byteAnswer, lineAnswer } from './answer-stream.js';
import type { AnswerProgress, PredictionPool } from './prediction-pool.js';
import type { Predictors } from './predictors.js';
import { checkRows } from './row-warnings.js';

type PredictionRows = components['schemas']['PredictionRow'][];

type PredictBody = components['schemas']['PredictBody'];

/**
 * Chooses the way of rows: the API leaves a body of JSON unparsed if it is large or answered in another
 * format. Such bodies and all others go to the pool; a body that was parsed is answered at once.
 */
export function predictOperations(
  store: Store,
  predictors: Predictors,
  pool: PredictionPool,
  count: (rows: number) => void,
): Pick<Handlers, 'predict'> {
  const findPredictor = ({ caller, params: { projectName, modelName } }: Input<'predict'>) =>
    requireServing(store, caller, projectName, modelName, () =>
      predictors.serving(caller.owner, projectName, modelName),
    );

  const findVersion = ({ caller, params: { projectName, modelName } }: Input<'predict'>) =>
    requireServing(store, caller, projectName, modelName, () =>
      predictors.servingVersion(caller.owner, projectName, modelName),
    );

  /** Answers parsed rows on the main loop. */
  const answerParsed = async (input: Input<'predict'>, body: PredictBody) => {
    const { query, reply } = input;
    const predictor = await findPredictor(input);
    const [rows, at] = findRows(body);
    const headers = await checkRows(predictor, rows, at, query.unknown);
    count(rows.length);
    const text = new JsonText<PredictionRows>(predictor.answer(rows, query));
    return reply({ status: 200, headers, body: text });
  };

  const answerUnparsed = async (input: Input<'predict'>, body: UnparsedJson<PredictBody>) => {
    const { query, answerType, caller, closed, reply } = input;
    if (answerType === JSON_TYPE && !pool.hasWorkers) {
      return answerParsed(input, await body.parse(body.bytes));
    }
    const versionId = await findVersion(input).catch(async (error) => {
      // A fault of the body is told before one of the address, as for smaller bodies.
      await body.parse(body.bytes);
      throw error;
    });
    const options = answerOptions(input, JSON_TYPE);
    const kind = { isStream: false, areLines: options.to === 'ndjson' };
    const answer = (bytes: Iterable<Uint8Array>, onRead?: () => void) =>
      beginAnswer(
        pool.answer({ caller, versionId, options, body: toAsync(bytes), isWhole: true, closed }),
        onRead,
      );
    let events = await answer([body.bytes], () => body.release());
    if (!events) {
      const parsed = await body.parse(body.bytes);
      if (answerType === JSON_TYPE) return answerParsed(input, parsed);
      const [rows, at] = findRows(parsed);
      await checkRows(await findPredictor(input), rows, at, query.unknown);
      events = await answer(writeRows(rows));
      if (!events) throw new Error('The rows were declined as they were written');
    }
    return reply({ status: 200, body: byteAnswer(answerType, events, kind, count) });
  };

  const answerStream = async (input: Input<'predict'>, body: Readable) => {
    const { mediaType, answerType, caller, closed, reply } = input;
    const versionId = await findVersion(input);
    const options = answerOptions(input, mediaType);
    const events = pool.answer({ caller, versionId, options, body, isWhole: false, closed });
    const areLines = options.to === 'ndjson';
    return reply({
      status: 200,
      body:
        areLines && options.from === 'ndjson'
          ? lineAnswer(events, count)
          : byteAnswer(answerType, events, { isStream: true, areLines }, count),
    });
  };

  return {
    predict: (input) => {
      const { body } = input;
      if (body instanceof Readable) return answerStream(input, body);
      return body instanceof UnparsedJson ? answerUnparsed(input, body) : answerParsed(input, body);
    },
  };
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

/** Returns the rows of a body, and where they are, as a JSON pointer. */
function findRows(body: PredictBody): [rows: readonly unknown[], at: string] {
  return Array.isArray(body) ? [body, '/body'] : [body.data, '/body/data'];
}

/**
 * Waits for the first part of an answer, before which the body may be declined.
 * @param onRead called when the body was read, and may be freed
 * @returns undefined if it is: then the body is to be read as a whole
 */
async function beginAnswer(
  events: AsyncGenerator<AnswerProgress>,
  onRead: () => void = () => {},
): Promise<AsyncIterable<AnswerProgress> | undefined> {
  try {
    let first = await events.next();
    while (!first.done && first.value.kind === 'progress') first = await events.next();
    if (first.done) return events;
    onRead();
    return prepend(first.value, events);
  } catch (error) {
    if (error instanceof DeclinedError) return undefined;
    throw error;
  }
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

async function* toAsync(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** The size of a piece of written rows, in characters. */
const PIECE = 64 * 1024;

/** Writes rows as JSON, in pieces. */
function* writeRows(rows: readonly unknown[]): Generator<Uint8Array> {
  let text = '[';
  for (const [index, row] of rows.entries()) {
    text += index === 0 ? '' : ',';
    text += JSON.stringify(row);
    if (text.length < PIECE) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}]`);
}

/**
 * Returns what serves a model of the caller.
 * @throws {ProblemError} if there is no such model, or nothing answers for it yet
 */
export async function requireServing<T>(
  store: Store,
  caller: Caller,
  projectName: string,
  name: string,
  findServing: () => T | Promise<T | undefined>,
): Promise<T> {
  const serving = await findServing();
  if (serving !== undefined) return serving;
  const project = await findProject(store, caller, projectName);
  const model = await findModel(store, project.id, name);
  const version = model ? undefined : parseNumberedName(name);
  const asked =
    model ?? (await requireModel(store, project, version?.name ?? name, version?.version));
  // It may have become ready, or been replaced, between the two.
  const served = await findServing();
  if (served === undefined) throw modelNotReady(asked, version !== undefined);
  return served;
}

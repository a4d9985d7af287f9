import { Readable } from 'node:stream';
import type { components } from '../../../generated/openapi.js';
import { UnparsedJson } from '../../api/body/parse-body.js';
import type { Handlers, Input } from '../../api/handlers.js';
import { JsonText } from '../../api/reply/send.js';
import type { Caller } from '../../auth/caller.js';
import { JSON_TYPE } from '../../edge/request.js';
import { findProject } from '../../projects/projects.js';
import { numberedName, type Store } from '../../store/index.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { answerOptions } from './answer-formats.js';
import { byteAnswer, lineAnswer } from './answer-stream.js';
import { findModel, findVersion, notReady, versionNotReady } from './model-lookup.js';
import type { PredictionPool } from './prediction-pool.js';
import type { Predictors } from './predictors.js';
import { answerWhole, writeRows } from './raw-rows.js';
import { checkRows } from './row-warnings.js';

type PredictionRows = components['schemas']['PredictionRow'][];

type PredictBody = components['schemas']['PredictBody'];

export function predictOperations(
  store: Store,
  predictors: Predictors,
  pool: PredictionPool,
  metrics: Metrics,
): Pick<Handlers, 'predict'> {
  const count = (rows: number) => metrics.predicted(rows);

  const predictorOf = async ({ caller, params }: Input<'predict'>) => {
    const { projectName, modelName } = params;
    const serving = () => predictors.serving(caller.owner, projectName, modelName);
    return (await serving()) ?? whyNotServing(store, serving, caller, projectName, modelName);
  };

  const versionOf = async ({ caller, params }: Input<'predict'>) => {
    const { projectName, modelName } = params;
    const serving = () => predictors.servingVersion(caller.owner, projectName, modelName);
    return (await serving()) ?? whyNotServing(store, serving, caller, projectName, modelName);
  };

  /** Answers parsed rows on the main loop. */
  const answerParsed = async (input: Input<'predict'>, body: PredictBody) => {
    const { query, reply } = input;
    const predictor = await predictorOf(input);
    const [rows, at] = rowsOf(body);
    const headers = await checkRows(predictor, rows, at, query.unknown);
    count(rows.length);
    const text = new JsonText<PredictionRows>(predictor.answer(rows, query));
    return reply({ status: 200, headers, body: text });
  };

  const answerRaw = async (input: Input<'predict'>, body: UnparsedJson<PredictBody>) => {
    const { query, answerType, caller, closed, reply } = input;
    if (answerType === JSON_TYPE && !pool.hasWorkers) {
      return answerParsed(input, await body.parse(body.bytes));
    }
    const versionId = await versionOf(input).catch(async (error) => {
      // A fault of the body is told before one of the address, as for smaller bodies.
      await body.parse(body.bytes);
      throw error;
    });
    const options = answerOptions(JSON_TYPE, answerType, query);
    const request = { caller, versionId, options, closed };
    const kind = { isStream: false, areLines: options.to === 'ndjson' };
    const events = await answerWhole(pool, request, [body.bytes], () => body.release());
    if (events) {
      return reply({ status: 200, body: byteAnswer(answerType, events, kind, count) });
    }
    const parsed = await body.parse(body.bytes);
    if (answerType === JSON_TYPE) return answerParsed(input, parsed);
    const [rows, at] = rowsOf(parsed);
    await checkRows(await predictorOf(input), rows, at, query.unknown);
    const again = await answerWhole(pool, request, writeRows(rows));
    if (!again) throw new Error('The rows were declined as they were written');
    return reply({ status: 200, body: byteAnswer(answerType, again, kind, count) });
  };

  const answerStream = async (input: Input<'predict'>, body: Readable) => {
    const { query, mediaType, answerType, caller, closed, reply } = input;
    const versionId = await versionOf(input);
    const options = answerOptions(mediaType, answerType, query);
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
      return body instanceof UnparsedJson ? answerRaw(input, body) : answerParsed(input, body);
    },
  };
}

/** Returns the rows of a body, and where they are, as a JSON pointer. */
function rowsOf(body: PredictBody): [rows: readonly unknown[], at: string] {
  return Array.isArray(body) ? [body, '/body'] : [body.data, '/body/data'];
}

/** Throws the problem of a model of the caller's that does not exist, or that nothing answers for yet. */
export async function refuseUnserved(
  store: Store,
  predictors: Predictors,
  caller: Caller,
  projectName: string,
  name: string,
): Promise<void> {
  const serving = () => predictors.servingVersion(caller.owner, projectName, name);
  if ((await serving()) === undefined) {
    await whyNotServing(store, serving, caller, projectName, name);
  }
}

/** Returns what serves a model by now, or throws the problem that nothing does. */
async function whyNotServing<T>(
  store: Store,
  serving: () => T | Promise<T | undefined>,
  caller: Caller,
  projectName: string,
  name: string,
): Promise<T> {
  const project = await findProject(store, caller, projectName);
  const numbered = numberedName(name);
  const model = await store.models.find(project.id, name);
  const isVersion = !model && numbered !== undefined;
  const asked = isVersion
    ? await findVersion(store, project, numbered.name, numbered.version)
    : (model ?? (await findModel(store, project, name)));
  // It may have become ready, or been replaced, between the two.
  const served = await serving();
  if (served === undefined) throw isVersion ? versionNotReady(asked) : notReady(asked);
  return served;
}

import {
  type AnswerOptions,
  type AnswerPart,
  type AnyPredictor,
  answerParsedRows,
  answerRows,
  createPredictorInSteps,
  DeclinedError,
  decodeModelInSteps,
  type Pause,
  type RememberedPart,
  runSteps,
  UnknownNamesError,
} from 'roster-prediction/predicting';
import { LruCache } from '../../common/lru-cache.js';
import type { StoredModel } from '../serving-version.js';
import { bodyProblem, type FoundRows, findRows, unknownNames } from './row-warnings.js';

/**
 * The details of a job that answers a body. If the process asks for the model, the input begins with the model's
 * artifact and its training rows; the body follows.
 */
export interface AnswerJob {
  readonly versionId: string;
  readonly options: AnswerOptions;
  /** True if the body is JSON that was declined and then found valid: its rows are read as objects. */
  readonly isValid: boolean;
  /**
   * True if the rows of the answer are predicted once the service has counted them, where their number is known:
   * `END_OF_BODY` follows the body, and `MAY_ANSWER` the count.
   */
  readonly awaitsCount: boolean;
}

/** Pieces of the input that are signals, not bytes of the body. */
export const END_OF_BODY = new Uint8Array();
export const MAY_ANSWER = new Uint8Array();

/** An event of such a job. Its data are the bytes of the answer. */
export type AnswerEvent =
  /** True if the worker has the model. If not, it is the first two pieces of the input. */
  | { readonly kind: 'model'; readonly isLoaded: boolean }
  /** The number of rows in the bytes that follow. */
  | { readonly kind: 'rows'; readonly rows: number }
  /** The promises in the bytes that follow: the batch, and behind it the hashes of its ids. */
  | (Omit<RememberedPart, 'promises' | 'ids'> & { readonly idBytes: number })
  | Exclude<AnswerPart, { readonly kind: 'bytes' | 'promises' }>;

/**
 * Answers the rows of one body.
 * @param body its bytes, or its rows
 * @param take takes the parts of the answer, in order
 * @param pause called between two slices of work, if others wait for their turn
 * @returns whether they were answered; else nothing was, and the body is to be validated as a whole
 * @throws {ProblemError} if the rows are at fault
 * @throws the error of the body, of `take`, or of the service
 */
export async function answerBody(
  predictor: AnyPredictor,
  body: AsyncIterable<Uint8Array> | FoundRows,
  { options, isValid }: Pick<AnswerJob, 'options' | 'isValid'>,
  take: (part: AnswerPart) => Promise<void> | void,
  pause?: Pause,
): Promise<boolean> {
  let at = '/body';
  const { adapted } = options;
  const server = adapted ? predictor.adapt(adapted) : predictor;
  try {
    let parts: AsyncGenerator<AnswerPart>;
    if ('rows' in body || isValid) {
      const parsed = 'rows' in body ? body : findRows(JSON.parse(await readText(body)));
      at = parsed.at;
      parts = answerParsedRows(server, parsed.rows, options, pause);
    } else parts = answerRows(server, body, options, pause);
    for await (const part of parts) await take(part);
    return true;
  } catch (error) {
    if (error instanceof DeclinedError) return false;
    if (!(error instanceof UnknownNamesError)) throw bodyProblem(error, at);
    // Where the rows of JSON are is known when it is read as a whole.
    if (options.from === 'json') return false;
    throw unknownNames(error.names, (row) => `/body/${row}`);
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** The most trained models in memory. Others are loaded again when they are needed. */
const MAX_LOADED = 64;

/** Trained models that are ready to answer, by their versions. */
export class ModelCache extends LruCache<AnyPredictor> {
  /** @param maxBytes about how many bytes they may take together */
  constructor(private readonly maxBytes: number) {
    super({ maxEntries: MAX_LOADED, maxSize: maxBytes });
  }

  /** Returns a model, which takes more memory once its contributions were asked for. */
  override get(versionId: string): AnyPredictor | undefined {
    const predictor = super.get(versionId);
    if (predictor) this.resize(versionId, Math.min(predictor.memoryBytes, this.maxBytes));
    return predictor;
  }

  /** @param pause called between two steps, for others to work */
  async load(versionId: string, { artifact, seenRows }: StoredModel, pause: Pause): Promise<AnyPredictor> {
    const model = await runSteps(decodeModelInSteps(artifact), pause);
    const predictor = await runSteps(createPredictorInSteps(model, seenRows ?? undefined), pause);
    this.set(versionId, predictor, Math.min(predictor.memoryBytes, this.maxBytes));
    return predictor;
  }
}

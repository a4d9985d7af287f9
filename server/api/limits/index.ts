import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Config } from '../../config.js';
import type { Operation, Pool } from '../../contract/document.js';
import { type Throttle, throttleConnections } from '../../edge/connections.js';
import { isColumnar, isRowStream, mediaType, withoutQuery } from '../../edge/request.js';
import { SendBufferLimit } from '../../edge/responses.js';
import type { ProblemError } from '../../problems/problem.js';
import type { BodyBudget } from '../body/buffer-body.js';
import type { LimitStages } from '../router.js';
import { BodyMemory } from './body-memory.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { limitRate } from './rate-limit.js';
import { limitStreams } from './stream-limit.js';

/** The most bytes of bodies in memory at once; parsed values take several times as much. */
const BODY_MEMORY = 128 * 1024 * 1024;

/** The maximum streams at once. One of text holds at most two lines of 1 MiB, so its bytes need no counting. */
const MAX_STREAMS = 8;

/** The maximum of these that are Arrow or Parquet, each of which may hold 256 MiB in its process. */
const MAX_COLUMN_STREAMS = 3;

/** Keeps callers, even hostile ones, from blocking the service for others. */
export interface Limits {
  readonly stages: (operation: Operation) => LimitStages;
  readonly bodyBudget: BodyBudget;
  readonly throttle: Throttle;
  /**
   * Returns the problem of a request for which there is no place, judged by its request line and
   * headers.
   */
  readonly refusalOf: (req: IncomingMessage) => ProblemError | undefined;
}

/**
 * @param config the most requests per key and minute (0 for no limit), and the most answers of
 *   agents at once
 * @param operations the operations of the contract
 */
export function limits(
  { rateLimit, maxAnswers }: Pick<Config, 'rateLimit' | 'maxAnswers'>,
  operations: readonly Operation[],
): Limits {
  const throttle = throttleConnections();
  const rate = limitRate(rateLimit, throttle);
  const unread = new SendBufferLimit();
  const concurrency = (what: string, atOnce: number, waiting: number) =>
    new ConcurrencyLimit({ what, atOnce, waiting }, throttle, unread);
  const pools: Readonly<Record<Exclude<Pool, 'answers'>, ConcurrencyLimit>> = {
    predictions: concurrency('predictions', 1, 35),
    tables: concurrency('tables', 4, 32),
    requests: concurrency('requests', 32, 608),
  };
  const streams = limitStreams('streams', MAX_STREAMS, throttle);
  const columnStreams = limitStreams(
    'bodies of Arrow and Parquet to predict',
    MAX_COLUMN_STREAMS,
    throttle,
  );
  const streamSlot: RequestHandler = (req, res, next) => {
    const takeSlot = () => streams(req, res, next);
    if (isColumnar(mediaType(req))) columnStreams(req, res, takeSlot);
    else takeSlot();
  };
  // An answer waits for a chat server most of the time, and uses little of the processor.
  const answers = limitStreams('answers of agents', maxAnswers, throttle);
  const isPrediction = matcher(operations.filter(({ pool }) => pool === 'predictions'));
  return {
    stages: ({ isOpen, pool }) => {
      // Health checks have no limits, so that they work under any load.
      if (isOpen) return { onArrival: [], beforeWork: [] };
      if (pool === 'answers') return { onArrival: [...rate, answers], beforeWork: [] };
      const { reserve, run } = pools[pool];
      if (pool !== 'predictions') {
        return { onArrival: [...rate, reserve], beforeWork: [run] };
      }
      return {
        onArrival: [...rate, eitherOf(streamSlot, reserve)],
        beforeWork: [eitherOf((_req, _res, next) => next(), run)],
      };
    },
    bodyBudget: new BodyMemory(BODY_MEMORY),
    throttle,
    // There can be so many predictions that refusing one must cost less than running it.
    refusalOf: (req) =>
      isPrediction(req) && !isStream(req) ? pools.predictions.refusal : undefined,
  };
}

/** Returns whether a request is for one of the given operations, judged by its request line. */
function matcher(operations: readonly Operation[]): (req: IncomingMessage) => boolean {
  const patterns = operations.map(({ method, path }) => ({
    method: method.toUpperCase(),
    address: new RegExp(`${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }));
  return ({ method, url = '' }) =>
    patterns.some((one) => one.method === method && one.address.test(withoutQuery(url)));
}

function isStream(req: IncomingMessage): boolean {
  return isRowStream(mediaType(req));
}

function eitherOf(ofStreams: RequestHandler, ofOthers: RequestHandler): RequestHandler {
  return (req, res, next) => (isStream(req) ? ofStreams : ofOthers)(req, res, next);
}

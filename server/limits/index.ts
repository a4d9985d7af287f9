import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Operation } from '../contract/document.js';
import { LINES_TYPE, mediaType } from '../http/media-type.js';
import { withoutQuery } from '../http/request-target.js';
import type { BodyBudget } from '../pipeline/body/buffer-body.js';
import type { OperationId } from '../pipeline/handlers.js';
import type { LimitStages } from '../pipeline/router.js';
import type { ProblemError } from '../problems/problem.js';
import { BodyMemory } from './body-memory.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { limitRate } from './rate-limit.js';
import { limitStreams } from './stream-limit.js';
import { type Throttle, throttleConnections } from './throttle-connection.js';
import { UnreadAnswers } from './unread-answers.js';

/** Bodies that are in memory at once, in bytes: what is parsed from them takes several times as much. */
const BODY_MEMORY = 128 * 1024 * 1024;

/** Streams that are answered at once. Each holds two lines of 1 MiB at most, which bounds them without counting. */
const STREAMS = 8;

/** Keeps many callers, and hostile ones, from taking the service away from the others. */
export interface Limits {
  readonly stages: (operation: Operation) => LimitStages;
  readonly bodyBudget: BodyBudget;
  readonly throttle: Throttle;
  /** The problem of a request for which there is no place, as far as its first line and its headers tell. */
  readonly refusalOf: (req: IncomingMessage) => ProblemError | undefined;
}

/** A prediction, by its path: there can be so many that refusing them must not cost what they do. */
const PREDICT = /\/models\/[^/]+\/predict\/?$/;

/** @param rateLimit how many requests a key may send in a minute; 0 for no limit */
export function limits(rateLimit: number): Limits {
  const throttle = throttleConnections();
  const rate = limitRate(rateLimit, throttle);
  const unread = new UnreadAnswers();
  const concurrency = (what: string, atOnce: number, waiting: number) =>
    new ConcurrencyLimit({ what, atOnce, waiting }, throttle, unread);
  const predictions = concurrency('predictions', 1, 35);
  const limits: { readonly [O in OperationId]?: ConcurrencyLimit } = {
    predict: predictions,
    trainModel: concurrency('tables', 4, 32),
  };
  const streams = limitStreams(STREAMS, throttle);
  const others = concurrency('requests', 32, 608);
  return {
    stages: ({ id, scope }) => {
      // Health is answered however much there is to do.
      if (scope === undefined) return { onArrival: [], beforeWork: [] };
      const { reserve, run } = limits[id as OperationId] ?? others;
      if (id !== 'predict') return { onArrival: [...rate, reserve], beforeWork: [run] };
      return {
        onArrival: [...rate, eitherOf(streams, reserve)],
        beforeWork: [eitherOf((_req, _res, next) => next(), run)],
      };
    },
    bodyBudget: new BodyMemory(BODY_MEMORY),
    throttle,
    refusalOf: (req) =>
      req.method === 'POST' && PREDICT.test(withoutQuery(req.url ?? '')) && !isStream(req)
        ? predictions.refusal
        : undefined,
  };
}

function isStream(req: IncomingMessage): boolean {
  return mediaType(req) === LINES_TYPE;
}

function eitherOf(ofStreams: RequestHandler, ofOthers: RequestHandler): RequestHandler {
  return (req, res, next) => (isStream(req) ? ofStreams : ofOthers)(req, res, next);
}

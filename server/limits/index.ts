import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Operation } from '../contract/document.js';
import type { OperationId } from '../contract/handlers.js';
import { LINES_TYPE, mediaType } from '../contract/media-type.js';
import type { ProblemError } from '../contract/problems.js';
import type { Passage } from '../contract/router.js';
import { Room } from './admission.js';
import { boundBodyMemory } from './body-memory.js';
import { limitRate } from './rate-limit.js';
import { roomForStreams } from './stream-room.js';

/** Bodies that are held at once, in bytes: what is parsed from them takes several times as much. */
const BODY_MEMORY = 128 * 1024 * 1024;

/** Streams that are answered at once. Each holds two lines of 1 MiB at most, which bounds them without counting. */
const STREAMS = 8;

/** What keeps many callers, and hostile ones, from taking the service away from the others. */
export interface Limits {
  readonly passage: (operation: Operation) => Passage;
  /** The problem of a request for which there is no room, as far as its first line tells. */
  readonly refusalOf: (req: IncomingMessage) => ProblemError | undefined;
}

/** A prediction, by its target: there can be so many that refusing them must not cost what they do. */
const PREDICT = /\/models\/[^/]+\/predict\/?(\?|$)/;

/** @param rateLimit how many requests a key may send in a minute; 0 for no limit */
export function limits(rateLimit: number): Limits {
  const rate = limitRate(rateLimit);
  const bodies = boundBodyMemory(BODY_MEMORY);
  const predictions = new Room({ what: 'predictions', atOnce: 1, waiting: 35 });
  const rooms: { readonly [O in OperationId]?: Room } = {
    predict: predictions,
    trainModel: new Room({ what: 'tables', atOnce: 4, waiting: 32 }),
  };
  const streams = roomForStreams(STREAMS);
  const others = new Room({ what: 'requests', atOnce: 32, waiting: 608 });
  return {
    passage: ({ id, scope, readsLater }) => {
      // Whoever watches over the service is answered however much there is to do.
      if (scope === undefined) return { onArrival: [], beforeWork: [] };
      const { door, enter } = rooms[id as OperationId] ?? others;
      // What is read later is not held: it waits in the network until it is.
      const held = readsLater ? [] : [bodies];
      if (id !== 'predict') return { onArrival: [...rate, door, ...held], beforeWork: [enter] };
      return {
        onArrival: [...rate, eitherOf(streams, door), unlessStream(bodies)],
        beforeWork: [unlessStream(enter)],
      };
    },
    refusalOf: (req) =>
      req.method === 'POST' && PREDICT.test(req.url ?? '') && !isStream(req)
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

function unlessStream(handler: RequestHandler): RequestHandler {
  return eitherOf((_req, _res, next) => next(), handler);
}

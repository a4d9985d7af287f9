import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Operation } from '../contract/document.js';
import type { ProblemError } from '../contract/problems.js';
import { admission } from './admission.js';
import { boundBodyMemory } from './body-memory.js';
import { limitRate } from './rate-limit.js';

/** Bodies that are held at once, in bytes: what is parsed from them takes several times as much. */
const BODY_MEMORY = 256 * 1024 * 1024;

/** What the service takes on at once, and what may wait. */
const ROOMS = {
  predict: { what: 'predictions', atOnce: 4, waiting: 64 },
  trainModel: { what: 'tables', atOnce: 4, waiting: 32 },
} as const;
/** The target of a prediction. */
const PREDICT = /\/models\/[^/]+\/predict\/?(\?|$)/;
const OTHERS = { what: 'requests', atOnce: 128, waiting: 512 };

/**
 * Makes what keeps many callers, and hostile ones, from taking the service away from the others.
 * @param rateLimit how many requests a key may send in a minute; 0 for no limit
 */
export function limits(rateLimit: number) {
  const others = admission(OTHERS);
  const rooms = new Map(Object.entries(ROOMS).map(([id, room]) => [id, admission(room)]));
  return {
    onArrival: [...limitRate(rateLimit), boundBodyMemory(BODY_MEMORY)],
    beforeWork: ({ id, scope }: Operation): RequestHandler[] =>
      // Whoever watches over the service is answered however much there is to do.
      scope === undefined ? [] : [(rooms.get(id) ?? others).admit],
    /** The problem of a request for which there is no room, as far as its target tells. */
    refusalOf: ({ method, url = '' }: IncomingMessage): ProblemError | undefined => {
      const room = method === 'POST' && PREDICT.test(url) ? rooms.get('predict') : undefined;
      return room?.isFull() ? room.refusal() : undefined;
    },
  };
}

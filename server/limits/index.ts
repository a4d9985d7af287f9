import type { IncomingMessage } from 'node:http';
import type { Operation } from '../contract/document.js';
import type { OperationId } from '../contract/handlers.js';
import type { ProblemError } from '../contract/problems.js';
import type { Passage } from '../contract/router.js';
import { Room } from './admission.js';
import { boundBodyMemory } from './body-memory.js';
import { limitRate } from './rate-limit.js';

/** Bodies that are held at once, in bytes: what is parsed from them takes several times as much. */
const BODY_MEMORY = 128 * 1024 * 1024;

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
  const others = new Room({ what: 'requests', atOnce: 32, waiting: 608 });
  return {
    passage: ({ id, scope, readsLater }) => {
      // Whoever watches over the service is answered however much there is to do.
      if (scope === undefined) return { onArrival: [], beforeWork: [] };
      const { door, enter } = rooms[id as OperationId] ?? others;
      // What is read later is not held: it waits in the network until it is.
      const held = readsLater ? [] : [bodies];
      return { onArrival: [...rate, door, ...held], beforeWork: [enter] };
    },
    refusalOf: ({ method, url = '' }) =>
      method === 'POST' && PREDICT.test(url) ? predictions.refusal : undefined,
  };
}

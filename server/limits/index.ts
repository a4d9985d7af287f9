import type { RequestHandler } from 'express';
import type { Operation } from '../contract/document.js';
import type { OperationId } from '../contract/handlers.js';
import { Room } from './admission.js';
import { boundBodyMemory } from './body-memory.js';
import { limitRate } from './rate-limit.js';

/** Bodies that are held at once, in bytes: what is parsed from them takes several times as much. */
const BODY_MEMORY = 128 * 1024 * 1024;

/** What a request goes through: on its arrival, and when its body is there. */
export interface Passage {
  readonly onArrival: readonly RequestHandler[];
  readonly beforeWork: readonly RequestHandler[];
}

/**
 * Makes what keeps many callers, and hostile ones, from taking the service away from the others.
 * @param rateLimit how many requests a key may send in a minute; 0 for no limit
 */
export function limits(rateLimit: number): (operation: Operation) => Passage {
  const rate = limitRate(rateLimit);
  const bodies = boundBodyMemory(BODY_MEMORY);
  const rooms: { readonly [O in OperationId]?: Room } = {
    predict: new Room({ what: 'predictions', atOnce: 4, waiting: 32 }),
    trainModel: new Room({ what: 'tables', atOnce: 4, waiting: 32 }),
  };
  const others = new Room({ what: 'requests', atOnce: 128, waiting: 512 });
  return ({ id, scope }) => {
    // Whoever watches over the service is answered however much there is to do.
    if (scope === undefined) return { onArrival: [], beforeWork: [] };
    const { door, enter } = rooms[id as OperationId] ?? others;
    return { onArrival: [...rate, door, bodies], beforeWork: [enter] };
  };
}

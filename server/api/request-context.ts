import type { Request, Response } from 'express';
import type { Sunset } from '../../contract/deprecations.js';
import type { Operation } from '../../contract/document.js';
import type { Caller } from '../auth/caller.js';
import type { Resource } from '../auth/resource.js';
import type { Reservation, Slot } from '../common/fair-gate.js';
import type { BodyShare, SendBufferLimit } from './limits/memory.js';

/** The facts about a request, in the order in which they become known; the type of `res.locals`. */
export interface RequestContext {
  requestId?: string;
  /** The trace that the request is part of, 32 hexadecimal digits, if it is part of one. */
  traceId?: string;
  /** The prefix before the path of the contract: '' or a path such as '/api'. */
  base?: string;
  params?: Record<string, string>;
  operation?: Operation;
  /** The resource that a token of OAuth has to be for, if one can be good. */
  resource?: Resource | undefined;
  /** The media type of the response, where the header Accept asks for one. */
  answerType?: string;
  /** The end of what the request uses, if that is deprecated; the earliest of several. */
  sunset?: Sunset;
  caller?: Caller;
  bodyShare?: BodyShare;
  reservation?: Reservation;
  slot?: Slot;
  /** Limits the memory of answers that wait for their readers. */
  unread?: SendBufferLimit;
  /** The validated query parameters, converted to the types of the contract. */
  query?: Request['query'];
}

declare module 'express-serve-static-core' {
  interface Locals extends RequestContext {}
}

/** A step of a request. It throws, or rejects with, the problem of one that it refuses. */
export type Step = (req: Request, res: Response) => Promise<void> | void;

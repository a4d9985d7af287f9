import type { Request } from 'express';
import type { Caller } from '../auth/caller.js';
import type { BodyShare } from './body/buffer-body.js';
import type { WorkTurn } from './work-turn.js';

/** The facts about a request, in the order in which they become known. It is `res.locals`. */
export interface RequestContext {
  /** The id by which the request is found in the log. */
  requestId?: string;
  /** The prefix before the path of the contract: '' or such as '/api'. */
  base?: string;
  /** The parameters of the path. */
  params?: Record<string, string>;
  /** The operation that the request asks for. */
  operationId?: string;
  /** The path of the operation, as the contract writes it. */
  route?: string;
  /** Who sends the request. */
  caller?: Caller;
  /** The memory that the body takes. */
  bodyShare?: BodyShare;
  /** The place of the request among those that are worked on. */
  turn?: WorkTurn;
  /** The parameters of the query, each of the type that the contract says, once they are accepted. */
  query?: Request['query'];
  /** The error of a request that failed ahead of Express's router. */
  thrown?: unknown;
}

declare module 'express-serve-static-core' {
  interface Locals extends RequestContext {}
}

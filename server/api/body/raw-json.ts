import type { RequestHandler } from 'express';
import { freeMemory } from '../../common/free-memory.js';
import { compose } from '../../edge/express-bypass.js';
import { JSON_TYPE, mediaType } from '../../edge/request.js';
import { pauseWork } from '../work-turn.js';

/** A JSON body that the handler gets as bytes (`x-roster-raw-json`). Query and address are valid. */
export class RawJson<T> {
  declare readonly content: T;

  /**
   * @param parse parses and validates a body of these bytes; throws the problem of an invalid one
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly parse: (bytes: Uint8Array) => Promise<T>,
  ) {}

  /** Frees the memory of the body, which nobody reads any more. */
  release(): void {
    freeMemory(this.bytes);
  }
}

/** The size from which another process answers sooner than the main loop, in bytes. */
const MIN_RAW = 32 * 1024;

/** Stands for the rows while the rest of a request is checked. */
const NO_ROWS: readonly unknown[] = [];

/**
 * Returns the middleware that checks requests, and leaves JSON unparsed that is large or answered in
 * another format. If the rest of such a request is invalid, all of it is checked, so that the
 * problem lists all faults.
 * @param checks parse and validate a request
 */
export function leaveRawJson(checks: readonly RequestHandler[]): RequestHandler {
  const check = compose(checks);
  return (req, res, next) => {
    const bytes: unknown = req.body;
    const isJson = Buffer.isBuffer(bytes) && mediaType(req) === JSON_TYPE;
    if (!isJson || (bytes.length < MIN_RAW && res.locals.answerType === JSON_TYPE)) {
      return check(req, res, next);
    }
    const parse = async (body: Uint8Array): Promise<unknown> => {
      await pauseWork(res);
      req.body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      await new Promise<void>((resolve, reject) => {
        check(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
      });
      return req.body;
    };
    req.body = NO_ROWS;
    return check(req, res, (error?: unknown) => {
      if (error === undefined) {
        req.body = new RawJson(bytes, parse);
        // Another process works on it.
        res.locals.turn?.pause();
        return next();
      }
      req.body = bytes;
      return check(req, res, next);
    });
  };
}

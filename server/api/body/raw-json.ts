import { freeMemory } from '../../common/free-memory.js';
import { JSON_TYPE, mediaType } from '../../edge/request.js';
import type { Step } from '../request-context.js';
import { pauseWork } from '../work-slot.js';

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
 * Returns a check that leaves JSON unparsed that is large or answered in another format. If the rest of
 * such a request is invalid, all of it is checked, so that the problem lists all faults.
 * @param check parses and validates a request
 */
export function deferLargeJson(check: Step): Step {
  return async (req, res) => {
    const bytes: unknown = req.body;
    const isJson = Buffer.isBuffer(bytes) && mediaType(req) === JSON_TYPE;
    if (!isJson || (bytes.length < MIN_RAW && res.locals.answerType === JSON_TYPE)) {
      return check(req, res);
    }
    const parse = async (body: Uint8Array): Promise<unknown> => {
      await pauseWork(res);
      req.body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      await check(req, res);
      return req.body;
    };
    req.body = NO_ROWS;
    try {
      await check(req, res);
    } catch {
      req.body = bytes;
      return check(req, res);
    }
    req.body = new RawJson(bytes, parse);
    // Another process works on it.
    res.locals.slot?.pause();
  };
}

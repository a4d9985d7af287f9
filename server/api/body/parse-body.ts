import { isUtf8 } from 'node:buffer';
import type { Request, Response } from 'express';
import { MAX_NESTING, nestsDeeperThan, someChild } from 'roster-prediction/text';
import type { Contract, Operation } from '../../../contract/document.js';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { FORM_TYPE } from '../../../contract/operations.js';
import { escapeToken } from '../../../contract/pointer.js';
import { freeMemory } from '../../common/free-memory.js';
import { pausing } from '../../common/pausing.js';
import { JSON_TYPE, mediaType } from '../../edge/request.js';
import { type FieldError, invalidRequest, MAX_ERRORS, malformedBody } from '../../problems/problem.js';
import { cutName } from '../../problems/shown-text.js';
import { announceDeprecations } from '../deprecation.js';
import { pauseWork } from '../limits/index.js';
import type { Step } from '../request-context.js';
import { malformedJson, parseSliced, type RowsPlace } from './sliced-json.js';

/**
 * Returns the step that parses the bytes of JSON in `req.body`, and checks its bounds before
 * anything else visits it. Text is decoded. Streams are left alone.
 */
export function parseBody(contract: Contract, operation: Operation): Step {
  const place = findRows(contract, operation);
  const refuse = createBoundsCheck(contract, operation);
  const hasDeprecations = operation.deprecations.some((part) => part.in === 'body');
  const accept = (body: unknown, res: Response, areFinite = false) => {
    res.req.body = body;
    refuse(body, areFinite);
    if (hasDeprecations) announceDeprecations(operation, { body }, res);
  };
  return (req, res) => {
    const { body } = req;
    const type = mediaType(req);
    if (!Buffer.isBuffer(body)) return;
    if (type === FORM_TYPE) return accept(parseForm(body), res);
    if (type !== JSON_TYPE) {
      req.body = decodeText(type, body);
      return;
    }
    if (body.length <= SHORT) {
      // An empty body counts as an empty object; validation reports the missing fields.
      const parsed = body.length === 0 ? {} : parseJson(body);
      if (nestsDeeperThan(MAX_NESTING, parsed)) {
        // Serializing it would overflow the stack.
        throw invalidRequest([{ pointer: '/body', message: `must not nest deeper than ${MAX_NESTING} levels` }]);
      }
      accept(parsed, res);
      return;
    }
    const pause = pausing(async () => {
      await pauseWork(res);
      // Nobody waits for the answer to a caller who has disconnected.
      if (req.socket.destroyed) await new Promise(() => {});
    });
    return parseSliced(body, place, pause).then(async (parsed) => {
      accept(parsed, res, await isFiniteArray(parsed, pause));
      // Yields, because validating and storing the body take additional time.
      return pauseWork(res);
    });
  };
}

/** The size up to which JSON.parse takes at most a few milliseconds for any content, in bytes. */
const SHORT = 16 * 1024;

/** @throws {ProblemError} if the bytes are not JSON in UTF-8 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformedBody('The body is not UTF-8.');
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw malformedJson(error);
  }
}

/**
 * Parses a form (WHATWG URL, section 5.1) by the rules of OAuth (RFC 6749, section 3.2): a parameter comes once, and one
 * without a value is as good as none.
 * @throws {ProblemError} if a parameter comes twice
 */
function parseForm(bytes: Buffer): Record<string, string> {
  if (!isUtf8(bytes)) throw malformedBody('The body is not UTF-8.');
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(bytes.toString())) {
    if (fields.has(name)) {
      const pointer = `/body/${escapeToken(name)}`;
      throw invalidRequest([{ pointer, message: 'must not come twice' }]);
    }
    fields.set(name, value);
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''));
}

/**
 * A JSON body that the handler gets with its bytes (`x-roster-raw-json`). Query, address and parsed value are valid.
 */
export class RawJson<T> {
  declare readonly content: T;

  /**
   * @param parsed undefined for a body that is left to another process
   * @param parse parses and validates these bytes; throws the problem of an invalid body
   * @param leave lets other requests run while another process answers this one
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly parsed: T | undefined,
    readonly parse: () => Promise<T>,
    readonly leave: () => void,
  ) {}

  release(): void {
    freeMemory(this.bytes);
  }
}

/** Stands for the rows while the rest of a request is checked. */
const NO_ROWS: readonly unknown[] = [];

/** Decides whether JSON of a size, in bytes, stays unparsed if it is to be answered with a media type. */
export type DefersJson = (bytes: number, answerType: string) => boolean;

/**
 * Returns a check that keeps the bytes of JSON, and parses them unless they are deferred. If the rest of a deferred
 * request is invalid, its body is checked, too, so that the problem lists all faults.
 * @param check parses and validates a request
 */
export function keepRawJson(check: Step, defers: DefersJson): Step {
  const keep = (req: Request, res: Response, bytes: Buffer, isParsed: boolean) => {
    const parse = async (): Promise<unknown> => {
      await pauseWork(res);
      req.body = bytes;
      await check(req, res);
      return req.body;
    };
    const leave = () => res.locals.slot?.pause();
    req.body = new RawJson(bytes, isParsed ? req.body : undefined, parse, leave);
  };
  const defer = async (req: Request, res: Response, bytes: Buffer) => {
    req.body = NO_ROWS;
    try {
      await check(req, res);
    } catch {
      req.body = bytes;
      await check(req, res);
      return keep(req, res, bytes, true);
    }
    keep(req, res, bytes, false);
  };
  return (req, res) => {
    const bytes: unknown = req.body;
    if (!Buffer.isBuffer(bytes) || mediaType(req) !== JSON_TYPE) return check(req, res);
    if (defers(bytes.length, res.locals.answerType ?? '')) return defer(req, res, bytes);
    const checked = check(req, res);
    if (checked) return checked.then(() => keep(req, res, bytes, true));
    keep(req, res, bytes, true);
  };
}

/**
 * Returns a check that refuses parsed bodies that cost too much to validate or cannot be stored unchanged. These are
 * arrays longer than the contract allows, since validation would still visit every element, and, in bodies that are
 * stored, numbers outside the range of a double. Callers that have found none of the latter say so.
 */
function createBoundsCheck(contract: Contract, operation: Operation): (body: unknown, areFinite: boolean) => void {
  const isStored = Number.isFinite(operation.maxBody);
  const limits = arrayLimits(contract, operation.bodySchema, []);
  return (body, areFinite) => {
    const errors: FieldError[] = [];
    for (const { path, max } of limits) {
      if (arrayLength(body, path) <= max) continue;
      const pointer = ['/body', ...path].join('/');
      errors.push({ pointer, message: `must have at most ${max} items` });
    }
    if (isStored && !areFinite && hasInfiniteNumber(body)) errors.push(...infiniteNumbers(body));
    if (errors.length > 0) throw invalidRequest(errors);
  };
}

/** Returns the place of the rows in the bodies of an operation that takes an array of any length. */
function findRows({ alternatives }: Contract, { bodySchema }: Operation): RowsPlace | undefined {
  const isArray = ({ type }: JsonRecord) => type === 'array';
  const forms = alternatives(bodySchema);
  const array = forms.find(isArray);
  if (!array) return undefined;
  const [member] =
    forms
      .flatMap(({ properties }) => Object.entries(asRecord(properties)))
      .find(([, field]) => alternatives(field).some(isArray)) ?? [];
  return { member, maxRows: Number(array['maxItems'] ?? Number.POSITIVE_INFINITY) };
}

/** The most items of an array in a body, found at these names of members. */
interface ArrayLimit {
  readonly path: readonly string[];
  readonly max: number;
}

function arrayLimits(contract: Contract, schema: unknown, path: readonly string[]): ArrayLimit[] {
  const alternatives = contract.alternatives(schema);
  const bounds = alternatives.map(({ maxItems }) => maxItems).filter(Number.isInteger);
  const members = alternatives.flatMap(({ properties }) => Object.entries(asRecord(properties)));
  return [
    ...(bounds.length > 0 ? [{ path, max: Math.max(...bounds.map(Number)) }] : []),
    ...members.flatMap(([name, member]) => arrayLimits(contract, member, [...path, name])),
  ];
}

/** Returns the length of the array at a path; 0 if there is none. */
function arrayLength(body: unknown, path: readonly string[]): number {
  let value = body;
  for (const name of path) {
    if (Array.isArray(value) || !Object.hasOwn(asRecord(value), name)) return 0;
    value = asRecord(value)[name];
  }
  return Array.isArray(value) ? value.length : 0;
}

function infiniteNumbers(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  // Returns whether there are enough errors. The pointer is built only if there is such a number.
  const visit = (value: unknown, pointer: () => string): boolean => {
    if (typeof value === 'object' && value !== null) {
      // Written once for all faults below it.
      let own: string | undefined;
      return someChild(value, (child, name) =>
        visit(child, () => {
          own ??= pointer();
          return `${own}/${escapeToken(cutName(String(name)))}`;
        }),
      );
    }
    if (!hasInfiniteNumber(value)) return false;
    const message = 'must be within the range of a double, which ends at about 1.8e308';
    errors.push({ pointer: pointer(), message });
    // One more than a response lists, so that it can say that there are more.
    return errors.length > MAX_ERRORS;
  };
  visit(body, () => '/body');
  return errors;
}

/** Returns whether JSON is an array whose numbers are all within the range of a double. */
async function isFiniteArray(value: unknown, pause: () => Promise<void>): Promise<boolean> {
  if (!Array.isArray(value)) return false;
  for (const item of value) {
    if (hasInfiniteNumber(item)) return false;
    await pause();
  }
  return true;
}

function hasInfiniteNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && someChild(value, hasInfiniteNumber);
}

/** A body of text, decoded from UTF-8. */
export class TextBody<MediaType extends string = string> {
  constructor(
    readonly mediaType: MediaType,
    readonly text: string,
  ) {}
}

/**
 * Decodes a body of text from UTF-8, and drops a byte order mark.
 * @throws {ProblemError} if it is not UTF-8, or contains U+0000, which PostgreSQL cannot store
 */
function decodeText(mediaType: string, bytes: Buffer): TextBody {
  if (!isUtf8(bytes)) {
    const at = validLength(bytes);
    throw malformedBody(`The body is not UTF-8: byte ${at + 1} is not part of a character. Convert the text to UTF-8.`);
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const message = `must not contain the character U+0000, as byte ${nul + 1} does`;
    throw invalidRequest([{ pointer: '/body', message }]);
  }
  return new TextBody(mediaType, new TextDecoder().decode(bytes));
}

/**
 * Returns the number of bytes before the first that is not part of a character of UTF-8, by halving:
 * a body of nothing but such bytes must not cost more than another.
 */
function validLength(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (wholeCharacters(bytes, middle) === undefined) high = middle - 1;
    else low = middle;
  }
  return wholeCharacters(bytes, low) ?? 0;
}

/** Returns the length of the whole characters in a prefix; undefined if it is not valid. */
function wholeCharacters(bytes: Buffer, length: number): number | undefined {
  // A prefix may lack up to three bytes of its last character.
  return [0, 1, 2, 3].map((lacking) => Math.max(length - lacking, 0)).find((whole) => isUtf8(bytes.subarray(0, whole)));
}

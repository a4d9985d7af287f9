import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request } from 'express';
import type { Contract, Operation } from '../../../contract/document.js';
import { FORM_TYPE } from '../../../contract/operations.js';
import { escapeToken } from '../../../contract/pointer.js';
import { pausing } from '../../common/pausing.js';
import { JSON_TYPE, mediaType } from '../../edge/request.js';
import { type FieldError, invalidRequest } from '../../problems/problem.js';
import { pauseWork } from '../limits/index.js';
import type { Step } from '../request-context.js';
import type { RequestChecks } from './schemas.js';

/**
 * Returns the validation of an operation's requests against the contract: address, query, headers and body. It
 * expects a parsed body, and the parameters of the address in `res.locals`.
 *
 * It works in two steps. A fast check accepts most requests in a few microseconds. express-openapi-validator
 * judges the rest, and a third check explains what it refuses. All are large, and loaded when first needed.
 */
export function requestValidation(contract: Contract, bases: readonly string[]): (operation: Operation) => Step {
  const compiler = lazy(async () => (await import('./schemas.js')).requestChecks(contract));
  const fullChecks = lazy(async () => (await import('./full-check.js')).fullChecks(contract, bases));
  return (operation) => {
    let checks: RequestChecks | undefined;
    const compile = lazy(async () => {
      checks = (await compiler())(operation);
    });
    const fullCheck = lazy(async () => {
      const createCheck = await fullChecks();
      // To load the validator and to compile the operation each hold the event loop.
      await nextTurn();
      const check = createCheck(operation);
      await nextTurn();
      return check;
    });
    const isInSlices = hasSeparateItems(contract, operation);
    const validate: Step = (req, res) => {
      const hasQuery = req.url.includes('?');
      if (hasQuery) refuseMisreadQuery(operation, req);
      if (!checks) return compile().then(() => validate(req, res));
      const query = hasQuery ? { ...req.query } : {};
      const explain = () => fullCheck().then((check) => check(req, res));
      if (!acceptParameters(checks, req, res.locals.params ?? {}, query)) return explain();
      const { body }: { body: unknown } = req;
      if (isInSlices && Array.isArray(body) && body.length > ITEMS_AT_ONCE) {
        return acceptItems(checks, body, () => pauseWork(res)).then((isAccepted) => {
          if (!isAccepted) return explain();
          res.locals.query = query;
          return undefined;
        });
      }
      if (!acceptBody(checks, operation, req)) return explain();
      res.locals.query = query;
      return undefined;
    };
    return validate;
  };
}

/**
 * Returns whether the parameters of a request certainly meet the contract. It may be stricter than the validator, which
 * confirms each refusal, but never laxer. So are the checks of the body.
 * @param params the parameters of its address
 * @param sent the parameters of its query as strings; on success, converted to the types of the contract
 */
function acceptParameters(
  { address, query, mayBeEmpty }: RequestChecks,
  req: Request,
  params: Readonly<Record<string, string>>,
  sent: Request['query'],
): boolean {
  if (!address({ path: params, header: req.headers })) return false;
  // The validator treats an empty string as a missing parameter, but for lists of texts.
  const isMissing = ([name, value]: readonly [string, unknown]) => value === '' && !mayBeEmpty.has(name);
  return !Object.entries(sent).some(isMissing) && query({ query: sent });
}

function acceptBody({ body }: RequestChecks, { consumes, defersBody }: Operation, req: Request): boolean {
  const type = consumes.length > 0 && !defersBody ? mediaType(req) : '';
  const isParsed = type === JSON_TYPE || type === FORM_TYPE;
  return !isParsed || body({ body: req.body });
}

/** The number of items of an array that are checked without a pause: each may have ten thousand values. */
const ITEMS_AT_ONCE = 16;

/** Checks a body that is an array of items, and yields to other requests meanwhile. */
async function acceptItems(
  { body }: RequestChecks,
  items: readonly unknown[],
  yieldTurn: () => Promise<void>,
): Promise<boolean> {
  const pause = pausing(yieldTurn);
  for (let begin = 0; begin < items.length; begin += ITEMS_AT_ONCE) {
    if (!body({ body: items.slice(begin, begin + ITEMS_AT_ONCE) })) return false;
    await pause();
  }
  return true;
}

/** The rules of an array that hold for its parts if they hold for the whole. Its length is checked before. */
const SEPARATE: ReadonlySet<string> = new Set(['type', 'description', 'items', 'maxItems']);

/** Returns whether a body can only be an array whose items are checked one by one. */
function hasSeparateItems({ alternatives }: Contract, { bodySchema }: Operation): boolean {
  const [form, ...others] = alternatives(bodySchema);
  if (form?.['type'] !== 'array' || others.length > 0) return false;
  return Object.keys(form).every((rule) => SEPARATE.has(rule));
}

function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}

/** A number as in JSON (RFC 8259, section 6). */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Refuses queries that the validator would misread. It takes `limit[]` and `limit[a]` for `limit`, and accepts for a
 * number anything that JavaScript converts to one, such as `0x10`, ` 5` or infinity.
 */
function refuseMisreadQuery({ numericQuery }: Operation, req: Request): void {
  const errors: FieldError[] = [];
  for (const [name, sent] of Object.entries(req.query)) {
    const pointer = `/query/${escapeToken(name)}`;
    const type = numericQuery.get(name);
    if (name.includes('[')) {
      errors.push({ pointer, message: 'is not a parameter of this operation; leave it out' });
    } else if (type !== undefined && typeof sent === 'string' && !isNumber(sent)) {
      errors.push({ pointer, message: sent === '' ? 'must not be empty' : WORDS[type] });
    }
  }
  if (errors.length > 0) throw invalidRequest(errors);
}

const WORDS = { integer: 'must be a whole number', number: 'must be a number' };

function isNumber(text: string): boolean {
  return NUMBER.test(text) && Number.isFinite(Number(text));
}

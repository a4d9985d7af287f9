import type { Request, RequestHandler, Response } from 'express';
import { type Accepts, acceptance } from './acceptance.js';
import type { Contract, Operation } from './document.js';
import { JSON_TYPE, mediaType } from './media-type.js';
import { validator } from './validator.js';

/** Holds requests against the contract: their address, query, headers and body. */
export interface RequestValidation {
  /**
   * Makes what does so for an operation. It expects the body to be read, and the parameters of the address in
   * `res.locals`.
   */
  readonly of: (operation: Operation) => RequestHandler;
  /**
   * Compiles what has to be known of each operation, between other work; what is not compiled yet is at its
   * first request. A fault of the contract may be found only then.
   * @throws {ContractError} naming the operation whose part of the contract has a fault
   */
  readonly compile: () => Promise<void>;
}

/**
 * Holds requests against the contract in two steps. Most of them are accepted by the first, which takes a few
 * microseconds; whatever is not, the validator looks at, which alone refuses and says why.
 */
export async function requestValidation(contract: Contract): Promise<RequestValidation> {
  const accepts = acceptance(contract);
  const { of, compile } = await validator(contract);
  return {
    of: (operation) => passAccepted(operation, accepts(operation), of(operation)),
    compile: async () => {
      for (const operation of contract.operations) await compile(operation);
    },
  };
}

function passAccepted(
  operation: Operation,
  accepts: Accepts,
  validate: RequestHandler,
): RequestHandler {
  return (req, res, next) =>
    isPlain(operation, req) && accepts(partsOf(req, res)) ? next() : validate(req, res, next);
}

/** Whether a request has nothing that must be read first, as a query is, or that is read later, as a stream is. */
function isPlain({ consumes, readsLater }: Operation, req: Request): boolean {
  if (req.url.includes('?')) return false;
  return consumes.length === 0 || (!readsLater && mediaType(req) === JSON_TYPE);
}

function partsOf({ headers, body }: Request, { locals: { params = {} } }: Response) {
  return { path: params, query: {}, header: headers, body };
}

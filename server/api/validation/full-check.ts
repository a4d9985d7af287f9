import { setImmediate as nextTurn } from 'node:timers/promises';
import { Router } from 'express';
import { BadRequest, OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import type { Contract, Operation } from '../../../contract/document.js';
import { asRecord } from '../../../contract/json-record.js';
import { isText, mediaType } from '../../edge/request.js';
import { invalidRequest } from '../../problems/problem.js';
import type { Step } from '../request-context.js';
import { takeExcerpts } from './excerpt.js';
import { explainFaults } from './faults.js';
import { referencedComponents, takesEmptyText, withItemsInPlace } from './schemas.js';

type Spec = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>;

/**
 * Returns the full check of an operation, by express-openapi-validator. It decides; what it refuses is explained
 * by {@link explainFaults}, because its own errors are sentences, without the parameters of the violated rule.
 */
export function fullChecks(contract: Contract, bases: readonly string[]): (operation: Operation) => Step {
  const takeExcerpt = takeExcerpts(contract);
  return (operation) => {
    const validator = mountValidator(contract, operation, bases);
    let explain: ReturnType<typeof explainFaults> | undefined;
    return async (req, res) => {
      // The validator compiles and caches a check for each Content-Type string, so parameters
      // chosen by callers, or a type without a body, would fill the memory.
      const { headers, body } = req;
      if (headers['content-type'] !== undefined) {
        headers['content-type'] = operation.consumes.length > 0 ? mediaType(req) : undefined;
      }
      const excerpt = takeExcerpt(operation, body, req.query);
      if (excerpt.isShortened) {
        // Express has no setter for `query`. The validator converts its values in place.
        Object.defineProperty(req, 'query', { value: { ...excerpt.query }, configurable: true });
      }
      req.body = excerpt.body;
      const refusal = await new Promise<unknown>((resolve) => validator(req, res, resolve));
      req.body = body;
      if (refusal instanceof BadRequest) {
        if (!explain) {
          // To compile the validator and the explanation each hold the event loop.
          await nextTurn();
          explain = explainFaults(contract, operation);
        }
        throw invalidRequest(explain(req, excerpt, refusal.errors));
      }
      if (refusal !== undefined) throw refusal;
      if (excerpt.isShortened) throw new Error(`${operation.id} took an excerpt`);
    };
  };
}

/**
 * Mounts the validator for one operation in a router of Express. For the whole contract it would take half a second
 * at the first refusal; its loader, which is left out, compiles OpenAPI's own schema each time, even if the document
 * is not to be validated, which holds the event loop for a fifth of a second.
 */
function mountValidator({ document }: Contract, operation: Operation, bases: readonly string[]) {
  const { method, path, parameters } = operation;
  const pathParams = parameters.filter((parameter) => parameter['in'] === 'path');
  // `npm run generate` and `npm run lint:spec` have checked the document.
  const apiDoc = describeRequests(document, operation) as Spec['apiDoc'];
  const validator = new OpenApiValidator({
    apiSpec: apiDoc,
    validateRequests: { allErrors: true },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
  });
  const loaded: Spec = {
    apiDoc,
    basePaths: [...bases],
    routes: bases.map((base) => ({
      basePath: base,
      expressRoute: base + path.replaceAll(/\{(\w+)\}/g, ':$1'),
      openApiRoute: base + path,
      method: method.toUpperCase(),
      pathParams: pathParams.map(({ name }) => String(name)),
    })),
    serial: 0,
  };
  return Router().use(validator.installMiddleware(Promise.resolve(loaded)));
}

/**
 * Returns the part of the contract that describes the requests to an operation. The validator walks the whole
 * document before it compiles an operation, and most of it describes others, and responses.
 */
function describeRequests(document: Contract['document'], { path, method, parameters }: Operation): object {
  const { [method]: operation } = asRecord(document.paths[path]);
  const described = { ...withoutResponses(asRecord(operation)), parameters: [] };
  // It would refuse `,` and `:` in a query that is not encoded, and an empty text of a list, and report no other fault
  // then.
  const all = parameters.map((one) => {
    return one['in'] === 'query'
      ? { ...one, allowReserved: true, allowEmptyValue: takesEmptyText(document, one) }
      : one;
  });
  const paths = { [path]: { parameters: all, [method]: described } };
  const { openapi, info } = document;
  const components = referencedComponents(document, { kind: 'document', pointer: '', value: { paths } });
  // The validator changes it. Items in place are those of the document.
  return structuredClone({ openapi, info, ...asRecord(withItemsInPlace(document, { paths, components })) });
}

/** Accepts any form of a body that the handler validates as it arrives, and of text, which is checked when it is decoded. */
function withoutResponses(operation: object): object {
  const { requestBody } = asRecord(operation);
  const content = asRecord(asRecord(requestBody)['content']);
  const types = Object.keys(content);
  const isOfAnyForm = asRecord(requestBody)['x-roster-deferred-body'] || types.some(isText);
  const anyForm = Object.fromEntries(types.map((type) => [type, { schema: {} }]));
  return {
    ...operation,
    ...(isOfAnyForm ? { requestBody: { ...asRecord(requestBody), content: anyForm } } : {}),
    responses: { default: { description: 'Not part of the request.' } },
  };
}

import { asRecord } from '../../../contract/json-record.js';
import type { components } from '../../../generated/openapi.js';
import { listFaults, type ProblemRendering } from '../../problems/problem.js';

export type JsonRpcError = components['schemas']['McpError'];

/** The codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/**
 * Returns the error of JSON-RPC for a message that breaks the contract; its `data` is the problem.
 * @param message the body as far as it was read, whose `id` the error repeats if it has one
 */
export function errorOfProblem(problem: ProblemRendering, message: unknown): JsonRpcError {
  const { id } = asRecord(message);
  const faults = listFaults(problem)
    .slice(0, MAX_FAULTS)
    .map((fault) => `${fault.pointer} ${fault.message}`)
    .join('; ');
  return {
    jsonrpc: '2.0',
    ...(isId(id) && { id }),
    error: {
      code: problem.type === '/problems/malformed-body' ? PARSE_ERROR : INVALID_REQUEST,
      message: faults === '' ? problem.detail : `${faults}.`,
      data: problem,
    },
  };
}

/** The most faults that a message lists; its data has all. */
const MAX_FAULTS = 10;

/** The longest `id` that is a text, as the contract says. */
const MAX_ID = 200;

function isId(value: unknown): value is string | number {
  return Number.isSafeInteger(value) || (typeof value === 'string' && value.length <= MAX_ID);
}

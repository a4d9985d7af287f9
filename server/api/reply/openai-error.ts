/** The errors that clients of OpenAI's API read: a member `error` of problems below `/v1`. */

import { OPENAI_PATHS } from '../../../contract/operations.js';
import type { components } from '../../../generated/openapi.js';
import { listFaults } from '../../problems/problem.js';

type OpenaiError = components['schemas']['OpenaiError'];

/**
 * Returns whether an address is below `/v1`.
 * @param bases the prefixes before the paths of the contract
 */
export function isOpenaiAddress(address: string, bases: readonly string[]): boolean {
  return bases.some((base) => address.startsWith(base + OPENAI_PATHS));
}

/**
 * Writes a problem as an error.
 * @param problem a problem, or its document, which has a status; without one, the answer has begun
 */
export function writeOpenaiError(problem: {
  readonly type: string;
  readonly detail: string;
  readonly status?: number;
}): OpenaiError {
  const [first] = listFaults(problem);
  return {
    message: problem.detail,
    type: errorType(problem.status ?? 500),
    param: first ? writeParam(first.pointer) : null,
    code: problem.type.replace('/problems/', '').replaceAll('-', '_'),
  };
}

function errorType(status: number): OpenaiError['type'] {
  if (status >= 500) return 'server_error';
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 429:
      return 'rate_limit_error';
    default:
      return 'invalid_request_error';
  }
}

/**
 * Writes a JSON pointer as these clients write places: `/body/messages/0/content` is `messages[0].content`. The whole
 * body has no name.
 */
function writeParam(pointer: string): string | null {
  const [, , ...steps] = pointer.split('/');
  const place = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return place.replace(/^\./, '') || null;
}

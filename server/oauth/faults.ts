import type { Operation } from '../../contract/document.js';
import type { ProblemRendering } from '../problems/problem.js';
import { faultPage } from './consent-page.js';

/** An answer in place of a problem. */
export interface Fault {
  readonly mediaType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the fault of a request that breaks the contract, as the clients and the readers of OAuth expect it (RFC 6749,
 * section 5.2).
 */
export function writeOauthFault({ faultType }: Operation, { detail }: ProblemRendering): Fault {
  if (faultType === 'text/html') {
    const { html, headers } = faultPage(detail);
    return { mediaType: faultType, text: html, headers };
  }
  // Section 5.2 allows neither quotes nor characters beyond ASCII.
  const error_description = detail.replaceAll(/["\\]/g, "'").replaceAll(/[^ -~]/g, '?');
  const text = JSON.stringify({ error: 'invalid_request', error_description });
  return { mediaType: faultType, text, headers: {} };
}

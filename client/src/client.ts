import createClient from 'openapi-fetch';
import type { RosterClient } from './contract/calls.js';
import type { RosterPaths } from './contract/paths.js';
import { type DeprecatedCall, reportDeprecation, warnOnce } from './middleware/deprecation.js';
import { requestUrl, serializePath } from './request/address.js';
import { rememberBody, rememberingRequest } from './request/body-source.js';
import { passNotModified } from './request/not-modified.js';
import { serializeBody } from './request/request-body.js';
import { refuseUnexpectedAnswers } from './request/unexpected-answer.js';

/** The address of the service and the options for requests to it. */
export interface RosterClientOptions {
  /** The address of the service, with or without a trailing slash. It may end in `/api`, which no request has twice. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer …`. If missing or empty, the header is not sent. */
  apiKey?: string | undefined;
  /**
   * Called for each answer that says that its request used something deprecated. By default, the client warns on
   * the console, once for each operation.
   */
  onDeprecated?: ((call: DeprecatedCall) => void) | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** fetch requires this option when a body is a stream; the DOM types do not include it yet. */
const STREAMED_UPLOADS = { duplex: 'half' };

/**
 * Creates a client for the service at `baseUrl`.
 *
 * @example
 * const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
 * const { data, error } = await roster.GET('/projects');
 */
export function createRosterClient({
  baseUrl,
  apiKey,
  onDeprecated = warnOnce(),
  fetch = (request) => globalThis.fetch(request),
}: RosterClientOptions): RosterClient {
  const base = baseUrl.replace(/\/+$/, '');
  const client = createClient<RosterPaths>({
    ...STREAMED_UPLOADS,
    baseUrl: base,
    fetch,
    Request: rememberingRequest((url) => requestUrl(base, url)),
    headers: {
      Accept: 'application/json, application/problem+json',
      ...(apiKey && { Authorization: `Bearer ${apiKey}` }),
    },
    bodySerializer: serializeBody,
    pathSerializer: serializePath,
  });
  // The last middleware gets the response first.
  client.use(
    rememberBody,
    passNotModified,
    refuseUnexpectedAnswers,
    reportDeprecation(onDeprecated),
  );
  // The same methods with stricter types. The compiler cannot compare the two, because their type
  // parameters differ. src/answers.test-d.ts and src/requests.test-d.ts check these types.
  return client as RosterClient;
}

import createClient from 'openapi-fetch';
import { serializePath } from './address.js';
import { rememberBody, rememberingRequest } from './body-source.js';
import type { RosterClient } from './calls.js';
import { passNotModified } from './not-modified.js';
import type { RosterPaths } from './paths.js';
import { serializeBody } from './request-body.js';
import { refuseUnexpectedAnswers } from './unexpected-answer.js';

/** Where the service is, and how to reach it. */
export interface RosterClientOptions {
  /** The address of the service, with or without a slash at its end. It may end in `/api`. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer …`. Without a key, or with an empty one, no such header is sent. */
  apiKey?: string | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** fetch asks for this where a body is a stream; the types of the DOM do not know it yet. */
const STREAMED_UPLOADS = { duplex: 'half' };

/**
 * Makes a client of the service at `baseUrl`.
 *
 * @example
 * const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
 * const { data, error } = await roster.GET('/projects');
 */
export function createRosterClient({
  baseUrl,
  apiKey,
  fetch = (request) => globalThis.fetch(request),
}: RosterClientOptions): RosterClient {
  const client = createClient<RosterPaths>({
    ...STREAMED_UPLOADS,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch,
    Request: rememberingRequest(),
    headers: {
      Accept: 'application/json, application/problem+json',
      ...(apiKey && { Authorization: `Bearer ${apiKey}` }),
    },
    bodySerializer: serializeBody,
    pathSerializer: serializePath,
  });
  // The last one hears of an answer first.
  client.use(rememberBody, passNotModified, refuseUnexpectedAnswers);
  // The same calls, told more strictly: the compiler cannot compare the two, as each is generic in
  // another way. src/answers.test-d.ts and src/requests.test-d.ts hold what a user sees of them.
  return client as RosterClient;
}

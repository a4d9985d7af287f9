/** Where the promises are played: against the mock, or against the server. */
import { createRosterClient } from 'roster-client';
import { inject } from 'vitest';
import type { Keys } from '../testkit/store/keys.js';
import { checkedFetch, checkedFetchOfMock } from './checked-fetch.js';

/** What the tests are about. */
export interface Target {
  kind: 'mock' | 'server';
  url: string;
  keys: Keys;
  /** The store of the server: `file:…` or `postgres://…`. The mock has none. */
  databaseUrl?: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    target: Target;
  }
}

const target = inject('target');

/** Holds each answer against the contract. */
const fetchOfTarget = target.kind === 'mock' ? checkedFetchOfMock : checkedFetch;

/** Where the service is. */
export const baseUrl = target.url;

/** The keys of those who call. */
export const keys = target.keys;

/** The typed client. Each answer that it gets has been held against the contract. */
export const roster = createRosterClient({ baseUrl, apiKey: keys.own, fetch: fetchOfTarget });

/** Sends what the typed client would not let through; the answer is held against the contract too. */
export function send(path: string, init: RequestInit = {}): Promise<Response> {
  return sendAs(keys.own, path, init);
}

/** Sends with the key of someone else, or with none. */
export function sendAs(
  key: string | null,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const request = new Request(baseUrl + path, init);
  if (key !== null) {
    request.headers.set('Authorization', `Bearer ${key}`);
  }
  return fetchOfTarget(request);
}

/**
 * Brings about the situation in which an operation gives a certain answer. On the server the situation
 * is made, by `prepare`. The mock has no situations; it is told by header which example to answer with.
 * The rest of the test is the same for both.
 *
 * @returns what the request must carry: `roster.GET(path, { params, ...(await situation(404, 'skill')) })`
 */
export async function situation(
  status: number,
  example: string | null,
  prepare?: () => Promise<unknown>,
): Promise<{ headers: Record<string, string> }> {
  if (target.kind === 'mock') {
    return {
      headers: { Prefer: example ? `code=${status}, example=${example}` : `code=${status}` },
    };
  }
  await prepare?.();
  return { headers: {} };
}

/**
 * A fault that the situation consists of. The mock is sent `right` in its place: it looks at a request
 * before it looks at `Prefer`, and answers some faults in words of its own.
 */
export function faulty<T>(fault: T, right: T): T {
  return target.kind === 'mock' ? right : fault;
}

let projects = 0;

/** A project that nobody else uses. To the mock, every name is as good. */
export async function ownProject(): Promise<string> {
  projects += 1;
  const name = `test-${process.pid}-${Date.now()}-${projects}`;
  const { error } = await roster.POST('/projects', { body: { project: { name } } });
  if (error !== undefined) {
    throw new Error(error.detail);
  }
  return name;
}

/** Sends a body that may be wrong in ways which the typed client would not let through. */
export function sendJson(method: string, path: string, body: unknown): Promise<Response> {
  return send(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The object that an answer carries, for a look at single fields. */
export async function objectOf(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) {
    throw new Error(`The answer is ${JSON.stringify(body)}, not an object`);
  }
  return { ...body };
}

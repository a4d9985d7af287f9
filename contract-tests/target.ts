/** The target of the tests: the mock or the server. */
import { createRosterClient } from 'roster-client';
import { inject } from 'vitest';
import type { Keys } from '../testkit/store/keys.js';
import { checkedFetch, checkedFetchOfMock } from './checked-fetch.js';

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

const fetchOfTarget = target.kind === 'mock' ? checkedFetchOfMock : checkedFetch;

export const baseUrl = target.url;

export const keys = target.keys;

/** The typed client. Each of its answers has been checked against the contract. */
export const roster = createRosterClient({ baseUrl, apiKey: keys.own, fetch: fetchOfTarget });

/** Sends a request that the typed client would not allow. The answer is checked against the contract too. */
export function send(path: string, init: RequestInit = {}): Promise<Response> {
  return sendAs(keys.own, path, init);
}

/** Sends a request with another caller's key, or with none. */
export function sendAs(key: string | null, path: string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(baseUrl + path, init);
  if (key !== null) {
    request.headers.set('Authorization', `Bearer ${key}`);
  }
  return fetchOfTarget(request);
}

/**
 * Creates the situation in which an operation gives a certain answer. On the server, `prepare` creates it. The
 * mock has no state; a header names the example to answer with. The rest of the test is the same for both.
 *
 * @returns the headers that the request must have: `roster.GET(path, { params, ...(await situation(404,
 * 'skill')) })`
 */
export async function situation(
  status: number,
  example: string | null,
  prepare?: () => Promise<unknown>,
): Promise<{ headers: Record<string, string> }> {
  if (target.kind === 'mock') {
    return { headers: { Prefer: example ? `code=${status}, example=${example}` : `code=${status}` } };
  }
  await prepare?.();
  return { headers: {} };
}

/**
 * Returns the faulty value of a situation. The mock gets `right` instead: it validates a request before it
 * reads `Prefer`, and answers malformed JSON in its own format.
 */
export function faulty<T>(fault: T, right: T): T {
  return target.kind === 'mock' ? right : fault;
}

let projects = 0;

/** Creates a project that no other test uses. The mock accepts any name. */
export async function ownProject(): Promise<string> {
  projects += 1;
  const name = `test-${process.pid}-${Date.now()}-${projects}`;
  const { error } = await roster.POST('/projects', { body: { project: { name } } });
  if (error !== undefined) {
    throw new Error(error.detail);
  }
  return name;
}

/** Sends a JSON body that may be invalid in ways that the typed client would not allow. */
export function sendJson(method: string, path: string, body: unknown): Promise<Response> {
  return send(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** Returns the object in an answer, for access to single fields. */
export async function readObject(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) {
    throw new Error(`The answer is ${JSON.stringify(body)}, not an object`);
  }
  return { ...body };
}

/** Answers that a proxy gives instead of the service. */
import type { Fault } from './faulty-proxy.js';

/** Returns an answer with a problem of the service, given without asking the service. */
export function problem(status: number, type: string, headers = {}): Fault {
  const body = { type, title: 'Busy', status, detail: 'Try later.', request_id: '', instance: '/' };
  return { status, headers: { 'Content-Type': 'application/problem+json', ...headers }, body: JSON.stringify(body) };
}

export const busy = (headers = {}) => problem(503, '/problems/service-unavailable', headers);

export const tooMany = (headers = {}) => problem(429, '/problems/too-many-requests', headers);

/** The error page of a proxy that cannot reach the service. */
export const badGateway: Fault = {
  status: 502,
  headers: { 'Content-Type': 'text/html' },
  body: '<h1>Bad gateway</h1>',
};

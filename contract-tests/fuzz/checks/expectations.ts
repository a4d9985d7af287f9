import { asRecord } from '../../../contract/json-record.js';
import { problemIn } from '../../../testkit/http/problem-in.js';
import { violations } from '../../checked-fetch.js';
import { type Case, type Expected, findTarget } from '../case.js';
import type { Exchange } from '../fixture.js';
import type { Answer, HttpRequest } from '../http.js';
import {
  asksAgents,
  isAllowedRefusal,
  isProtocolError,
  isRefusedUnvalidated,
  listPointers,
} from './allowed-refusals.js';

/** Returns the violations of the contract in an answer. */
export async function faultsOfAnswer(exchange: Exchange): Promise<string[]> {
  const { made, request, answer, fixture } = exchange;
  const broken = await brokenPromises(fixture.url, request, answer);
  const { status } = answer;
  return [
    ...faultIf(status >= 500 && !lacksChatServer(exchange), `a server error, ${status}`),
    ...broken,
    ...(status >= 400 ? faultsOfProblem(exchange) : []),
    ...(made.fault === undefined ? refusalOfValid(exchange) : deviations(made.fault, exchange)),
  ];
}

function faultIf(isBroken: boolean, what: string): string[] {
  return isBroken ? [what] : [];
}

/** Returns whether the service says that it has no chat server, which it says with a 501. */
function lacksChatServer({ made, answer }: Exchange): boolean {
  return answer.status === 501 && asksAgents(made);
}

/** Returns what an answer breaks of its declaration in the contract. */
export async function brokenPromises(
  url: string,
  { method, path }: HttpRequest,
  { status, headers, text }: Answer,
): Promise<string[]> {
  const isEmpty = status === 204 || status === 304;
  if (isEmpty && text !== '') return [`a body came with ${status}: ${text.slice(0, 200)}`];
  return violations(method, url + path, new Response(isEmpty ? null : text, { status, headers }));
}

/** Checks that a problem repeats the status and the request id of its answer (RFC 9457, section 3.1). */
function faultsOfProblem(exchange: Exchange): string[] {
  const { request, answer } = exchange;
  if (request.method === 'HEAD' || isProtocolError(exchange)) return [];
  const problem = problemIn(answer.json);
  const id = answer.headers.get('X-Request-Id');
  const sent = request.headers['X-Request-Id'];
  const { status } = problem;
  const isOther = sent !== undefined && sent !== id;
  return [
    ...faultIf(status !== answer.status, `the problem has the status ${status}`),
    ...faultIf(problem['request_id'] !== id, 'the problem has another request_id than the answer'),
    ...faultIf(isOther, 'the answer has another X-Request-Id than the request'),
    ...faultIf(/\bat \S+ \(.*:\d+:\d+\)/.test(answer.text), 'a stack is in the answer'),
  ];
}

function refusalOfValid(exchange: Exchange): string[] {
  const { made, filled, request, fixture, answer } = exchange;
  if (answer.status < 400) {
    const isCreated = findTarget(made).method === 'PUT' && filled.isProjectThere;
    const mayBeThere = filled.isThere || isCreated || fixture.wasPut(request);
    return faultIf(!mayBeThere, `${answer.status} for what is not there`);
  }
  if (isAllowedRefusal(exchange)) return [];
  const { type, detail, errors } = problemIn(answer.json);
  return [
    `a valid request was refused with ${answer.status} ${type}: ${detail} ${JSON.stringify(errors ?? '')} (${findTarget(made).id})`,
  ];
}

function deviations({ what, statuses, pointer }: Expected, exchange: Exchange): string[] {
  const { made, answer } = exchange;
  if (isRefusedUnvalidated(exchange)) return [];
  // A key that is used names another request, whatever is wrong with this one.
  const isReused = problemIn(answer.json).type === '/problems/idempotency-key-reused';
  if (isReused && isAllowedRefusal(exchange)) return [];
  if (isOfState(answer) && takesTables(made) && isAllowedRefusal(exchange)) return [];
  // A preview reports a fault beside the rows before it.
  if (statuses.includes(400) && typeof asRecord(answer.json)['fault'] === 'string') return [];
  if (!statuses.includes(answer.status)) {
    return [`${what}: answered with ${answer.status}, not ${statuses.join(' or ')}`];
  }
  if (pointer === undefined || answer.status !== 400) return [];
  const pointers = listPointers(answer.json);
  // The parameters of a table are checked before it is read.
  const isOfBody = pointer.startsWith('/body');
  if (isOfBody && takesTables(made) && isAllowedRefusal(exchange)) return [];
  const unrelated = pointers.filter((other) => !isRelated(other, pointer));
  if (pointers.length > 0 && unrelated.length === 0) return [];
  return [`${what}: points at ${pointers.join(', ') || 'nothing'}, not at ${pointer}`];
}

/**
 * Returns whether an operation takes tables. A table is read only if the state of its model allows it (RFC 9110,
 * section 13.2.1).
 */
function takesTables(made: Case): boolean {
  return findTarget(made).bodies.some(([mediaType]) => mediaType === 'text/csv');
}

function isOfState({ status }: Answer): boolean {
  return status === 404 || status === 409 || status === 412;
}

/** Returns whether a pointer is equal to another one, or leads to a parent of it. */
function isRelated(pointer: string, to: string): boolean {
  return pointer === to || to.startsWith(`${pointer}/`);
}

/** Refusals of valid requests that are right: by what is there already, or by what the contract says in words. */

import { type Case, sentValue, targetOf } from '../case.js';
import type { Exchange, World } from '../fixture.js';
import { KEPT } from '../values/edge-values.js';
import { recordOf } from '../values/schema.js';

type Explanation = (exchange: Exchange) => boolean;

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  '/problems/project-not-found': ({ filled }) => !filled.isThere,
  '/problems/skill-not-found': ({ filled }) => !filled.isThere,
  '/problems/agent-not-found': ({ filled }) => !filled.isThere,
  '/problems/chatbot-not-found': ({ filled }) => !filled.isThere,
  '/problems/model-not-found': ({ filled, made }) => !filled.isThere || versionAsked(made) !== 1,
  '/problems/name-taken': ({ made }) => nameWritten(made.body?.value) === KEPT,
  '/problems/project-not-empty': ({ filled, world }) =>
    Object.values(filled.path).includes(world.project),
  '/problems/training-in-progress': ({ filled }) => filled.isThere,
  '/problems/model-not-ready': ({ made }) => made.operationId === 'serveVersion',
  '/problems/version-in-use': ({ made }) => made.operationId === 'deleteVersion',
  '/problems/unknown-names': ({ made }) => sentValue(made, 'query', 'unknown') === 'refuse',
  '/problems/precondition-failed': ({ made }) =>
    ['If-Match', 'If-None-Match'].some((name) => sentValue(made, 'header', name) !== undefined),
  '/problems/idempotency-key-reused': ({ made, world }) => isKeyUsed(made, world),
  '/problems/request-in-progress': ({ made, world }) => isKeyUsed(made, world),
  '/problems/unknown-skill': ({ answer, made }) => pointsAtWords(answer.json, made.body?.value),
  '/problems/unknown-agent': ({ answer, made }) => pointsAtWords(answer.json, made.body?.value),
  '/problems/body-too-large': ({ made, request }) =>
    (request.body?.length ?? 0) > (targetOf(made).maxBody ?? Number.POSITIVE_INFINITY),
  '/problems/unusable-table': ({ made }) => made.body?.isUsable === false,
  '/problems/malformed-body': ({ made }) => made.body?.isUsable === false,
  '/problems/invalid-request': (exchange) =>
    isRefusedUnvalidated(exchange) ||
    isRefusedInWords(exchange.made.operationId, exchange.made.body?.value, exchange.answer.json),
};

/** Whether what there is, or what the contract says in words, explains that a valid request was refused. */
export function isExplained(exchange: Exchange): boolean {
  const { type } = recordOf(exchange.answer.json);
  if (exchange.request.method === 'HEAD') {
    return !exchange.filled.isThere || versionAsked(exchange.made) !== 1;
  }
  return EXPLANATIONS[String(type)]?.(exchange) ?? false;
}

/** The most arrays, objects and members of a body, its rows apart, as the contract says in words. */
const MAX_MEMBERS = 10_000;

/** A body of more bytes is not read for a project or a model that does not exist. */
const MAX_READ_IN_VAIN = 256 * 1024;

/** Whether a body was refused before it was validated: for its bounds, or because nothing is there that takes it. */
export function isRefusedUnvalidated({ made, filled, request, answer }: Exchange): boolean {
  if (answer.status === 404) {
    return !filled.isThere && (request.body?.length ?? 0) > MAX_READ_IN_VAIN;
  }
  const { errors } = recordOf(answer.json);
  const [error, ...others] = Array.isArray(errors) ? errors : [];
  return (
    others.length === 0 &&
    recordOf(error)['pointer'] === '/body' &&
    countMembers(made.body?.value) > MAX_MEMBERS
  );
}

/** The arrays, objects and members of a value of JSON. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  const own = Array.isArray(value) ? 1 : 1 + items.length;
  return items.reduce<number>((sum, item) => sum + countMembers(item), own);
}

function isKeyUsed(made: Case, world: World): boolean {
  return world.timesSent(String(sentValue(made, 'header', 'Idempotency-Key'))) > 1;
}

/** The version of a model that is to be shown, or is to serve: the first, where none is named. */
function versionAsked(made: Case): number {
  const written = recordOf(recordOf(made.body?.value)['serving'])['version'];
  return Number(sentValue(made, 'query', 'version') ?? written ?? 1);
}

/** The name in the object that a write wraps. */
function nameWritten(body: unknown): unknown {
  return recordOf(Object.values(recordOf(body))[0])['name'];
}

/** Whether each place that an answer points at has a name that is not that of what is kept. */
function pointsAtWords(problem: unknown, body: unknown): boolean {
  const { errors } = recordOf(problem);
  if (!Array.isArray(errors) || errors.length === 0) return false;
  return errors.every((error) => {
    const steps = String(recordOf(error)['pointer']).split('/').slice(2);
    const named = steps.reduce<unknown>((value, step) => recordOf(value)[step], body);
    const name = typeof named === 'string' ? named : recordOf(named)['name'];
    return typeof name === 'string' && name !== KEPT;
  });
}

/** What the contract's text rules out, and a schema cannot: one skill in two lists, and a chatbot created under two names. */
function isRefusedInWords(operationId: string, body: unknown, problem: unknown): boolean {
  const { errors } = recordOf(problem);
  const pointers = Array.isArray(errors)
    ? errors.map((error) => String(recordOf(error)['pointer']))
    : [];
  if (operationId === 'updateAgent') {
    return (
      pointers.length > 0 && pointers.every((at) => at.startsWith('/body/agent/skills_to_add/'))
    );
  }
  return (
    operationId === 'updateChatbot' &&
    pointers.join() === '/body/chatbot/name' &&
    nameWritten(body) !== null
  );
}

/**
 * Decides whether a valid request may be refused, because of existing resources or a rule in the contract's
 * text.
 */

import { asRecord } from '../../../contract/json-record.js';
import { problemIn } from '../../../testkit/http/problem-in.js';
import { type Case, findTarget, sentValue } from '../case.js';
import type { Exchange, Fixture } from '../fixture.js';
import { KEPT } from '../values/edge-values.js';

type Condition = (exchange: Exchange) => boolean;

/** The types of skills whose params are checked; those of an update are checked with the stored type. */
const TOOL_TYPES = new Set<unknown>(['model', 'sql', 'retrieval', 'knowledge_base', 'mcp']);

const NAMING_IN_BODY: ReadonlySet<string> = new Set(['completeChat', 'completeResponse', 'createKey']);

const ALLOWED_REFUSALS: Readonly<Record<string, Condition>> = {
  ...Object.fromEntries(
    ['project', 'skill', 'agent', 'chatbot', 'document', 'conversation', 'message'].map((kind): [string, Condition] => [
      `/problems/${kind}-not-found`,
      // A chat and a response name their agent and the project in the body, and a key its project.
      ({ filled, made }) => !filled.isThere || NAMING_IN_BODY.has(made.operationId),
    ]),
  ),
  // No response is there: the fixture has no agent that answers.
  '/problems/response-not-found': () => true,
  '/problems/previous-response-not-found': () => true,
  // The keys of the fixture are not found by their identifiers.
  '/problems/key-not-found': () => true,
  '/problems/model-not-found': ({ filled, made }) => !filled.isThere || versionAsked(made) !== 1,
  '/problems/name-taken': ({ made }) => nameWritten(made.body?.value) === KEPT,
  '/problems/project-not-empty': ({ filled, fixture }) => Object.values(filled.path).includes(fixture.project),
  // The server has no database, so that no model has a source.
  '/problems/no-source': ({ made }) => made.operationId === 'retrainModel',
  '/problems/query-failed': ({ made }) =>
    made.operationId === 'applyManifest' || asRecord(made.body?.value)['source'] !== undefined,
  '/problems/training-in-progress': ({ filled }) => filled.isThere,
  '/problems/model-not-ready': ({ made }) => made.operationId === 'serveVersion',
  '/problems/training-ended': ({ made }) => made.operationId === 'cancelTraining',
  '/problems/version-in-use': ({ made }) => made.operationId === 'deleteVersion',
  '/problems/unknown-names': ({ made }) => sentValue(made, 'query', 'unknown') === 'refuse',
  '/problems/precondition-failed': ({ made }) =>
    ['If-Match', 'If-None-Match'].some((name) => sentValue(made, 'header', name) !== undefined),
  '/problems/idempotency-key-reused': ({ made, fixture }) => isKeyUsed(made, fixture),
  '/problems/request-in-progress': ({ made, fixture }) => isKeyUsed(made, fixture),
  '/problems/unknown-skill': namesWhatIsNotThere,
  '/problems/unusable-skill': ({ made }) =>
    ['updateSkill', 'applyManifest'].includes(made.operationId) || TOOL_TYPES.has(typeWritten(made.body?.value)),
  '/problems/chat-not-configured': ({ made }) => asksAgents(made),
  '/problems/conversation-busy': ({ made }) => asksAgents(made),
  '/problems/unknown-agent': namesWhatIsNotThere,
  '/problems/body-too-large': ({ made, request }) =>
    (request.body?.length ?? 0) > (findTarget(made).maxBody ?? Number.POSITIVE_INFINITY),
  // No table has the columns, the sheet or so many lines as the parameters of a training name.
  '/problems/unusable-table': ({ made }) =>
    made.body?.isUsable === false || NAMING_PARAMETERS.some((name) => sentValue(made, 'query', name) !== undefined),
  '/problems/malformed-body': ({ made }) =>
    made.body?.isUsable === false ||
    ['header_line', 'sheet'].some((name) => sentValue(made, 'query', name) !== undefined),
  '/problems/invalid-request': (exchange) =>
    isRefusedUnvalidated(exchange) ||
    breaksTextRule(exchange.made.operationId, exchange.made.body?.value, exchange.answer.json),
};

const NAMING_PARAMETERS = [
  'order_by',
  'exclude',
  'as_category',
  'as_number',
  'as_date',
  'decimal_point',
  'decimal_comma',
  'missing',
  'missing_in',
  'validate',
  'validate_by',
  'effort',
  'drop_lines',
  'header_line',
  'sheet',
] as const;

/** Returns whether the existing resources or the contract's text justify the refusal of a valid request. */
export function isAllowedRefusal(exchange: Exchange): boolean {
  const { type } = problemIn(exchange.answer.json);
  if (isProtocolError(exchange)) return true;
  if (exchange.request.method === 'HEAD') {
    return !exchange.filled.isThere || versionAsked(exchange.made) !== 1;
  }
  return ALLOWED_REFUSALS[String(type)]?.(exchange) ?? false;
}

/**
 * Returns whether an operation that speaks JSON-RPC answers with an error of its protocol, which is no problem: what a
 * method takes, and what its headers must be, is not in the contract.
 */
export function isProtocolError({ made, answer }: Exchange): boolean {
  const speaks = findTarget(made).place.find('x-roster-json-rpc')?.value === true;
  const { code, data } = asRecord(asRecord(answer.json)['error']);
  return speaks && typeof code === 'number' && asRecord(data)['type'] === undefined;
}

/** Returns whether the answer depends on a chat server, which the fuzzed service does not have. */
export function asksAgents(made: Case): boolean {
  return findTarget(made).place.find('x-roster-pool')?.value === 'answers';
}

/** The maximum number of arrays, objects and members of a body without its rows, from the contract's text. */
const MAX_MEMBERS = 10_000;

/** Larger bodies, in bytes, are not read for a project or a model that does not exist. */
const MAX_DISCARDED_BYTES = 256 * 1024;

/**
 * Returns whether a body was refused before its validation: for its size, or because its project or model does not
 * exist.
 */
export function isRefusedUnvalidated({ made, filled, request, answer }: Exchange): boolean {
  if (answer.status === 404) {
    return !filled.isThere && (request.body?.length ?? 0) > MAX_DISCARDED_BYTES;
  }
  return listPointers(answer.json).join() === '/body' && countMembers(made.body?.value) > MAX_MEMBERS;
}

/** Returns the places that a problem points at. */
export function listPointers(json: unknown): string[] {
  const { errors } = problemIn(json);
  return Array.isArray(errors) ? errors.map((error) => String(asRecord(error)['pointer'])) : [];
}

/** Counts the arrays, objects and members of a JSON value. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  const own = Array.isArray(value) ? 1 : 1 + items.length;
  return items.reduce<number>((sum, item) => sum + countMembers(item), own);
}

function isKeyUsed(made: Case, fixture: Fixture): boolean {
  return fixture.timesSent(String(sentValue(made, 'header', 'Idempotency-Key'))) > 1;
}

/** The version of a model that is to be shown, or is to serve: the first, where none is named. */
function versionAsked(made: Case): number {
  const written = asRecord(asRecord(made.body?.value)['serving'])['version'];
  return Number(sentValue(made, 'query', 'version') ?? written ?? 1);
}

/** Returns the name in the object that a write wraps. */
function nameWritten(body: unknown): unknown {
  return asRecord(Object.values(asRecord(body))[0])['name'];
}

/** Returns the type of the skill that a write sends. */
function typeWritten(body: unknown): unknown {
  return asRecord(asRecord(body)['skill'])['type'];
}

/** Returns whether a request names resources that its project does not have. A manifest goes to a project without any. */
function namesWhatIsNotThere({ answer, made }: Exchange): boolean {
  return made.operationId === 'applyManifest' || pointsAtWords(answer.json, made.body?.value);
}

/** Returns whether the answer points only at names other than those of the permanent resources. */
function pointsAtWords(problem: unknown, body: unknown): boolean {
  const pointers = listPointers(problem);
  if (pointers.length === 0) return false;
  return pointers.every((pointer) => {
    const steps = pointer.split('/').slice(2);
    const named = steps.reduce<unknown>((value, step) => asRecord(value)[step], body);
    const name = typeof named === 'string' ? named : asRecord(named)['name'];
    return typeof name === 'string' && name !== KEPT;
  });
}

/**
 * The parameters of forecasts, of columns, of marks and of classes, which depend on each other, on the model and on the
 * format.
 */
const DEPENDENT_PARAMETERS =
  /^\/query\/(order_by|group_by|horizon|window|known|holidays|aggregate|task|validate|validate_by|effort|steps|backtest|probabilities|contributions|id|column|exclude|as_\w+|group|decimal_\w+|drop_lines|missing_in|header|header_line|sheet)(\/|$)/;

/**
 * Returns whether a refusal follows from a rule that is only in the contract's text: one skill in two lists, a chatbot
 * created under two names, messages that end with an answer, half of a forecast, steps of a model that forecasts
 * nothing, probabilities of one that predicts numbers, contributions of a version of an earlier release, ids of
 * rows that are not remembered, a column of two uses or marks, one mark for groups and decimals, a header line of rows
 * without lines, or a sheet of what is not a workbook.
 */
function breaksTextRule(operationId: string, body: unknown, problem: unknown): boolean {
  const pointers = listPointers(problem);
  const pointWithin = (parent: string) => pointers.length > 0 && pointers.every((at) => at.startsWith(parent));
  const pointsAtParameters = () => pointers.length > 0 && pointers.every((at) => DEPENDENT_PARAMETERS.test(at));
  switch (operationId) {
    // The last message is the question.
    case 'completeAgent':
    case 'streamAgent':
      return pointWithin('/body/messages/');
    case 'completeChat':
      return pointWithin('/body/messages/') || pointWithin('/body/tools');
    case 'completeResponse':
      return pointWithin('/body/input') || pointWithin('/body/tools');
    case 'createKey':
      return pointWithin('/body/key/');
    case 'updateAgent':
      return pointWithin('/body/agent/skills_to_add/');
    // Two of one name, a document that is too large, or half of a forecast.
    case 'applyManifest':
      return pointWithin('/body/');
    case 'trainModel':
    case 'previewTable':
    case 'predict':
    case 'getRecord':
      return pointsAtParameters();
    // Rows without the target.
    case 'addActuals':
      return pointers.join() === '/body' || pointsAtParameters();
    default:
      return operationId === 'updateChatbot' && pointers.join() === '/body/chatbot/name' && nameWritten(body) !== null;
  }
}

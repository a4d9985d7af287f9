/**
 * Tests the types of handlers. `npm run types` checks this file: each line below a
 * `@ts-expect-error` must not compile, and every other line must.
 */
import { Readable } from 'node:stream';
import type { components } from '../../generated/openapi.js';
import { problem } from '../problems/problem.js';
import type { Handler, Handlers, Sent } from './handlers.js';
import { JsonText, PlainText } from './reply/send.js';

declare const handlers: Handlers;
declare const model: components['schemas']['Model'];
declare const sentByAnother: Sent<'deleteProject'>;

const project = { id: '', name: 'default', created_at: '' };
const headers = { ETag: '"a"' };

export const aReplyThatIsDeclared: Handler<'getProject'> = ({ params, reply }) =>
  reply({ status: 200, body: { ...project, name: params.project_name }, headers });

export const anAsynchronousReply: Handler<'deleteProject'> = async ({ reply }) => reply({ status: 204 });

export const aStatusThatIsNotDeclared: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 201, body: project, headers });

export const aProblemThatIsNotThrown: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 404, body: project, headers });

export const aFieldThatIsMissing: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: { id: '', name: 'default' }, headers });

export const aFieldTooMany: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: { ...project, secret: 'x' }, headers });

export const aFieldOfAnotherType: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: { ...project, name: 1 }, headers });

export const aBodyWhereThereIsNone: Handler<'deleteProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 204, body: project });

export const aHeaderThatIsMissing: Handler<'createProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 201, body: project, headers });

export const aHeaderThatMayBeMissing: Handler<'listProjects'> = ({ reply }) => reply({ status: 200, body: [project] });

export const aHeaderThatIsNotDeclared: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: project, headers: { ...headers, 'X-Colour': 'red' } });

export const aReplyPastReply: Handler<'getProject'> = () =>
  // @ts-expect-error
  ({ status: 200, body: project });

export const aParameterOfAnotherName: Handler<'getSkill'> = ({ params, reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: params.skillName });

export const aConditionThatDoesNotHold: Handler<'getProject'> = ({ reply }) => reply({ status: 304, headers });

export const aConditionThatTheOperationHasNot: Handler<'listProjects'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 304, headers });

export const aHeaderOfTheRequest: Handler<'getProject'> = ({ headers: sent, reply }) =>
  reply({ status: 304, headers: { ETag: sent['If-None-Match'] ?? '' } });

export const aHeaderThatTheRequestHasNot: Handler<'getProject'> = ({ headers: sent, reply }) =>
  // @ts-expect-error
  reply({ status: 304, headers: { ETag: sent['Idempotency-Key'] ?? '' } });

export const aQueryOfAnotherName: Handler<'listProjects'> = ({ query, reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: [project].slice(0, query.limt) });

export const aBodyFieldOfAnotherName: Handler<'createProject'> = ({ body, reply }) =>
  reply({
    status: 201,
    // @ts-expect-error
    body: { ...project, name: body.project.title },
    headers: { ...headers, Location: '' },
  });

export const jsonThatIsWrittenAlready: Handler<'getProject'> = ({ reply }) =>
  reply({ status: 200, body: new JsonText<typeof project>(['{}']), headers });

export const jsonOfAnotherType: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: new JsonText<{ colour: string }>(['{}']), headers });

export const aValueThatIsNotAmongThoseDeclared: Handler<'getModel'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: { ...model, status: 'done' }, headers });

export const nothingWhereThereHasToBeSomething: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: { ...project, name: null }, headers });

export const oneWhereThereAreMany: Handler<'listProjects'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: project });

export const textWhereItIsText: Handler<'getMetrics'> = ({ reply }) =>
  reply({ status: 200, body: new PlainText('text/plain; version=0.0.4', '') });

export const jsonWhereItIsText: Handler<'getMetrics'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: {} });

export const textWhereItIsJson: Handler<'getProject'> = ({ reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: new PlainText('text/plain', ''), headers });

// @ts-expect-error
export const theReplyOfAnotherOperation: Handler<'getProject'> = () => sentByAnother;

export const aBodyThatIsRowsOrAStreamOfLines: Handler<'predict'> = ({ body, reply }) => {
  const isNone = !(body instanceof Readable) && Array.isArray(body) && body.length === 0;
  return reply({ status: 200, body: isNone ? [] : new JsonText([]) });
};

export const aBodyThatMayBeAStream: Handler<'predict'> = ({ body, reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: body.length === 0 ? [] : new JsonText([]) });

export const aBodyOfARequestThatHasNone: Handler<'deleteProject'> = ({ body, reply }) =>
  // @ts-expect-error
  reply({ status: body.project === undefined ? 204 : 204 });

export const aFieldThatOnlyTheServiceGives: Handler<'createProject'> = ({ body, reply }) =>
  reply({
    status: 201,
    // @ts-expect-error
    body: { ...project, id: body.project.id },
    headers: { ...headers, Location: '' },
  });

export const aParameterThatMayBeMissing: Handler<'listProjects'> = ({ query, reply }) =>
  // @ts-expect-error
  reply({ status: 200, body: [project].slice(0, query.limit + 1) });

export const aParameterThatIsANumber: Handler<'getModel'> = ({ query, reply }) =>
  reply({ status: 200, body: { ...model, version: query.version ?? 1 }, headers });

const { getSkill: _, ...allButOne } = handlers;
// @ts-expect-error
export const aHandlerThatIsMissing: Handlers = allButOne;

export const aHandlerOfNoOperation: Handlers = {
  ...handlers,
  // @ts-expect-error
  getSkil: handlers.getSkill,
};

problem('/problems/skill-not-found', 'There is none.');
// @ts-expect-error
problem('/problems/skil-not-found', 'There is none.');
// @ts-expect-error
problem('/problems/model-not-ready', 'Its own member is missing.');
// @ts-expect-error
problem('/problems/model-not-ready', 'Its own member is wrong.', { model_status: 'ready' });
problem('/problems/model-not-ready', 'Wait.', { model_status: 'training' });
problem('/problems/unusable-table', 'It has none.', { errors: [{ message: 'There is none.' }] });
problem('/problems/unusable-table', 'It is about a field.', {
  // @ts-expect-error
  errors: [{ pointer: '/body', message: 'There is none.' }],
});

/** The types of choices of examples. This file is never run. */
import { expectTypeOf, test } from 'vitest';
import type { operations } from '../../../generated/openapi.js';
import { createRosterClient } from '../index.js';
import { type ExampleChoices, examples, type OperationId } from './index.js';

test('every operation has examples', () => {
  expectTypeOf<OperationId>().toEqualTypeOf<keyof operations>();
  expectTypeOf<ExampleChoices['getSkill']>().not.toBeAny();
});

test('an operation is answered with a name, a status, or both', () => {
  examples();
  examples({ getSkill: 'sales_questions', createSkill: 409, deleteSkill: 204 });
  examples({ getSkill: { status: 404, example: 'project' }, updateSkill: { status: 412 } });
  examples({ getModel: ['failed', 503, { status: 200, example: 'ready' }] });
  examples({ getModel: ({ url }) => (url.endsWith('/prices') ? 'classes' : undefined) });
  examples({ getModel: async (request) => ((await request.text()) === '' ? 404 : 'failed') });
  examples({ getModel: () => new Response() });
});

test('what the contract does not have does not compile', () => {
  // @ts-expect-error: there is no such operation
  examples({ getSkil: 200 });
  // @ts-expect-error: no response of it has an example of this name
  examples({ getModel: 'trained' });
  // @ts-expect-error: it does not declare this status
  examples({ createSkill: 418 });
  // @ts-expect-error: the responses 200 and 404 have an example of this name
  examples({ updateSkill: 'skill' });
  // @ts-expect-error: it is an example of another status
  examples({ getSkill: { status: 200, example: 'project' } });
  // @ts-expect-error: the response has no body
  examples({ deleteSkill: { status: 204, example: 'skill' } });
  // @ts-expect-error: one of them does not exist
  examples({ getModel: ['failed', 'trained'] });
  // @ts-expect-error: a sequence has at least one
  examples({ getModel: [] });
  // @ts-expect-error: nor may a function return it
  examples({ getModel: () => 'trained' });
});

test('content of one’s own is that of the contract', () => {
  examples({ listSkills: { status: 200, body: [] } });
  examples({ getLiveness: { status: 200, body: { status: 'live' } } });
  // @ts-expect-error: a list has resources
  examples({ listSkills: { status: 200, body: [{ name: 'sales' }] } });
  // @ts-expect-error: the response has no body
  examples({ deleteSkill: { status: 204, body: {} } });
  // @ts-expect-error: it is an example or content, not both
  examples({ listSkills: { status: 200, body: [], example: 'skills' } });
});

test('it is a fetch', () => {
  expectTypeOf(examples()).toExtend<typeof fetch>();
  createRosterClient({ baseUrl: 'http://roster.test', fetch: examples() });
});

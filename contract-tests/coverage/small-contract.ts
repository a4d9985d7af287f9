/** A contract with one operation, for the tests of the coverage. */
import { type Operation, Place } from '../../testkit/openapi/document.js';

/** A problem, reduced to the fields that are compared. */
export const problem = (type: string, detail: string, errors?: object[]) => ({
  type: `/problems/${type}`,
  detail,
  ...(errors && { errors }),
});

/** A contract with one operation, and one answer that belongs to none. */
export const contract = Place.root({
  paths: {
    '/pens': {
      post: {
        parameters: [
          { name: 'limit', in: 'query', examples: { ten: { value: 10 } } },
          { name: 'colour', in: 'query', examples: { both: { value: ['red', 'blue'] } } },
        ],
        requestBody: { content: { 'application/json': { examples: { pen: { value: { name: 'one' } } } } } },
        responses: {
          201: {
            headers: { Location: {} },
            content: { 'application/json': { examples: { pen: { value: { name: 'one', tags: ['a'] } } } } },
          },
          409: {
            content: {
              'application/problem+json': {
                examples: {
                  taken: { value: problem('name-taken', 'There is already a skill named "a" in it.') },
                  faulty: {
                    value: problem('invalid', 'It does not fit at 2 places.', [
                      { message: 'must have at most 100 characters' },
                    ]),
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    responses: {
      Nowhere: { content: { 'application/problem+json': { schema: { properties: { status: { const: 404 } } } } } },
    },
  },
});

const place = contract.at('paths', '/pens', 'post');
export const createPen: Operation = {
  id: 'createPen',
  method: 'POST',
  path: '/pens',
  place,
  parameters: place.entries('parameters').map(([, parameter]) => parameter),
};

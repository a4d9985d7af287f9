import { expect, test } from 'vitest';
import { document } from '../../../testkit/openapi/document.js';
import { dereference } from './swagger-plugins.js';

const contract: object = JSON.parse(JSON.stringify(document));

test('a part of the contract has what its references lead to in their place', () => {
  expect(JSON.stringify(contract)).toContain('"$ref"');
  expect(JSON.stringify(dereference(contract, contract))).not.toContain('"$ref"');
});

test('what stands beside a reference wins, and a reference to what is around it stays', () => {
  const Tree = { description: 'A tree.', child: { $ref: '#/components/Tree' } };
  const part = { $ref: '#/components/Tree', description: 'The root.' };
  expect(dereference({ components: { Tree } }, [part])).toEqual([
    { description: 'The root.', child: Tree.child, $$ref: part.$ref },
  ]);
});

test('the schemas of an `allOf` are one, with the fields of the outer last', () => {
  const Base = { required: ['id'], properties: { id: { type: 'string' }, kind: { minLength: 1 } } };
  const allOf = [{ $ref: '#/components/Base' }];
  const own = { required: ['kind'], properties: { kind: { const: 'tree' } } };
  expect(JSON.stringify(dereference({ components: { Base } }, { allOf, ...own }))).toBe(
    JSON.stringify({
      required: ['id', 'kind'],
      properties: { id: { type: 'string' }, kind: { minLength: 1, const: 'tree' } },
    }),
  );
});

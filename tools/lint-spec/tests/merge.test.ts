import { expect, test } from 'vitest';
import type { Remark } from '../finding.js';
import { merge } from '../merge.js';

const remark = (rule: string, pointer: string, message = rule): Remark => ({
  ...{ rule, pointer, message },
  severity: 'error',
});

test('a fault that several reviewers find is told once, in the words of the first, with all rules', () => {
  const at = '/paths/~1a/get/responses/200/content/json/examples/one/value';
  const merged = merge([
    [remark('contract/example', `${at}/name`)],
    [remark('spectral/oas3-valid-media-example', at)],
    [remark('redocly/no-invalid-media-type-examples', `${at}/name/first`)],
  ]);
  expect(merged).toEqual([
    {
      ...remark('contract/example', `${at}/name`),
      others: ['spectral/oas3-valid-media-example', 'redocly/no-invalid-media-type-examples'],
    },
  ]);
});

test('rules of the same name find the same fault', () => {
  const merged = merge([[remark('spectral/no-such', '/a')], [remark('redocly/no-such', '/a')]]);
  expect(merged).toHaveLength(1);
});

test('two faults stay two: of one reviewer, at two parts, or on two subjects', () => {
  expect(merge([[remark('spectral/one', '/a'), remark('spectral/one', '/a/b')]])).toHaveLength(2);
  expect(merge([[remark('spectral/one', '/a')], [remark('redocly/one', '/ab')]])).toHaveLength(2);
  expect(merge([[remark('spectral/one', '/a')], [remark('redocly/two', '/a')]])).toHaveLength(2);
});

test('a part that is missing is told at the first reference to it, without what follows from it', () => {
  const missing = '$ref #/components/schemas/A leads to nothing';
  const merged = merge([
    ['/a', '/b', '/c'].map((pointer) => remark('contract/reference', pointer, missing)),
    [remark('spectral/oas3-unused-component', '/components/schemas/B'), remark('spectral/x', '')],
  ]);
  expect(merged.map(({ pointer, message }) => [pointer, message])).toEqual([
    ['/a', `${missing}, here and at 2 more places`],
  ]);
});

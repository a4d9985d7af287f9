import { expect, test } from 'vitest';
import { merge as mergeIn } from '../review-file.js';

const remark = (rule: string, pointer: string, message = rule) => ({
  rule,
  pointer,
  message,
  severity: 'error' as const,
});

/** Each pointer has its own line. */
const locate = (pointer: string) => ({ line: pointer.length, column: 1 });
const merge = (remarks: Parameters<typeof mergeIn>[0]) => mergeIn(remarks, { file: 'a', locate });

test('a fault that two reviewers find is reported once, in the words of the clearer one, with both rules', () => {
  const at = '/components/schemas/A';
  const merged = merge([
    remark('contract/schema', at),
    remark('spectral/oas3-schema', at),
    remark('spectral/oas3-schema', at),
  ]);
  const rules = ['contract/schema', 'spectral/oas3-schema'];
  expect(merged).toMatchObject([{ line: at.length, message: 'contract/schema', rules }]);
});

test('two faults stay two: of one reviewer, at two parts, or on two subjects', () => {
  for (const two of [
    [remark('spectral/one', '/a'), remark('spectral/one', '/a/b')],
    [remark('contract/schema', '/a'), remark('spectral/oas3-schema', '/ab')],
    [remark('contract/schema', '/a'), remark('spectral/two', '/a')],
  ]) {
    expect(merge(two)).toHaveLength(2);
  }
});

test('a part that is missing is reported at the first reference to it, without what follows from it', () => {
  const missing = '$ref #/components/schemas/A leads to nothing';
  const merged = merge([
    ...['/a', '/b', '/c'].map((pointer) => remark('contract/reference', pointer, missing)),
    ...[remark('spectral/oas3-unused-component', '/components/schemas/B'), remark('spectral/x', '')],
  ]);
  expect(merged.map(({ line, message }) => [line, message])).toEqual([[2, `${missing}, here and at 2 more places`]]);
});

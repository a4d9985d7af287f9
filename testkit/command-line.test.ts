import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { namesAmong, positiveNumber, wholeNumberFrom } from './command-line.js';

test.each([
  ['0', positiveNumber, 'It must be a number above 0.'],
  ['-1', positiveNumber, 'It must be a number above 0.'],
  ['many', positiveNumber, 'It must be a number above 0.'],
  ['0', wholeNumberFrom(1), 'It must be a whole number from 1.'],
  ['1.5', wholeNumberFrom(1), 'It must be a whole number from 1.'],
  ['1e3', wholeNumberFrom(1), 'It must be a whole number from 1.'],
  ['a,c', namesAmong([{ name: 'a' }, { name: 'b' }]), 'There is no "c"; there are a, b.'],
  [',a', namesAmong([{ name: 'a' }]), 'There is no ""; there are a.'],
])('the argument %j is refused', (text, read, message) => {
  expect(() => read(text)).toThrow(new InvalidArgumentError(message));
});

test('numbers and names are read', () => {
  expect(positiveNumber('0.8')).toBe(0.8);
  expect(wholeNumberFrom(0)('0')).toBe(0);
  expect(namesAmong([{ name: 'a' }, { name: 'b' }])('b,a')).toEqual(['b', 'a']);
});

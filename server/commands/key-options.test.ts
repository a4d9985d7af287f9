import { describe, expect, test } from 'vitest';
import { readTime } from './audit.js';
import { readExpiry, readLimit, readName, readScopes } from './keys.js';

const DAY = 86_400_000;

describe('an expiry', () => {
  test.each([
    ['2999-01-31', '2999-02-01T00:00:00.000Z'],
    ['2999-01-31T12:00:00+02:00', '2999-01-31T10:00:00.000Z'],
  ])('may be %s', (text, moment) => {
    expect(readExpiry(text)).toBe(moment);
  });

  test('may be a number of days', () => {
    const before = Date.now();
    const expiry = Date.parse(readExpiry('90d'));
    expect(expiry).toBeGreaterThanOrEqual(before + 90 * DAY);
    expect(expiry).toBeLessThanOrEqual(Date.now() + 90 * DAY);
  });

  test.each([
    ['2020-01-01', 'It has already passed'],
    ['0d', 'It has already passed'],
    ['2999-02-30', 'a day such as'],
    ['2999-01-31T12:00', 'a day such as'],
    ['tomorrow', 'a day such as'],
  ])('may not be %s', (text, words) => {
    expect(() => readExpiry(text)).toThrow(words);
  });
});

test.each(['2027-02-30', '2027-01-31T24:00:00Z', '2027-01-31T12:00', 'tomorrow', ''])(
  'a time of events may not be %j',
  (text) => {
    expect(() => readTime(text)).toThrow('a day such as');
    expect(readTime('2020-02-29')).toBe('2020-02-29');
  },
);

test.each(['', ' x', 'x\u001b[2J', 'x\u202ey', 'x'.repeat(101), '\n'])('a name may not be %j', (text) => {
  expect(() => readName(text)).toThrow('visible characters');
});

test('a name may have a hundred characters of any kind that one sees', () => {
  expect(readName('ä 😀'.padEnd(101, 'x'))).toHaveLength(101);
});

describe('scopes', () => {
  test('are in the order of the contract, each once', () => {
    expect(readScopes('predict, read,predict')).toEqual(['read', 'predict']);
  });

  test.each(['read,admin', ''])('may not be %j', (text) => {
    expect(() => readScopes(text)).toThrow('one or more of read,write,predict,ask,operate');
  });
});

test.each(['requests=-1', 'requests=', 'requests=1e3', 'rows=1000000000000', 'rows= 1', 'Rows=1', '__proto__=1', ''])(
  'a limit may not be %j',
  (text) => {
    expect(() => readLimit(text)).toThrow(/a whole number from 1 to 999999999999|one of requests/);
  },
);

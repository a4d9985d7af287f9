/** Tests of the promises that an answer and a request keep. */
import { describe, expect, test } from 'vitest';
import { documentedAnswers, keptByAnswer, keptByRequest } from './promises.js';
import { contract, createPen, problem } from './small-contract.js';

describe('an answer', () => {
  const documented = documentedAnswers(contract, [createPen]);
  const kept = (status: string, mediaType: string, body: unknown, headers = {}) => {
    const answer = documented.find((one) => one.status === status);
    if (answer === undefined) throw new Error(`There is no ${status}`);
    return keptByAnswer(answer, {
      headers: new Headers({ 'Content-Type': mediaType, ...headers }),
      body: JSON.stringify(body),
    });
  };
  const JSON_TYPE = 'application/json; charset=utf-8';
  const PROBLEM = 'application/problem+json';

  test('keeps its status and its headers', () => {
    expect(kept('201', JSON_TYPE, { name: 'other' }, { Location: '/x' })).toEqual([
      'createPen 201',
      'createPen 201 header Location',
    ]);
  });

  test('keeps the example of a problem of its type in the same words, with other names and numbers', () => {
    expect(kept('409', PROBLEM, problem('name-taken', 'There is already an agent named "b" in it.'))).toEqual([
      'createPen 409',
      'createPen 409 example taken',
    ]);
    for (const other of [
      problem('name-taken', 'There is a skill named "a" in it already.'),
      problem('limit-reached', 'There is already a skill named "a" in it.'),
    ]) {
      expect(kept('409', PROBLEM, other)).toEqual(['createPen 409']);
    }
  });

  test('keeps the message of each of its errors', () => {
    const said = problem('invalid', 'It does not fit at 1 place.', [{ message: 'must have at most 7 characters' }]);
    expect(kept('409', PROBLEM, said)).toEqual([
      'createPen 409',
      'createPen 409 example faulty',
      'fault /problems/invalid: must have at most … character',
    ]);
  });
});

describe('a request', () => {
  const kept = (status: number, sent: unknown, query = '') =>
    keptByRequest(createPen, {
      url: new URL(`http://127.0.0.1/pens${query}`),
      requestHeaders: new Headers({ 'Content-Type': 'application/json' }),
      sent: JSON.stringify(sent),
      status,
      headers: new Headers(),
      body: '',
    });

  test('with an example as its body keeps it if it is accepted', () => {
    expect(kept(201, { name: 'one' })).toEqual(['createPen request pen']);
    expect(kept(400, { name: 'one' })).toEqual([]);
    expect(kept(201, { name: 'two' })).toEqual([]);
  });

  test('with an example as a parameter keeps it if it is parsed', () => {
    expect(kept(201, {}, '?limit=10')).toEqual(['createPen parameter limit ten']);
    expect(kept(404, {}, '?colour=red&colour=blue')).toEqual(['createPen parameter colour both']);
    expect(kept(400, {}, '?limit=10')).toEqual([]);
    expect(kept(201, {}, '?limit=11&colour=red')).toEqual([]);
  });
});

/** Tests of the messages that an agent is asked with: the refusal names the message and says what to do. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ownProject, readObject, sendJson } from '../../target.js';

let agent: string;
beforeAll(async () => {
  const project = await ownProject();
  const created = await sendJson('POST', `/projects/${project}/agents`, { agent: { name: 'analyst' } });
  expect(created.status).toBe(201);
  agent = `/projects/${project}/agents/analyst`;
});

const FORMS =
  'must be a message, of the same form as the others: {"question": "…", "answer": null} or {"role": "user", "content": "…"}';
const person = { role: 'user', content: 'Hi' };

describe.each(['completions', 'completions/stream'])('%s', (address) => {
  const ask = (messages: unknown) => sendJson('POST', `${agent}/${address}`, { messages });
  const faultsOf = async (refused: Response) => {
    const { type, errors } = await readObject(refused);
    expect([refused.status, type]).toEqual([400, '/problems/invalid-request']);
    return (Array.isArray(errors) ? errors : []).map(({ pointer, message }) => [pointer, message]);
  };

  test.each<[string, unknown, string, string]>([
    ['of both forms at once', [{ ...person, question: 'Hi' }], '/0', FORMS],
    ['of two forms', [{ question: 'Hi', answer: 'Hello' }, person], '/1', FORMS],
    ['of no form', [person, { text: 'Hi' }], '/1', FORMS],
    ['that is a text', ['Hi'], '/0', FORMS],
    ['of an unknown role', [{ ...person, role: 'system' }], '/0/role', 'must be one of user, assistant'],
    ['without a text', [{ role: 'user' }], '/0/content', 'is required; add it'],
    ['without a role', [{ content: 'Hi' }], '/0/role', 'is required; add it'],
    ['of an empty text', [{ question: '', answer: null }], '/0/question', 'must have at least 1 character'],
    ['of too long a text', [{ question: 'x'.repeat(100_001) }], '/0/question', 'must have at most 100000 characters'],
    ['of parts', [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], '/0/content', 'must be a string'],
    ['with an unknown field', [{ ...person, name: 'Ann' }], '/0/name', 'is not a known field; leave it out'],
    [
      'of half a character',
      [{ ...person, content: '\ud83d' }],
      '/0/content',
      'must not contain the character U+0000 or half of a surrogate pair',
    ],
  ])('refuses a message %s', async (_what, messages, place, message) => {
    expect(await faultsOf(await ask(messages))).toEqual([[`/body/messages${place}`, message]]);
  });

  test.each<[string, unknown, string]>([
    ['none', [], 'must have at least 1 item'],
    ['a text instead', 'Hi', 'must be an array'],
    ['too many', Array.from({ length: 1001 }, () => person), 'must have at most 1000 items'],
  ])('refuses %s', async (_what, messages, message) => {
    expect(await faultsOf(await ask(messages))).toEqual([['/body/messages', message]]);
  });

  test('refuses 10,000 messages without looking at each', async () => {
    const messages = Array.from({ length: 10_000 }, () => ({ ...person, content: 7 }));
    expect(await faultsOf(await ask(messages))).toEqual([
      ['/body', 'must hold at most 10000 arrays, objects and members'],
    ]);
  });

  test('refuses 10 MB', async () => {
    const refused = await ask([{ question: 'x'.repeat(10 * 1024 * 1024) }]);
    expect(refused.status).toBe(413);
  });

  test.each([
    ['answer', [{ question: 'Hi', answer: 'Hello' }]],
    ['role', [person, { role: 'assistant', content: 'Hello' }]],
  ])('refuses messages whose last one is an answer, by its %s', async (field, messages) => {
    const faults = await faultsOf(await ask(messages));
    expect(faults).toEqual([[`/body/messages/${messages.length - 1}/${field}`, expect.any(String)]]);
  });
});

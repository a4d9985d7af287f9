/** Tests that requests which use something deprecated, and only those, get the date until which it works. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ownProject, send, sendJson } from '../target.js';

const DATES = { deprecation: '@1795392000', sunset: 'Tue, 23 Nov 2027 00:00:00 GMT' };
const NONE = { deprecation: null, sunset: null };

const datesOf = ({ headers }: Response) => ({ deprecation: headers.get('Deprecation'), sunset: headers.get('Sunset') });

let resources: string;
beforeAll(async () => {
  resources = `/projects/${await ownProject()}`;
  await sendJson('POST', `${resources}/agents`, { agent: { name: 'kept' } });
  await sendJson('POST', `${resources}/chatbots`, { chatbot: { name: 'kept' } });
});

describe.each(['agent', 'chatbot'])('params of the %s', (kind) => {
  const all = () => `${resources}/${kind}s`;
  const write = (method: string, address: string, fields: object) =>
    sendJson(method, `${all()}${address}`, { [kind]: fields });

  test('are announced where they are accepted', async () => {
    const created = await write('POST', '', { name: 'one', params: { a: 1 } });
    expect([created.status, datesOf(created)]).toEqual([201, DATES]);
    const updated = await write('PUT', '/one', { params: {} });
    expect([updated.status, datesOf(updated)]).toEqual([200, DATES]);
  });

  test.each([
    ['that fit nothing', 'PUT', '/kept', { params: 5 }, 400],
    ['beside settings', 'PUT', '/kept', { params: {}, settings: {} }, 400],
    ['of an invalid creation', 'POST', '', { name: '-', params: {} }, 400],
    ['of a name that is taken', 'POST', '', { name: 'kept', params: {} }, 409],
  ])('%s are announced with the refusal', async (_what, method, address, fields, status) => {
    const response = await write(method, address, fields);
    expect([response.status, datesOf(response)]).toEqual([status, DATES]);
  });

  test('that are null, elsewhere or in another resource are not announced', async () => {
    for (const fields of [{ params: null }, { settings: { params: {} } }, {}]) {
      expect(datesOf(await write('PUT', '/kept', fields))).toEqual(NONE);
    }
    const skill = { name: `of-${kind}`, type: 'lookup', params: {} };
    expect(datesOf(await sendJson('POST', `${resources}/skills`, { skill }))).toEqual(NONE);
    expect(datesOf(await send(`${all()}/kept`))).toEqual(NONE);
  });

  test('are not announced before they are read', async () => {
    const notJson = await send(all(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"${kind}": {"params": {}`,
    });
    expect([notJson.status, datesOf(notJson)]).toEqual([400, NONE]);
  });
});

test('params of a chatbot that an update creates are announced', async () => {
  const response = await sendJson('PUT', `${resources}/chatbots/new`, { chatbot: { params: {} } });
  expect([response.status, datesOf(response)]).toEqual([201, DATES]);
});

test('a deletion of an agent is announced at its plural address alone', async () => {
  await sendJson('POST', `${resources}/agents`, { agent: { name: 'first' } });
  await sendJson('POST', `${resources}/agents`, { agent: { name: 'second' } });
  const dates = { deprecation: '@1795996800', sunset: 'Tue, 30 Nov 2027 00:00:00 GMT' };
  for (const status of [204, 404]) {
    const plural = await send(`${resources}/agents/first`, { method: 'DELETE' });
    expect([plural.status, datesOf(plural)]).toEqual([status, dates]);
  }
  const singular = await send(`${resources}/agent/second`, { method: 'DELETE' });
  expect([singular.status, datesOf(singular)]).toEqual([204, NONE]);
});

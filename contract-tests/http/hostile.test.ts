/** Tests of hostile and careless callers. Against the server alone: a mock keeps nothing to harm. */
import { connect } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { baseUrl, keys, ownProject, readObject, roster, send, sendJson } from '../target.js';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const skills = () => `/projects/${project}/skills`;
const agents = () => `/projects/${project}/agents`;
const models = () => `/api/projects/${project}/models`;

/** Sends bytes unchanged, and returns everything that comes back until the connection ends. */
async function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  // Not `end`: to a caller who hangs up, Node sends only what it has ready.
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

async function fault(answer: Promise<Response>) {
  const response = await answer;
  const { errors, detail } = await readObject(response);
  return { status: response.status, errors, detail };
}

describe('a body with countless faults', () => {
  test('is refused for its length, before its elements are checked', async () => {
    const body = { agent: { name: 'a', skills: Array.from({ length: 90_000 }, () => '') } };
    expect(await fault(sendJson('POST', agents(), body))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/body/agent/skills', message: 'must have at most 1000 items' }],
    });
  });

  test('is refused for its number of members, before it is parsed', async () => {
    const params = { deep: Array.from({ length: 10_001 }, () => ({})) };
    const body = { skill: { name: 's', type: 'lookup', params } };
    expect(await fault(sendJson('POST', skills(), body))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/body', message: 'must hold at most 10000 arrays, objects and members' }],
    });
  });

  test('is refused for its number of values, before it is parsed', async () => {
    const params = { numbers: Array.from({ length: 100_001 }, () => 0) };
    const body = { skill: { name: 's', type: 'lookup', params } };
    expect(await fault(sendJson('POST', skills(), body))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/body', message: 'must hold at most 100000 values' }],
    });
  });

  test('gets a hundred of its unknown fields named, and a note that there are more', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`x${n}`, n]));
    const { errors, detail } = await fault(sendJson('POST', skills(), { skill: fields }));
    expect(errors).toHaveLength(100);
    expect(detail).toBe('/body/skill/name is required; add it. More than 99 faults follow.');
  });

  test('gets a hundred of its faulty items named, in their order', async () => {
    const named = Array.from({ length: 1000 }, (_, n) => (n === 0 ? 'sound' : n));
    const body = { agent: { name: 'a', skills: named } };
    const { errors } = await fault(sendJson('POST', agents(), body));
    expect(errors).toMatchObject(Array.from({ length: 100 }, (_, n) => ({ pointer: `/body/agent/skills/${n + 1}` })));
  });

  test('gets a hundred of its numbers named that no double represents', async () => {
    const numbers = `[${Array.from({ length: 90_000 }, () => '1e999')}]`;
    const response = await send(skills(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"skill":{"name":"s","type":"lookup","params":{"numbers":${numbers}}}}`,
    });
    expect(response.status).toBe(400);
    const { errors, detail } = await readObject(response);
    expect(errors).toHaveLength(100);
    expect(detail).toContain('More than 99 faults follow');
  });

  test('gets only that error if it has too many rows to predict', async () => {
    const rows = Array.from({ length: 100_001 }, () => 0);
    expect(await fault(sendJson('POST', `${models()}/m/predict`, rows))).toMatchObject({
      errors: [{ pointer: '/body', message: 'must have at most 100000 items' }],
    });
  });

  test('gets the errors of the intended branch of a choice', async () => {
    const body = { data: [1], params: 5 };
    const { errors } = await fault(sendJson('POST', `${models()}/m/predict`, body));
    expect(errors).toEqual([{ pointer: '/body/params', message: 'must be an object or null' }]);
  });
});

describe('a stored resource', () => {
  const keys = (from: number) => Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`k${from + n}`, n]));

  test('does not grow beyond the limits by merging', async () => {
    await sendJson('POST', skills(), { skill: { name: 's', type: 'lookup', params: keys(0) } });
    const merged = sendJson('PUT', `${skills()}/s`, { skill: { params: keys(1000) } });
    expect(await fault(merged)).toMatchObject({ status: 400, errors: [{ pointer: '/body/skill/params' }] });
    const { data } = await roster.GET('/projects/{project_name}/skills/{skill_name}', {
      params: { path: { project_name: project, skill_name: 's' } },
    });
    expect(data?.params).toEqual(keys(0));
  });

  test('does not grow beyond the limits by merging params, the synonym of settings', async () => {
    await sendJson('POST', agents(), { agent: { name: 'a', settings: keys(0) } });
    const merged = sendJson('PUT', `${agents()}/a`, { agent: { params: keys(1000) } });
    expect(await fault(merged)).toMatchObject({ errors: [{ pointer: '/body/agent/params' }] });
  });

  test('has no number that JSON could not return', async () => {
    const body = '{"skill":{"name":"s","type":"lookup","params":{"a":[1,{"b/c":1e400}]}}}';
    const sent = send(skills(), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect(await fault(sent)).toMatchObject({ status: 400, errors: [{ pointer: '/body/skill/params/a/1/b~1c' }] });
  });

  test('has no lone surrogate in its texts', async () => {
    const { errors } = await fault(sendJson('POST', skills(), { skill: { name: 's', type: '\ud800' } }));
    expect(errors).toMatchObject([{ pointer: '/body/skill/type' }]);
  });
});

describe('a body in another encoding', () => {
  const post = (contentType: string, body: Uint8Array<ArrayBuffer>) =>
    send(skills(), { method: 'POST', headers: { 'Content-Type': contentType }, body });

  test('than UTF-8 is malformed', async () => {
    const body = Buffer.from('{"skill":{"name":"s","type":"caf\xe9"}}', 'latin1');
    const response = await post('application/json', new Uint8Array(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: '/problems/malformed-body' });
  });

  test('is refused if its Content-Type says so', async () => {
    const body = new Uint8Array(Buffer.from('{"skill":{"name":"s","type":"x"}}', 'utf16le'));
    expect((await post('application/json; charset=utf-16', body)).status).toBe(415);
  });

  test('is accepted if its Content-Type names UTF-8 by its alias', async () => {
    const body = new Uint8Array(Buffer.from('{"skill":{"name":"s","type":"café"}}'));
    expect((await post('application/json; charset="utf8"', body)).status).toBe(201);
  });
});

describe('the target parameter', () => {
  test('may have characters that a query need not escape', async () => {
    const rows = Array.from({ length: 60 }, (_, n) => ({ x: n, "Price (USD)!*'": n * 2 }));
    const response = await sendJson('PUT', `${models()}/m?target=Price%20(USD)!*'`, rows);
    expect(response.status).toBe(202);
  });

  test('is refused if it is empty', async () => {
    const { errors } = await fault(sendJson('PUT', `${models()}/m?target=`, []));
    expect(errors).toEqual([{ pointer: '/query/target', message: 'must not be empty' }]);
  });
});

test.each(['0000000000000000000000', 'made-up', '0'.repeat(100)])(
  'the made-up cursor %s is refused, and the error says where cursors come from',
  async (cursor) => {
    const { errors } = await fault(send(`${skills()}?cursor=${cursor}`));
    expect(errors).toEqual([
      { pointer: '/query/cursor', message: 'must be a cursor as the Link header of the page before gives it' },
    ]);
  },
);

describe('a request line', () => {
  test('with a scheme and a host means the same as without them', async () => {
    const answer = await exchange(
      `GET http://somewhere.example${skills()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.own}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test('with a fragment gets a problem', async () => {
    const answer = await exchange(
      `GET ${skills()}#a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.own}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(answer).toContain('/problems/unreadable-request');
  });

  test('of fifteen kilobytes gets a problem that fits its schema', async () => {
    const response = await send(`/${'x'.repeat(15_000)}`);
    expect(response.status).toBe(404);
  });

  test('without a Host header gets a problem', async () => {
    const answer = await exchange(
      `GET ${skills()} HTTP/1.1\r\nAuthorization: Bearer ${keys.own}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(answer).toContain('/problems/unreadable-request');
  });

  test('with an unknown expectation is served', async () => {
    const answer = await exchange(
      `GET ${skills()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.own}\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

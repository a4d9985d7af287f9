/** Tests of the documents of skills. Against the server alone: a mock keeps none. */
import { request } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { baseUrl, keys, ownProject, readObject, send, sendAs, sendJson } from '../../target.js';

let project: string;
beforeEach(async () => {
  project = await ownProject();
  const skill = { name: 'care', type: 'retrieval', params: { source: 'diamonds' } };
  expect((await sendJson('POST', `/projects/${project}/skills`, { skill })).status).toBe(201);
});

const documents = () => `/projects/${project}/skills/care/documents`;
const one = (name = 'care.md') => `${documents()}/${name}`;

function put(body: string | Uint8Array<ArrayBuffer>, type = 'text/markdown', name = 'care.md') {
  const headers = { 'Content-Type': type };
  return send(one(name), { method: 'PUT', headers, body });
}

async function problemOf(answer: Promise<Response>) {
  const response = await answer;
  const { type, detail, errors } = await readObject(response);
  return { status: response.status, type, detail, errors };
}

const LATIN1 = new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65]);

describe('a document', () => {
  test.each(['text/markdown', 'text/plain'])('comes back as it was sent, as %s', async (type) => {
    const text = '# Größe\r\n\r\n日本語 😀\n\n';
    const created = await put(text, `${type}; charset=UTF-8`);
    expect(created.status).toBe(201);
    expect(created.headers.get('Location')).toBe(one());
    const bytes = Buffer.byteLength(text);
    expect(await readObject(created)).toMatchObject({ media_type: type, bytes, passages: 1 });
    const read = await send(one());
    expect(read.headers.get('Content-Type')).toBe(`${type}; charset=utf-8`);
    expect(await read.text()).toBe(text);
  });

  test('may be empty, and loses a byte order mark', async () => {
    expect(await readObject(await put(''))).toMatchObject({ bytes: 0, passages: 0 });
    expect(await (await send(one())).text()).toBe('');
    expect(await readObject(await put('\ufeffText.'))).toMatchObject({ bytes: 5 });
    expect(await (await send(one())).text()).toBe('Text.');
  });

  test('of 4 MiB is kept, read and replaced', async () => {
    const text = 'Clean a diamond. '.repeat(300_000).slice(0, 4 * 1024 * 1024);
    expect(await readObject(await put(text))).toMatchObject({ bytes: 4 * 1024 * 1024 });
    expect((await (await send(one())).text()) === text).toBe(true);
    expect((await put('Short.')).status).toBe(200);
    expect(await (await send(one())).text()).toBe('Short.');
  });

  test('is found by the identifier of its skill, and pages through the list', async () => {
    const { id } = await readObject(await send(`/projects/${project}/skills/care`));
    for (const name of ['a', 'b', 'c']) await put('Text.', 'text/plain', name);
    expect(await (await send(one('a').replace('care', `${id}`))).text()).toBe('Text.');
    const first = await send(`${documents()}?limit=2`);
    expect(await first.json()).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    const [, next = ''] = /<(.*)>/.exec(first.headers.get('Link') ?? '') ?? [];
    expect(await (await send(next)).json()).toMatchObject([{ name: 'c' }]);
  });

  test('goes with its skill', async () => {
    await put('Text.');
    expect((await send(`/projects/${project}/skills/care`, { method: 'DELETE' })).status).toBe(204);
    expect((await send(`/projects/${project}`, { method: 'DELETE' })).status).toBe(204);
  });

  test('is for its owner alone', async () => {
    await put('Text.');
    const headers = { 'Content-Type': 'text/plain' };
    for (const init of [{}, { method: 'DELETE' }, { method: 'PUT', headers, body: 'x' }]) {
      expect((await sendAs(keys.stranger, one(), init)).status).toBe(404);
    }
    expect((await sendAs(keys.stranger, documents())).status).toBe(404);
    expect((await sendAs(keys.read, one(), { method: 'DELETE' })).status).toBe(403);
    expect(await (await send(one())).text()).toBe('Text.');
  });
});

describe('a document is refused', () => {
  test('in another encoding, with the first byte that is not UTF-8', async () => {
    expect(await problemOf(put(LATIN1))).toMatchObject({
      status: 400,
      type: '/problems/malformed-body',
      detail: expect.stringContaining('byte 3 is not part of a character'),
    });
    expect(await problemOf(put(LATIN1, 'text/plain; charset=iso-8859-1'))).toMatchObject({
      status: 415,
      detail: expect.stringContaining('send the body in UTF-8'),
    });
    const cutOff = new Uint8Array(Buffer.from('Größe 😀')).slice(0, -1);
    expect(await problemOf(put(cutOff))).toMatchObject({ detail: expect.stringContaining('byte 9 is not') });
  });

  test('with the character U+0000', async () => {
    expect(await problemOf(put('a\0b'))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/body', message: expect.stringContaining('U+0000, as byte 2 does') }],
    });
  });

  test('under a name that cannot be, whatever its text', async () => {
    expect(await problemOf(put('Text.', 'text/plain', '.care'))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/path/document_name' }],
    });
  });

  test('as JSON', async () => {
    expect(await problemOf(sendJson('PUT', one(), {}))).toMatchObject({
      status: 415,
      detail: expect.stringContaining('send text/markdown or text/plain'),
    });
  });

  test('for a skill that keeps none, or that is not there', async () => {
    const skill = { name: 'notes', type: 'notes', params: {} };
    await sendJson('POST', `/projects/${project}/skills`, { skill });
    const headers = { 'Content-Type': 'text/plain' };
    const to = (name: string) => send(one().replace('/care/', `/${name}/`), { method: 'PUT', headers, body: 'Text.' });
    expect(await problemOf(to('notes'))).toMatchObject({
      status: 422,
      detail: expect.stringContaining('"notes" keeps no documents'),
    });
    expect(await problemOf(to('other'))).toMatchObject({ status: 404 });
  });
});

/** Sends a request with chunks of 1 MiB until it is answered; returns the status and what was sent. */
function upload(path: string, headers: Record<string, string>, chunks: number) {
  return new Promise<{ status: number | undefined; sent: number }>((resolve, reject) => {
    const sender = request(baseUrl + path, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${keys.own}`, 'Content-Type': 'text/plain', ...headers },
    });
    let sent = 0;
    let status: number | undefined;
    const chunk = Buffer.alloc(1024 * 1024, 'a ');
    const next = () => {
      if (status !== undefined || sent === chunks) sender.end();
      else {
        sent += 1;
        sender.write(chunk, () => setImmediate(next));
      }
    };
    sender.on('response', (response) => {
      status = response.statusCode;
      response.resume();
      response.once('close', () => resolve({ status, sent }));
    });
    // The service may close the connection while the rest is on its way.
    sender.once('error', (error) => (status === undefined ? reject(error) : resolve({ status, sent })));
    sender.flushHeaders();
    setImmediate(next);
  });
}

describe('a document of 100 MiB is refused', () => {
  test('by its length', async () => {
    const length = { 'Content-Length': String(100 * 1024 * 1024) };
    const { status, sent } = await upload(one(), length, 100);
    expect(status).toBe(413);
    expect(sent).toBeLessThan(100);
  });

  test('when it exceeds 4 MiB, if it does not say its length', async () => {
    const { status, sent } = await upload(one(), {}, 100);
    expect(status).toBe(413);
    expect(sent).toBeLessThan(100);
  });

  test('before any of it is read, if its skill is not there', async () => {
    const { status, sent } = await upload(one().replace('/care/', '/other/'), {}, 100);
    expect(status).toBe(404);
    expect(sent).toBeLessThan(100);
  });
});

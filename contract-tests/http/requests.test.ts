/** Tests of how requests are read, whatever the operation. Against the server alone. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { csv, sendTable } from '../sent-tables.js';
import { ownProject, send } from '../target.js';

let project: string;
beforeAll(async () => {
  project = await ownProject();
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const skill = (name: string) => JSON.stringify({ skill: { name, type: 'lookup' } });

function createSkill(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE) {
  return send(`/projects/${project}/skills`, { method: 'POST', headers, body });
}

describe('X-Request-Id', () => {
  test.each(['a', 'A-Z_a.z:0-9', 'x'.repeat(128)])('is echoed: %s', async (id) => {
    const response = await send(`/projects/${project}`, { headers: { 'X-Request-Id': id } });
    expect(response.headers.get('X-Request-Id')).toBe(id);
  });

  test.each(['', 'two words', 'x'.repeat(129), 'a,b', 'é'])('is replaced: %s', async (id) => {
    const response = await send(`/projects/${project}`, { headers: { 'X-Request-Id': id } });
    expect(response.headers.get('X-Request-Id')).not.toBe(id);
  });

  test('is generated for a request that has none', async () => {
    const [one, two] = [await send('/health/live'), await send('/health/live')];
    expect(one.headers.get('X-Request-Id')).not.toBe(two.headers.get('X-Request-Id'));
  });

  test.each([
    ['a fault', '/projects/default?colour=red'],
    ['a missing resource', '/projects/none?limit=1'],
    ['an unknown address', '/nowhere?a=b'],
  ])('is in the problem too, with the address, for %s', async (_what, address) => {
    const response = await send(address, { headers: { 'X-Request-Id': 'mine' } });
    expect(await response.json()).toMatchObject({ request_id: 'mine', instance: address });
  });
});

describe('Accept', () => {
  test.each([
    '*/*',
    'application/*',
    'application/json',
    'application/json; charset=utf-8',
    'text/html, application/json;q=0.5',
    'application/xml, */*;q=0.1',
  ])('accepts JSON: %s', async (accept) => {
    expect((await send('/projects', { headers: { Accept: accept } })).status).toBe(200);
  });

  test.each(['text/html', 'application/xml', 'application/json;q=0', 'application/problem+json'])(
    'excludes JSON: %s',
    async (accept) => {
      const response = await send('/projects', { headers: { Accept: accept } });
      expect(response.status).toBe(406);
    },
  );

  test('does not matter if the answer has no body', async () => {
    await createSkill(skill('accepted'));
    const response = await send(`/projects/${project}/skills/accepted`, {
      method: 'DELETE',
      headers: { Accept: 'text/html' },
    });
    expect(response.status).toBe(204);
  });
});

describe('Content-Type', () => {
  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
    'is accepted as JSON: %s',
    async (type) => {
      const name = `typed-${type.replace(/\W/g, '')}`;
      expect((await createSkill(skill(name), { 'Content-Type': type })).status).toBe(201);
    },
  );

  test.each(['text/plain', 'text/csv', 'application/xml', 'application/json; charset=latin1', '?'])(
    'is refused: %s',
    async (type) => {
      const response = await createSkill(skill('refused'), { 'Content-Type': type });
      expect(response.status).toBe(415);
    },
  );

  test('is required', async () => {
    // fetch sends no default type for bytes.
    const response = await createSkill(new TextEncoder().encode(skill('untyped')), {});
    expect(response.status).toBe(415);
  });
});

describe('a body', () => {
  test.each([
    ['that breaks off', '{"skill":{"name":"a"'],
    ['with text after its end', `${skill('a')}}`],
    ['in single quotes', "{'skill':{}}"],
    ['with NaN', '{"skill":NaN}'],
  ])('%s is malformed', async (_what, body) => {
    const response = await createSkill(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: '/problems/malformed-body' });
  });

  test('is refused if it is empty', async () => {
    expect((await createSkill('')).status).toBe(400);
  });

  test.each(['gzip', 'deflate', 'br', 'rot13'])(
    'is refused if it is compressed, since it could expand to fill all memory: %s',
    async (encoding) => {
      const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
      const response = await createSkill(new Uint8Array(gzipSync(skill('zipped'))), headers);
      expect(response.status).toBe(415);
      expect(response.headers.get('Accept-Encoding')).toBe('identity');
      expect(await response.json()).toMatchObject({
        detail: `The Content-Encoding "${encoding}" is not taken here; send the body as it is.`,
      });
    },
  );

  test.each([
    ['createSkill', 'POST', () => `/projects/${project}/skills`, 'application/json'],
    ['predict', 'POST', () => `/api/projects/${project}/models/none/predict`, 'application/json'],
    ['trainModel', 'PUT', () => `/api/projects/${project}/models/big?target=a`, 'application/json'],
  ])('of 33 MiB is too large: %s %s %s', async (_operation, method, address, type) => {
    const response = await send(address(), {
      method,
      headers: { 'Content-Type': type },
      body: `"${'a'.repeat(33 * 1024 * 1024)}"`,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ type: '/problems/body-too-large' });
  });

  test('other than a table may have 1 MiB, and no more', async () => {
    const MEBIBYTE = 1024 * 1024;
    expect((await createSkill(skill('wide').padEnd(MEBIBYTE + 1))).status).toBe(413);
    expect((await createSkill(skill('wide').padEnd(MEBIBYTE))).status).toBe(201);
  });

  test('of 33 MiB and unknown length is too large', async () => {
    const chunk = new TextEncoder().encode('['.padEnd(1024 * 1024));
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 33) {
          controller.close();
        } else {
          controller.enqueue(chunk);
        }
      },
    });
    const response = await send(`/api/projects/${project}/models/big?target=a`, {
      method: 'PUT',
      duplex: 'half',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect(response.status).toBe(413);
    expect((await send(`/api/projects/${project}/models/big`)).status).toBe(404);
  });

  test('with a table as CSV may be larger than other bodies', async () => {
    // As many bytes in fewer rows are read faster.
    const long = 'x'.repeat(4000);
    const response = await sendTable(
      { projectName: project, modelName: 'large' },
      'text/csv',
      csv('text,x,y', 10_000, (row) => `${long} ${row % 500},${row % 7},${row % 100}`),
    );
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ row_count: 10_000 });
    await send(`/api/projects/${project}/models/large`, { method: 'DELETE' });
  });

  test('with a table may be compressed', async () => {
    const response = await send(`/api/projects/${project}/models/zipped?target=price`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' },
      body: new Uint8Array(gzipSync(someDiamonds(100))),
    });
    expect(response.status).toBe(202);
  });
});

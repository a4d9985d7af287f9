import { describe, expect, test } from 'vitest';
import { faulty, roster, situation } from '../target.js';

const ONE = '/keys/{key_id}';
const ABSENT = '0000000000000000';

async function newKey(): Promise<string> {
  const { data } = await roster.POST('/keys', { body: { key: { name: 'checkout', scopes: ['read'] } } });
  return data?.id ?? '';
}

const at = (key_id: string) => ({ params: { path: { key_id } } });

test('listKeys answers 200 with the keys, and no secrets', async () => {
  await newKey();
  const { data, response } = await roster.GET('/keys');
  expect(response.status).toBe(200);
  expect(data?.some(({ name }) => name === 'checkout')).toBe(true);
  expect(JSON.stringify(data)).not.toContain('roster_');
});

describe('createKey', () => {
  test('answers 201 with the key, its secret and its address', async () => {
    const { data, response } = await roster.POST('/keys', {
      body: {
        key: {
          name: 'checkout',
          scopes: ['read', 'predict'],
          project: 'default',
          limits: { requests: 60, rows: 100_000 },
          expires_at: '2099-01-31T00:00:00Z',
        },
      },
      ...(await situation(201, 'key')),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe(`/keys/${data?.id}`);
    expect(data?.secret.startsWith(`roster_${data.id}_`)).toBe(true);
    expect(data).toMatchObject({
      scopes: ['read', 'predict'],
      project: 'default',
      limits: { requests: 60, rows: 100_000 },
      expires_at: '2099-01-31T00:00:00.000Z',
      last_used_at: null,
    });
  });

  test('answers 400 for an end that has passed', async () => {
    const given = await situation(400, 'invalid');
    const expires_at = faulty('2020-01-01T00:00:00Z', '2099-01-31T00:00:00Z');
    const { error } = await roster.POST('/keys', {
      body: { key: { name: 'checkout', scopes: ['read'], expires_at } },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 404 for a project that does not exist', async () => {
    const given = await situation(404, 'project');
    const { error } = await roster.POST('/keys', {
      body: { key: { name: 'checkout', scopes: ['read'], project: 'no_such_project' } },
      ...given,
    });
    expect(error).toMatchObject({ type: '/problems/project-not-found', errors: [{ pointer: '/body/key/project' }] });
  });
});

describe('getKey', () => {
  test('answers 200 with the key, and 304 to who has it', async () => {
    const id = await newKey();
    const { data, response } = await roster.GET(ONE, at(id));
    expect(data).not.toHaveProperty('secret');
    const { response: again } = await roster.GET(ONE, {
      params: { path: { key_id: id }, header: { 'If-None-Match': response.headers.get('ETag') ?? '' } },
      ...(await situation(304, null)),
    });
    expect(again.status).toBe(304);
  });

  test('answers 412 to a caller who wants another state of it', async () => {
    const id = await newKey();
    const params = { path: { key_id: id }, header: { 'If-Match': '"another"' } };
    const { error } = await roster.GET(ONE, { params, ...(await situation(412, 'changed')) });
    expect(error?.type).toBe('/problems/precondition-failed');
  });

  test('answers 404 for an unknown identifier', async () => {
    const given = await situation(404, 'key');
    const { error } = await roster.GET(ONE, { ...at(ABSENT), ...given });
    expect(error?.type).toBe('/problems/key-not-found');
  });
});

describe('deleteKey', () => {
  test('answers 204, and the key is no longer there', async () => {
    const id = await newKey();
    expect((await roster.DELETE(ONE, at(id))).response.status).toBe(204);
    const given = await situation(404, 'key');
    const { error } = await roster.DELETE(ONE, { ...at(id), ...given });
    expect(error?.type).toBe('/problems/key-not-found');
  });
});

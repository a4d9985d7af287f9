import { expect, test } from 'vitest';
import { keys, roster, sendAs, situation } from '../target.js';

test('getCaller answers 200 with the owner, the key, its scopes and the limits', async () => {
  const { data, response } = await roster.GET('/me');
  expect(response.status).toBe(200);
  expect(data?.owner).not.toBe('');
  expect(data?.key).toMatchObject({ id: expect.any(String), name: expect.any(String) });
  expect(data?.scopes).toContain('read');
  expect(data?.limits.max_body).toBeGreaterThan(0);
});

test('getCaller answers 401 to a revoked key', async () => {
  const { headers } = await situation(401, 'revoked');
  const response = await sendAs(keys.revoked, '/me', { headers });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ type: '/problems/unauthorized' });
});

import { expect, test } from 'vitest';
import { roster } from '../target.js';

test('getLiveness answers 200 while the process runs', async () => {
  const { data, response } = await roster.GET('/health/live');
  expect(response.status).toBe(200);
  expect(data).toEqual({ status: 'live' });
});

test('getReadiness answers 200 while the service is ready', async () => {
  const { data, response } = await roster.GET('/health/ready');
  expect(response.status).toBe(200);
  expect(data).toEqual({ status: 'ready' });
});

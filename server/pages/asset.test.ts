import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from './asset.js';

const asset = { type: 'application/yaml', read: () => 'openapi: 3.1.0\n' };
const server = express()
  .get('/current', serve(asset))
  .get('/released', serve({ ...asset, isImmutable: true }))
  .listen(0, '127.0.0.1');
beforeAll(() => (server.listening ? undefined : once(server, 'listening')));
afterAll(() => server.close());

const get = (path: string, headers = {}) => {
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${path}`, { headers });
};

test('a file that never changes may be kept for a year, and is not sent again', async () => {
  const { headers } = await get('/released');
  expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  const again = await get('/released', { 'If-None-Match': `${headers.get('ETag')}` });
  expect(again.status).toBe(304);
});

test('another file is asked for each time', async () => {
  expect((await get('/current')).headers.get('Cache-Control')).toBe('no-cache');
});

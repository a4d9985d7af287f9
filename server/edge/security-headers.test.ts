import express, { type Express } from 'express';
import { describe, expect, test } from 'vitest';
import { listen } from '../../testkit/http/listen.js';
import { setSecurityHeaders } from './server.js';

async function start(set: (app: Express) => void = () => {}): Promise<string> {
  const app = express();
  app.disable('x-powered-by');
  set(app);
  app.use((_req, res, next) => {
    setSecurityHeaders(res);
    next();
  });
  app.get('/skills', (_req, res) => void res.json([]));
  return listen(app);
}

describe('an answer', () => {
  test('is data to a browser: not a page, in no frame, for no other origin', async () => {
    const { headers } = await fetch(`${await start()}/skills`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  test('carries the headers at an unknown address too', async () => {
    const answer = await fetch(`${await start()}/nowhere`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('carries no header that no browser uses', async () => {
    const { headers } = await fetch(`${await start()}/skills`);
    for (const name of [
      'origin-agent-cluster',
      'x-dns-prefetch-control',
      'x-download-options',
      'x-frame-options',
      'x-permitted-cross-domain-policies',
      'x-powered-by',
      'x-xss-protection',
      'strict-transport-security',
    ]) {
      expect(headers.has(name), name).toBe(false);
    }
  });
});

/** Tests of the recipe for pages that a server renders, with the real server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answered, createRosterClient, type RosterClient } from 'roster-client';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { skillPages } from '../../examples/recipes/server-side-rendering.js';
import { listen } from '../../testkit/http/listen.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';

const HOSTILE = '</script><script>alert(1)</script>';
let folder: string;
let key: string;
let server: ServerProcess;
let roster: RosterClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-'));
  const databaseFile = join(folder, 'roster.db');
  key = await makeKey(`file:${databaseFile}`, { name: 'pages' });
  server = await startServer({ databaseFile });
  roster = createRosterClient({ baseUrl: server.url, apiKey: key });
  await answered(
    roster.POST('/projects/{project_name}/skills', {
      params: { path: { project_name: 'default' } },
      body: { skill: { name: 'lookup', type: HOSTILE } },
    }),
  );
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Requests a page of a visitor, from a site that uses this client. */
async function visit(address: string, client = roster) {
  const site = await listen(skillPages(client));
  const response = await fetch(site + address, { headers: { 'X-Request-Id': 'of-the-visitor' } });
  return { response, html: await response.text() };
}

function handedOver(html: string): unknown {
  return JSON.parse(/id="data">(.*?)<\/script>/.exec(html)?.[1] ?? '');
}

test('a page shows a skill, and hands over what its script needs, escaped', async () => {
  const { response, html } = await visit('/skills/lookup');
  expect(response.status).toBe(200);
  expect(html).toContain('<h1>lookup</h1>');
  expect(html).not.toContain(HOSTILE);
  expect(handedOver(html)).toEqual({ name: 'lookup', type: HOSTILE });
  expect(html).not.toContain(key);
});

test('the service logs the id that the visitor is given, and not one that the visitor sends', async () => {
  const { response } = await visit('/skills/lookup');
  const id = `${response.headers.get('X-Request-Id')}`;
  expect(id).not.toBe('of-the-visitor');
  await expect.poll(() => server.log.some((line) => line.includes(id))).toBe(true);
});

test.each(['/skills/nothing', '/skills/..', '/skills/%ff', '/skills/a-name-1234'.padEnd(150, 'x'), '/'])(
  'a page that does not exist is 404: %s',
  async (address) => {
    const { response, html } = await visit(address);
    expect(response.status).toBe(404);
    expect(html).toContain('There is no such skill');
  },
);

test('a service that cannot be reached, or refuses the key, is not a separate page', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  const nowhere = createRosterClient({ baseUrl: 'http://127.0.0.1:9' });
  const withoutKey = createRosterClient({ baseUrl: server.url });
  for (const client of [nowhere, withoutKey]) {
    const { response, html } = await visit('/skills/lookup', client);
    expect(response.status).toBe(502);
    expect(html).not.toMatch(/ECONN|Unauthorized|127\.0\.0\.1/);
    expect(handedOver(html)).toEqual({ id: response.headers.get('X-Request-Id') });
  }
  expect(logged).toHaveBeenCalledOnce();
});

test('a service that is busy is 503', async () => {
  const busy = createRosterClient({
    baseUrl: server.url,
    fetch: async () =>
      Response.json(
        { type: '/problems/service-unavailable', status: 503 },
        { status: 503, headers: { 'Content-Type': 'application/problem+json' } },
      ),
  });
  expect((await visit('/skills/lookup', busy)).response.status).toBe(503);
});

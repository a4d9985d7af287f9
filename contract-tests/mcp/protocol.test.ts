import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentService } from '../agents/agent-service.js';
import { McpHost } from './mcp-host.js';

/** An origin whose pages may use the service. */
const ALLOWED = 'https://app.example';

let service: AgentService;
let older: McpHost;
let stateless: McpHost;
beforeAll(async () => {
  service = await AgentService.open({ ALLOWED_ORIGINS: ALLOWED });
  older = new McpHost(service, '2025-11-25');
  stateless = new McpHost(service, '2026-07-28');
});
afterAll(() => service.close());

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 7, method, params });

test.each(['/mcp', '/mcp/default'])('the tools of %s are listed in one message', async (path) => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } };
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
  const { status, body } = await stateless.send(message, { path, headers });
  expect(status).toBe(200);
  expect(body.result).toMatchObject({ tools: [], resultType: 'complete' });
});

describe('hosts that begin with initialize', () => {
  test.each(['2025-11-25', '2025-06-18'])('get the revision %s that they ask for', async (version) => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'host' } };
    const { status, body } = await older.ask('initialize', params);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      protocolVersion: version,
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'roster' },
      instructions: expect.stringContaining('"default"'),
    });
  });

  test('get the newest revision of their kind for one that is unknown', async () => {
    const { body } = await older.ask('initialize', { protocolVersion: '2024-11-05' });
    expect(body.result?.['protocolVersion']).toBe('2025-11-25');
  });

  const NAMED = ['2024-11-05', '2025-11-25', '2026-07-28', '2030-01-01', 'anything', ''];
  test.each(NAMED)('negotiate whatever the header MCP-Protocol-Version names: %j', async (header) => {
    for (const version of [...NAMED, 7, undefined]) {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'host' } };
      const { status, body } = await older.send(request('initialize', params), {
        headers: { 'MCP-Protocol-Version': header },
      });
      expect(status).toBe(200);
      const answered = `${body.result?.['protocolVersion']}`;
      expect(answered).toBe(version === '2025-11-25' ? version : '2025-11-25');
      const next = await older.send(request('tools/list'), { headers: { 'MCP-Protocol-Version': answered } });
      expect(next.status).toBe(200);
    }
  });

  test('get 202 without a body for a notification', async () => {
    const sent = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await older.send(sent)).toEqual({ status: 202, body: {} });
  });

  test('may ping, and get errors with 200', async () => {
    expect((await older.ask('ping')).body.result).toEqual({});
    expect(await older.ask('roots/list')).toMatchObject({ status: 200, body: { error: { code: -32601 } } });
  });

  test.each([null, { cursor: null }])('get a list for the params %j, which count as not sent', async (params) => {
    for (const method of ['tools/list', 'resources/list']) {
      const { status, body } = await older.send({ jsonrpc: '2.0', id: 7, method, params });
      expect([status, Object.keys(body.result ?? {})]).toEqual([200, [method.slice(0, -'/list'.length)]]);
    }
  });

  test('get results without the members of later revisions', async () => {
    const { body } = await older.ask('tools/list');
    expect(body.result).toEqual({ tools: [] });
  });
});

describe('hosts of revision 2026-07-28', () => {
  test('discover the revisions without a session', async () => {
    const { status, body } = await stateless.ask('server/discover');
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
      capabilities: { tools: {}, resources: {} },
      ttlMs: expect.any(Number),
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'roster' } },
    });
  });

  test.each(['initialize', 'ping', 'roots/list'])(
    'get 404 for the method %s, which the revision does not have',
    async (method) => {
      const { status, body } = await stateless.ask(method);
      expect([status, body.error?.code]).toEqual([404, -32601]);
      expect(body.error?.message).toContain('there are tools/list');
    },
  );

  test.each([
    ['MCP-Protocol-Version', '2025-11-25'],
    ['Mcp-Method', 'tools/call'],
  ])('are refused if the header %s contradicts the body', async (name, value) => {
    const { status, body } = await stateless.ask('tools/list', {}, { headers: { [name]: value } });
    expect([status, body.error?.code]).toEqual([400, -32020]);
    expect(body.error?.message).toContain(name);
    expect(body.id).toBeDefined();
  });

  test('are refused without the headers', async () => {
    const { status, body } = await stateless.send(request('tools/list', { _meta: META }));
    expect([status, body.id, body.error?.code]).toEqual([400, 7, -32020]);
  });

  test('may encode the name in the header', async () => {
    const encoded = `=?base64?${Buffer.from('nothing').toString('base64')}?=`;
    const named = (value: string) => stateless.call('nothing', {}, { headers: { 'Mcp-Name': value } });
    expect((await named(encoded)).body.error?.code).toBe(-32602);
    expect((await named('another')).body.error?.code).toBe(-32020);
  });

  test('get the list of revisions if theirs is unknown', async () => {
    const params = { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } };
    const headers = { 'MCP-Protocol-Version': '2030-01-01' };
    const { status, body } = await stateless.send(request('tools/list', params), { headers });
    expect([status, body.error?.code]).toEqual([400, -32022]);
    expect(body.error?.data).toMatchObject({ requested: '2030-01-01', supported: expect.any(Array) });
    const withoutMeta = await stateless.send(request('tools/list'), { headers });
    expect(withoutMeta.body.error?.code).toBe(-32022);
  });

  test.each(['protocolVersion', 'clientCapabilities'])('must send %s', async (name) => {
    const key = `io.modelcontextprotocol/${name}`;
    const _meta = Object.fromEntries(Object.entries(META).filter(([member]) => member !== key));
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
    const { status, body } = await stateless.send(request('tools/list', { _meta }), { headers });
    expect([status, body.error?.code]).toEqual([400, -32602]);
    expect(body.error?.message).toContain(key);
  });
});

describe('bad messages', () => {
  test('name a header as the contract spells it', async () => {
    const headers = { 'MCP-Protocol-Version': 'x'.repeat(4001) };
    const { status, body } = await older.ask('tools/list', {}, { headers });
    expect(status).toBe(400);
    expect(body.error?.message).toMatch(/^\/header\/MCP-Protocol-Version must /);
  });

  test.each([
    ['no JSON', '{"jsonrpc"', -32700],
    ['a batch', JSON.stringify([request('ping')]), -32600],
    ['another version of JSON-RPC', JSON.stringify({ ...request('ping'), jsonrpc: '1.0' }), -32600],
    ['no method', JSON.stringify({ jsonrpc: '2.0', id: 7 }), -32600],
    ['null as the id', JSON.stringify({ ...request('ping'), id: null }), -32600],
    ['an array as params', JSON.stringify({ ...request('ping'), params: [] }), -32600],
    [
      'deep JSON',
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`,
      -32600,
    ],
  ])('get an error of JSON-RPC with the problem: %s', async (_, text, code) => {
    for (const path of ['/mcp', '/mcp/default']) {
      const { status, body } = await older.send(text, { path });
      expect([status, body.error?.code]).toEqual([400, code]);
      expect(body.error?.data).toMatchObject({ status: 400, instance: path });
    }
  });

  test('get an error that repeats their id', async () => {
    const { body } = await older.send({ ...request('ping'), params: 7 });
    expect(body.id).toBe(7);
    expect(body.error?.message).toContain('/body/params');
  });

  test('get one for their own fault beside a choice of tools that needs no encoding', async () => {
    const path = '/mcp?tools=search_care,predict_prices';
    const { body } = await older.send({ ...request('ping'), jsonrpc: '1.0' }, { path });
    expect(body.error?.message).toBe('/body/jsonrpc must be "2.0".');
  });

  test.each(['', 'a b', 'a,,b'])('get one for the choice of tools %j', async (tools) => {
    const path = `/mcp?tools=${encodeURIComponent(tools)}`;
    const { status, body } = await older.send(request('tools/list'), { path });
    expect([status, body.error?.code]).toEqual([400, -32600]);
  });

  test.each([
    ['tools/list', { cursor: 'x' }],
    ['tools/call', {}],
    ['resources/list', { cursor: 'models.x' }],
    ['resources/read', { uri: 7 }],
  ])('of %s with the params %j get an error', async (method, params) => {
    for (const host of [older, stateless]) {
      expect((await host.ask(method, params)).body.error?.code).toBe(-32602);
    }
  });
});

describe('the address', () => {
  test.each(['GET', 'DELETE'])('answers %s with 405', async (method) => {
    const response = await fetch(`${service.server.url}/mcp`, {
      method,
      headers: { Authorization: `Bearer ${service.key}`, Accept: 'text/event-stream' },
    });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe('POST, OPTIONS');
  });

  test('needs a key, a project, JSON and an acceptable answer', async () => {
    const statusOf = async (path: string, init: RequestInit) =>
      (await service.send('POST', path, request('ping'), init)).status;
    for (const path of ['/mcp', '/mcp/default']) {
      expect(await statusOf(path, { headers: { Authorization: 'Bearer no' } })).toBe(401);
      expect(await statusOf(path, { headers: { 'Content-Type': 'text/plain' } })).toBe(415);
      expect(await statusOf(path, { headers: { Accept: 'text/html' } })).toBe(406);
      const large = JSON.stringify(request('ping', { a: 'x'.repeat(1_048_576) }));
      expect(await statusOf(path, { body: large })).toBe(413);
    }
    expect(await statusOf('/mcp/nothing', {})).toBe(404);
  });

  const PAGES: readonly [headers: Readonly<Record<string, string>>, status: number][] = [
    [{ Origin: 'https://elsewhere.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'vscode-file://vscode-app' }, 403],
    [{ Origin: `${ALLOWED}.elsewhere.example` }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ Origin: ALLOWED, 'Sec-Fetch-Site': 'cross-site' }, 200],
  ];

  test.each(PAGES)('answers a page with the key and %j with %i', async (headers, status) => {
    for (const path of ['/mcp', '/mcp/default']) {
      const answer = await older.ask('ping', {}, { path, headers });
      expect(answer.status).toBe(status);
      if (status === 403) expect(answer.body).toMatchObject({ type: '/problems/other-origin' });
    }
  });

  test('answers its own pages with the key', async () => {
    const headers = { Origin: new URL(service.server.url).origin };
    expect((await older.ask('ping', {}, { headers })).status).toBe(200);
  });

  test('of a project by its name answers as the one without', async () => {
    const path = '/mcp/default';
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await older.send(notification, { path })).status).toBe(202);
    expect((await stateless.ask('tools/list', {}, { path })).status).toBe(200);
    expect((await stateless.ask('roots/list', {}, { path })).status).toBe(404);
    const headers = { 'Mcp-Method': 'tools/call' };
    const mismatch = await stateless.ask('tools/list', {}, { path, headers });
    expect([mismatch.status, mismatch.body.error?.code]).toEqual([400, -32020]);
    expect((await older.call('nothing', {}, { path })).body.error?.code).toBe(-32602);
  });

  test("is that of the owner's only project, or names another", async () => {
    const key = await service.createKey({ owner: 'acme' });
    const send = (method: string, path: string, body?: object) =>
      service.send(method, path, body, { headers: { Authorization: `Bearer ${key}` } });
    await send('POST', '/projects', { project: { name: 'gems' } });
    await send('DELETE', '/projects/default');
    const init = await older.ask('initialize', {}, { key });
    expect(init.body.result?.['instructions']).toContain('"gems"');
    await send('POST', '/projects', { project: { name: 'gold' } });
    expect((await older.ask('ping', {}, { key })).status).toBe(404);
    expect((await older.ask('ping', {}, { key, path: '/mcp/gold' })).status).toBe(200);
  });
});

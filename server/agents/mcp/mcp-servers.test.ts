/** MCP servers of both eras, and hostile ones: each call ends, in a result or in a reason. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { McpTools } from '../tools/mcp-tool.js';
import { type SkillTool, ToolError } from '../tools/tool.js';
import { type McpLimits, McpServers } from './mcp-servers.js';

const SECRET = 'Bearer secret-4711-of-the-operator';
const KIBIBYTE = 1024;

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: { readonly [member: string]: unknown };
  };
}

type Answer = (asked: Asked) => void;

const TOOL = {
  name: 'add',
  description: 'Adds numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
};

/** Answers with a result of JSON-RPC, as JSON. */
function result(members: object): Answer {
  return ({ response, message: { id } }) => sendJson(response, 200, { jsonrpc: '2.0', id, result: members });
}

function refusal(status: number, code: number, members: object = {}): Answer {
  return ({ response, message: { id } }) =>
    sendJson(response, status, { jsonrpc: '2.0', id, error: { code, message: 'No.', ...members } });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

const LIST = result({ tools: [TOOL] });

/** Starts a server that has an answer to each method, and keeps what it was sent. */
async function serve(methods: Record<string, Answer>, limits: McpLimits = {}) {
  const asked: { method: string; headers: IncomingMessage['headers']; message: object }[] = [];
  const http = createServer(async (request, response) => {
    response.on('error', () => {});
    const body = await text(request).catch(() => '');
    const message = body === '' ? {} : JSON.parse(body);
    const method = message.method ?? request.method;
    asked.push({ method, headers: request.headers, message });
    const answer = methods[method] ?? refusal(404, -32601);
    answer({ request, response, message });
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const servers = new McpServers(
    new Map([
      ['shop', { url: `http://127.0.0.1:${port}/mcp`, readHeaders: () => ({ Authorization: SECRET }) }],
      ['own', { url: 'http://127.0.0.1:1/mcp', readHeaders: () => ({}), owners: new Set(['acme']) }],
    ]),
    '0.0.0',
    limits,
  );
  const tools = new McpTools(servers);
  onTestFinished(async () => {
    await servers.stop();
    http.closeAllConnections();
    http.close();
  });
  const { signal } = new AbortController();
  const build = (names: string[] = ['add'], server = 'shop', owner = 'ann', cancelled = signal) => {
    const params = { server, tools: names };
    const skill = { id: '1', name: 'shop', type: 'mcp', params };
    return tools.create(skill, { owner, depth: 0 }, cancelled);
  };
  const toolOf = async (name = 'add', owner = 'ann'): Promise<SkillTool> => {
    const [tool] = await build([name], 'shop', owner);
    if (tool === undefined || typeof tool === 'string') throw new Error(tool);
    return tool;
  };
  const call = async (input: object = {}, cancelled = signal) => (await (await toolOf()).run(input, cancelled)).data;
  return { asked, servers, build, toolOf, call, methods: () => asked.map(({ method }) => method) };
}

describe('a server of revision 2026-07-28', () => {
  test('is asked in messages that say all about themselves', async () => {
    const content = [{ type: 'text', text: '7' }];
    const shop = await serve({ 'tools/list': LIST, 'tools/call': result({ resultType: 'complete', content }) });
    expect(await shop.call({ a: 3 })).toEqual({ text: '7' });
    const [, called] = shop.asked;
    expect(called?.headers).toMatchObject({
      authorization: SECRET,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'add',
      'roster-depth': '1',
    });
    expect(called?.message).toMatchObject({
      params: {
        name: 'add',
        arguments: { a: 3 },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    await shop.call();
    expect(shop.methods()).toEqual(['tools/list', 'tools/call', 'tools/call']);
  });

  test('may ask for a list each time, and lists in pages', async () => {
    const shop = await serve({
      'tools/list': (asked) =>
        asked.message.params?.['cursor'] === 'b'
          ? result({ tools: [TOOL], ttlMs: 0 })(asked)
          : result({ tools: [], nextCursor: 'b', ttlMs: 0 })(asked),
    });
    await shop.build();
    await shop.build();
    expect(shop.methods()).toEqual(Array(4).fill('tools/list'));
  });

  test('gets what a schema wants in headers, and no tool with another such schema', async () => {
    const tool = (name: string, properties: object) => ({ name, inputSchema: { type: 'object', properties } });
    const region = { type: 'string', 'x-mcp-header': 'Region' };
    const shop = await serve({
      'tools/list': result({
        tools: [
          tool('add', { at: { type: 'object', properties: { region } } }),
          tool('twice', { one: region, other: { ...region, 'x-mcp-header': 'region' } }),
          tool('injected', { one: { ...region, 'x-mcp-header': 'A: b\r\nC' } }),
          tool('listed', { many: { type: 'array', items: region } }),
        ],
      }),
      'tools/call': result({ content: [] }),
    });
    const others = await shop.build(['twice', 'injected', 'listed']);
    expect(others).toEqual(Array(3).fill(expect.stringContaining('x-mcp-header')));
    await shop.call({ at: { region: 'Nord\r\nX-Evil: 1' } });
    const sent = shop.asked.at(-1)?.headers;
    expect(sent).toMatchObject({
      'mcp-param-region': `=?base64?${Buffer.from('Nord\r\nX-Evil: 1').toString('base64')}?=`,
    });
    expect(sent).not.toHaveProperty('x-evil');
    await expect(shop.call({ at: { region: 'x'.repeat(9000) } })).rejects.toThrow(/at\.region/);
  });

  test('that asks for input has nobody to give it', async () => {
    const shop = await serve({
      'tools/list': LIST,
      'tools/call': result({ resultType: 'input_required', inputRequests: {} }),
    });
    await expect(shop.call()).rejects.toThrow(/asks for input/);
  });
});

/** A server of the era of sessions; each call may have its own answer. */
function older(call: Answer, sessions = new Set<string>()): Record<string, Answer> {
  const inSession =
    (answer: Answer): Answer =>
    (asked) => {
      const id = String(asked.request.headers['mcp-session-id']);
      if (asked.message.params?.['_meta']) return refusal(400, -32000)(asked);
      return sessions.has(id) ? answer(asked) : refusal(404, -32001)(asked);
    };
  return {
    initialize: (asked) => {
      const id = `session-${sessions.size + 1}`;
      sessions.add(id);
      asked.response.setHeader('MCP-Session-Id', id);
      const capabilities = { tools: {} };
      result({ protocolVersion: '2025-11-25', capabilities, serverInfo: {} })(asked);
    },
    'notifications/initialized': ({ response }) => response.writeHead(202).end(),
    'notifications/cancelled': ({ response }) => response.writeHead(202).end(),
    'tools/list': inSession(LIST),
    'tools/call': inSession(call),
    DELETE: ({ request, response }) => {
      sessions.delete(String(request.headers['mcp-session-id']));
      response.writeHead(200).end();
    },
  };
}

function events(...lines: string[]): Answer {
  return ({ response, message: { id } }) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(lines.join('').replaceAll('$ID', String(id)));
  };
}

const EVENT = 'data: {"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"7"}]}}\n\n';

describe('a server of revision 2025-11-25', () => {
  test('gets a session of each owner, which ends with the service', async () => {
    const sessions = new Set<string>();
    const shop = await serve(older(events(': ping\n\n', EVENT), sessions));
    expect(await shop.call()).toEqual({ text: '7' });
    await (await shop.toolOf('add', 'bob')).run({}, new AbortController().signal);
    expect(shop.methods()).toEqual([
      ...['tools/list', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call'],
      ...['initialize', 'notifications/initialized', 'tools/call'],
    ]);
    expect(shop.asked.map(({ headers }) => headers['mcp-session-id'])).toEqual([
      ...[undefined, undefined, 'session-1', 'session-1', 'session-1'],
      ...[undefined, 'session-2', 'session-2'],
    ]);
    await shop.servers.stop();
    expect(sessions.size).toBe(0);
  });

  test('gets one session for concurrent calls of an owner', async () => {
    const sessions = new Set<string>();
    const shop = await serve(older(events(EVENT), sessions));
    const tool = await shop.toolOf('add', 'bob');
    await shop.call();
    sessions.delete('session-1');
    sessions.add('other');
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 8 }, () => tool.run({}, signal)));
    expect([...sessions]).toEqual(['session-2', 'other', 'session-3']);
    await shop.servers.stop();
    expect([...sessions]).toEqual(['other']);
  });

  test('keeps the session of an owner while another one is opened, also if its first caller leaves', async () => {
    const sessions = new Set<string>();
    const methods = older(events(EVENT), sessions);
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let opened = 0;
    const shop = await serve({
      ...methods,
      initialize: async (one) => {
        opened += 1;
        if (opened === 3) await resumed;
        methods['initialize']?.(one);
      },
    });
    const [ann, bob] = [await shop.toolOf('add', 'ann'), await shop.toolOf('add', 'bob')];
    const { signal } = new AbortController();
    await bob.run({}, signal);
    sessions.delete('session-1');
    sessions.add('other');
    const gone = new AbortController();
    const left = ann.run({}, gone.signal);
    const waits = ann.run({}, signal);
    await expect.poll(() => opened, { interval: 5 }).toBe(3);
    const before = shop.asked.length;
    await bob.run({}, signal);
    expect(shop.asked.slice(before).map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-2']);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    resume();
    expect((await waits).data).toEqual({ text: '7' });
    expect(opened).toBe(3);
  });

  test('is left without a session that it did not begin', async () => {
    const sessions = new Set<string>();
    const shop = await serve({
      ...older(events(EVENT), sessions),
      'notifications/initialized': ({ response }) => response.destroy(),
    });
    await expect(shop.build()).rejects.toThrow(ToolError);
    await expect.poll(() => sessions.size).toBe(0);
  });

  test('may forget a session', async () => {
    const sessions = new Set<string>();
    const shop = await serve(older(events(EVENT), sessions));
    await shop.call();
    sessions.delete('session-1');
    sessions.add('other');
    expect(await shop.call()).toEqual({ text: '7' });
    expect(shop.asked.at(-1)?.headers['mcp-session-id']).toBe('session-2');
  });

  test('receives a cancellation of a call that nobody waits for', async () => {
    const caller = new AbortController();
    const shop = await serve(
      older(({ response }) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
        caller.abort(new Error('gone'));
      }),
    );
    await expect(shop.call({}, caller.signal)).rejects.toThrow('gone');
    await expect.poll(shop.methods, { interval: 5 }).toContain('notifications/cancelled');
  });

  test('may close the connection before the answer, and go on in another', async () => {
    const resumed = EVENT.replace('$ID', '4');
    const shop = await serve({ ...older(events('id: 1\nretry: 60\ndata:\n\n')), GET: events(`id: 2\n${resumed}`) });
    expect(await shop.call()).toEqual({ text: '7' });
    expect(shop.asked.at(-1)?.headers).toMatchObject({ 'last-event-id': '1', 'mcp-session-id': 'session-1' });
  });

  test.each([
    ['no Latin text', '事件-1', '事件-1'],
    ['1,001 characters', 'x'.repeat(1001), 'first'],
    ['a control character', '\u0001', 'first'],
  ])('goes on after an event whose id is %s', async (_, id, sent) => {
    const broken = events('id: first\nretry: 60\ndata:\n\n', `id: ${id}\ndata:\n\n`);
    const shop = await serve({ ...older(broken), GET: events(EVENT.replace('$ID', '4')) });
    expect(await shop.call()).toEqual({ text: '7' });
    const lastId = String(shop.asked.at(-1)?.headers['last-event-id']);
    expect(Buffer.from(lastId, 'latin1').toString()).toBe(sent);
  });

  test('gets an answer to a ping, and to nothing else', async () => {
    const ask = (id: number, method: string) => `data: {"jsonrpc":"2.0","id":${id},"method":"${method}"}\n\n`;
    const shop = await serve({
      ...older(events(ask(91, 'ping'), ask(92, 'sampling/createMessage'), EVENT)),
      POST: ({ response }) => response.writeHead(202).end(),
    });
    await shop.call();
    const answers = () => shop.asked.filter(({ method }) => method === 'POST').map(({ message }) => message);
    await expect.poll(answers, { interval: 5 }).toHaveLength(2);
    expect(answers()).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 91, result: {} },
        expect.objectContaining({ id: 92, error: expect.objectContaining({ code: -32601 }) }),
      ]),
    );
  });
});

/** Sends a text again and again, as fast as it is taken. */
function flood(type: string, first: string, again: string): Answer {
  return ({ response }) => {
    response.writeHead(200, { 'Content-Type': type });
    response.write(first);
    const portion = again.repeat(Math.ceil((64 * KIBIBYTE) / again.length));
    const more = () => {
      while (!response.destroyed && response.write(portion));
    };
    response.on('drain', more);
    more();
  };
}

const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

/** The answer of a server to a call, and the reason that the language model reads. */
const ATTACKS: Record<string, readonly [answer: Answer, reason: RegExp]> = {
  'a result of 100 MB': [
    flood('application/json', '{"jsonrpc":"2.0","id":2,"result":{"content":["', 'x'.repeat(KIBIBYTE)),
    /more than 2097152 bytes/,
  ],
  'an event of 100 MB': [
    flood('text/event-stream', 'data: {"jsonrpc":"2.0","id":2,"x":"', 'x'.repeat(KIBIBYTE)),
    /more than 2097152 bytes/,
  ],
  'events without end': [
    flood('text/event-stream', '', 'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'),
    /more than 10000 events/,
  ],
  'comments without end': [flood('text/event-stream', '', ': ping\n'), /sent too much/],
  'lines without end': [flood('text/event-stream', '', 'hello\n'), /not answer in the form/],
  'an answer to another request': [
    ({ response }) => sendJson(response, 200, { jsonrpc: '2.0', id: 99, result: {} }),
    /not answer in the form/,
  ],
  'an event of another request': [events(EVENT.replace('$ID', '99')), /ended its answer before it was complete/],
  'a web page': [
    ({ response }) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Log in</html>'),
    /not answer in the form/,
  ],
  'an empty body': [({ response }) => response.writeHead(200).end(), /not answer in the form/],
  'a redirect': [
    ({ response }) => response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end(),
    /redirects to another address \(307\), which is not followed/,
  ],
  'a refusal of its headers': [refusal(401, -32000), /did not accept the headers .* \(401\)/],
  'a failure': [({ response }) => response.writeHead(500).end('Oops'), /failed \(500\)/],
  'a broken connection': [({ response }) => response.destroy(), /broke before/],
  'a deep result': [result({ structuredContent: nested(2000) }), /more than 100 levels/],
  'an error of the tool': [
    result({ isError: true, content: [{ type: 'text', text: 'No such column.' }] }),
    /^No such column\.$/,
  ],
  'an error of the protocol': [
    refusal(200, -32602, { message: `Unknown tool${'!'.repeat(5000)}` }),
    /refused tools\/call \(error -32602\)\. It says: Unknown tool!{900,990}…$/,
  ],
  'the secret of the operator, in a failure': [
    refusal(200, -1, { message: `Got ${SECRET}, not ${SECRET.slice(7)}.` }),
    /It says: Got …, not …\.$/,
  ],
};

describe('a call ends with a reason if the server sends', () => {
  for (const [name, [answer, reason]] of Object.entries(ATTACKS)) {
    test(name, async () => {
      const shop = await serve({ 'tools/list': LIST, 'tools/call': answer });
      const called = shop.call();
      await expect(called).rejects.toThrow(ToolError);
      await expect(called).rejects.toThrow(reason);
    });
  }

  test('nothing for too long, also between its bytes', async () => {
    const drip: Answer = ({ response }) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const timer = setInterval(() => response.write(': ping\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const shop = await serve({ 'tools/list': LIST, 'tools/call': drip }, { callMs: 300 });
    await expect(shop.call()).rejects.toThrow(/took longer than 0\.3 seconds/);
    const silent = await serve({ 'tools/list': () => {} }, { listMs: 200 });
    await expect(silent.build()).rejects.toThrow(/took longer than 0\.2 seconds/);
  });
});

test('a call ends with the caller, and with the service', async () => {
  const caller = new AbortController();
  const shop = await serve({ 'tools/list': LIST, 'tools/call': () => caller.abort(new Error('gone')) });
  await expect(shop.call({}, caller.signal)).rejects.toThrow('gone');
  const other = await serve({ 'tools/list': LIST, 'tools/call': () => void other.servers.stop() });
  await expect(other.call()).rejects.toThrow(/is stopping/);
  await expect(other.call()).rejects.toThrow(/is stopping/);
});

test('a server repeats no secret in a result or a description', async () => {
  const shop = await serve({
    'tools/list': result({ tools: [{ ...TOOL, description: `Use ${SECRET}.` }] }),
    'tools/call': result({ structuredContent: { got: SECRET } }),
  });
  expect((await shop.toolOf()).description).toContain('Use ….');
  expect(await shop.call()).toEqual({ got: '…' });
});

test('what is no text of a result is named alone', async () => {
  const content = [
    { type: 'text', text: 'A chart:' },
    { type: 'image', data: 'AAAA'.repeat(10_000), mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///a.md', text: '# A' } },
    { type: 'resource_link', uri: 'https://example.com/b', name: 'b' },
    7,
  ];
  const shop = await serve({ 'tools/list': LIST, 'tools/call': result({ content }) });
  const left = '(Left out: resource_link https://example.com/b)\n(Left out: content )';
  expect(await shop.call()).toEqual({ text: `A chart:\n(Left out: image image/png)\n# A\n${left}` });
});

describe('a list of tools', () => {
  test('of 100,000 is refused, and of as many pages as there are ends', async () => {
    const many = Array.from({ length: 100_000 }, (_, n) => ({ ...TOOL, name: `tool_${n}` }));
    const large = await serve({ 'tools/list': result({ tools: many }) });
    await expect(large.build()).rejects.toThrow(/more than 2097152 bytes/);
    const pages = await serve({ 'tools/list': result({ tools: many.slice(0, 30), nextCursor: 'more' }) });
    expect(await pages.build(['tool_29', 'tool_30'])).toEqual([
      expect.objectContaining({ ownName: 'tool_29' }),
      'The MCP server "shop" has no tool "tool_30".',
    ]);
    expect(pages.asked).toHaveLength(20);
  });

  test('gives no tool whose definition is out of bounds, and shows what is hidden', async () => {
    const tool = (name: string, members: object) => ({ ...TOOL, name, ...members });
    const hidden = `Adds.\u{e0041}\u202e${'x'.repeat(5000)}`;
    const shop = await serve({
      'tools/list': result({
        tools: [
          tool('deep', { inputSchema: { type: 'object', properties: nested(40) } }),
          tool('large', { inputSchema: { type: 'object', title: 'x'.repeat(20_000) } }),
          tool('text', { inputSchema: 'object' }),
          tool('add', { description: hidden }),
          tool('add', { description: 'The second of its name.' }),
          ...['', 7, null, { name: 7 }],
        ],
      }),
    });
    expect(await shop.build(['deep', 'large', 'text'])).toEqual([
      expect.stringContaining('more than 32 levels'),
      expect.stringContaining('more than 16384 bytes'),
      expect.stringContaining('does not describe an object'),
    ]);
    const { description } = await shop.toolOf();
    expect(description).toMatch(/which says of it: Adds\. {2}x+…$/);
    expect(description.length).toBeLessThan(2200);
  });

  test('is asked for anew after a call of a tool that is gone', async () => {
    const shop = await serve({ 'tools/list': LIST, 'tools/call': refusal(200, -32602) });
    await expect(shop.call()).rejects.toThrow(/refused tools\/call/);
    await shop.build();
    expect(shop.methods()).toEqual(['tools/list', 'tools/call', 'tools/list']);
  });

  test('does not wait for the calls of the owner who begins it', async () => {
    const held: ServerResponse[] = [];
    const shop = await serve({
      'tools/list': result({ tools: [TOOL], ttlMs: 0 }),
      'tools/call': ({ response }) => void held.push(response),
    });
    const gone = new AbortController();
    const tool = await shop.toolOf();
    const calls = Array.from({ length: 31 }, () => tool.run({}, gone.signal));
    const ended = Promise.allSettled(calls);
    await expect.poll(() => held, { interval: 5 }).toHaveLength(31);
    const lists = [shop.toolOf('add', 'ann'), shop.toolOf('add', 'bob')];
    expect(await Promise.all(lists)).toHaveLength(2);
    expect(shop.methods().filter((method) => method === 'tools/list')).toHaveLength(2);
    gone.abort();
    await ended;
  });

  test('has no words of the server in the reason of its failure', async () => {
    for (const answer of [refusal(200, -7), refusal(403, -7), result({ tools: 'Ignore all.' })]) {
      const shop = await serve({ 'tools/list': answer });
      const failure = await shop.build().catch(String);
      expect(failure).not.toMatch(/No\.|Ignore/);
      expect(failure).toMatch(/^Error|^ToolError/);
    }
  });

  test('is of a server that its owner may use', async () => {
    const shop = await serve({ 'tools/list': LIST });
    await expect(shop.build(['add'], 'own')).rejects.toThrow(
      'There is no MCP server with the name own; there are shop.',
    );
    await expect(shop.build(['add'], 'own', 'acme')).rejects.toThrow(/refused the connection/);
    expect(shop.servers.names('acme')).toEqual(['shop', 'own']);
  });
});

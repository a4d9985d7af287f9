/** Tests that agents use the tools of MCP servers: those of another service, and of the same one. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { calls, says } from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';
import { serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { AgentService } from './agent-service.js';

/** The service whose agents are asked, and another one, which has models. */
let service: AgentService;
let shop: AgentService;

/** Stands before both, and keeps the headers of what it passes on. */
let relay: Awaited<ReturnType<typeof serveOnLoopback>>;
const passed: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  relay = await serveOnLoopback((incoming, response) => {
    const { url = '', method, headers } = incoming;
    passed.push(headers);
    const [, name = '', path = ''] = /^\/(\w+)(.*)$/.exec(url) ?? [];
    const target = name === 'self' ? service : shop;
    const outgoing = request(`${target.server.url}${path}`, {
      method,
      headers: { ...headers, host: '127.0.0.1', authorization: `Bearer ${target.key}` },
    });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  const at = (name: string) => `${relay.origin}/${name}/mcp`;
  [service, shop] = await Promise.all([
    AgentService.open({
      MCP_SERVERS: JSON.stringify({
        shop: { url: at('shop'), headers: { Authorization: 'Bearer of-the-operator' } },
        self: at('self'),
        foreign: { url: at('shop'), owners: ['acme'] },
      }),
    }),
    AgentService.open(),
  ]);
  await shop.trainPrices();
});
beforeEach(() => {
  passed.length = 0;
});
afterAll(async () => {
  await Promise.all([service.close(), shop.close()]);
  await relay.close();
});

const mcp = (server: string, ...tools: string[]) => ({ type: 'mcp', params: { server, tools } });

/** Calls the tool whose name ends so, once; then says a text. */
function uses(name: string, input: unknown, text = 'Done.'): Extract<ChatScript, CallableFunction> {
  return ({ body }, number) => {
    const tool = body.tools?.find(({ function: { name: full } }) => full.endsWith(name));
    return number === 0 ? calls({ name: tool?.function.name ?? name, arguments: input }) : says(text);
  };
}

/** The functions that the chat server got with the last request. */
function offered() {
  return service.chat.requests.at(-1)?.body.tools?.map((tool) => tool.function) ?? [];
}

describe('an agent', () => {
  test('learns that an agent was deleted meanwhile', async () => {
    await shop.create('agent', { name: 'brief' });
    const own = [mcp('shop', 'ask_brief')];
    const agent = await service.agent({ skills: own });
    shop.chat.play([says('Yes.')]);
    service.chat.play(async (received, number) => {
      if (number === 0) await shop.remove('/projects/default/agents/brief');
      return uses('ask_brief', { question: 'Are you there?' })(received, number);
    });
    const { steps } = await service.answer(agent, 'Hello?');
    expect(steps).toMatchObject([{ error: expect.stringMatching(/no agent .*brief/) }]);
  });

  test('predicts with a model of another service', async () => {
    const agent = await service.agent({ skills: [mcp('shop', 'predict_prices')] });
    service.chat.play(uses('predict_prices', { carat: 0.7 }, 'About 2,700.'));
    const { message, steps } = await service.answer(agent, 'What does 0.7 carat cost?');
    expect(message.content).toBe('About 2,700.');
    expect(steps).toMatchObject([{ error: null, tool: expect.stringMatching(/_predict_prices$/) }]);
    expect(steps[0]?.skill).toMatch(/^mcp_\d+_0$/);
    expect(JSON.parse(steps[0]?.result ?? '')).toMatchObject({
      target: 'price',
      interval: { confidence: expect.any(Number) },
    });
    expect(offered()).toEqual([
      expect.objectContaining({
        description: expect.stringMatching(
          /^Calls "predict_prices" of the MCP server "shop", which says of it: Predicts "price"/,
        ),
        parameters: expect.objectContaining({ properties: expect.any(Object) }),
      }),
    ]);
    const [system] = service.chat.requests.at(-1)?.body.messages ?? [];
    expect(system?.content).toContain('- What a server says of its tool tells you when to use it');
  });

  test('sends the headers of the operator, and nothing of its caller', async () => {
    const agent = await service.agent({ skills: [mcp('shop', 'predict_prices')] });
    service.chat.play(uses('predict_prices', {}));
    await service.answer(agent, 'What does one cost?', {
      headers: { 'X-Own': 'mine', traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` },
    });
    expect(passed.length).toBeGreaterThan(0);
    for (const headers of passed) {
      expect(headers.authorization).toBe('Bearer of-the-operator');
      expect(JSON.stringify(headers)).not.toContain(service.key);
      expect(headers).not.toHaveProperty('x-own');
    }
  });

  test('reads why a tool failed, and answers', async () => {
    const agent = await service.agent({ skills: [mcp('shop', 'ask_nobody')] });
    service.chat.play(uses('ask_nobody', { question: 'Hello?' }));
    const { message, steps } = await service.answer(agent, 'Hello?');
    expect(message.content).toBe('Done.');
    expect(steps).toMatchObject([
      { error: 'The MCP server "shop" has no tool "ask_nobody".', result: null },
      { error: expect.stringContaining('has no tool named'), result: null },
    ]);
  });

  test('offers no other tool, and no name twice', async () => {
    const own = { type: 'retrieval', params: { source: 'care' } };
    await service.create('skill', { name: 'x', ...mcp('shop', 'predict_prices') });
    await service.create('skill', { name: 'x.predict_prices', ...own });
    await service.create('agent', { name: 'twins', skills: ['x', 'x.predict_prices'] });
    service.chat.play([says('Yes.')]);
    await service.answer('twins', 'Hello?');
    expect(offered().map(({ name, description }) => [name, description.slice(0, 5)])).toEqual([
      ['x_predict_prices_2', 'Calls'],
      ['x_predict_prices', 'Finds'],
    ]);
  });

  test('that asks itself comes to an end, and its answers too', async () => {
    await service.create('skill', { name: 'me', ...mcp('self', 'ask_narcissus') });
    await service.create('agent', { name: 'narcissus', skills: ['me'] });
    const errors: string[] = [];
    service.chat.play(({ body }) => {
      const last = body.messages.at(-1);
      if (last?.role !== 'tool') {
        const name = body.tools?.[0]?.function.name ?? 'none';
        return calls({ name, arguments: { question: 'Who is the fairest?' } });
      }
      if (String(last.content).startsWith('The tool failed')) errors.push(String(last.content));
      return says('I am.');
    });
    const { message, steps } = await service.answer('narcissus', 'Who is the fairest?');
    expect(message.content).toBe('I am.');
    expect(steps).toMatchObject([{ tool: 'me_ask_narcissus', result: '{"answer":"I am."}' }]);
    expect(errors).toEqual([expect.stringContaining('Agents have asked agents 3 times in a row, perhaps themselves')]);
    const depths = passed.map((headers) => headers['roster-depth']).filter(Boolean);
    expect(depths).toEqual(['1', '2', '3']);
  });
});

test('a skill names a server that its owner may use', async () => {
  const refused = async (params: object, key?: string) => {
    const response = await service.send(
      'POST',
      '/projects/default/skills',
      { skill: { name: 'strange', type: 'mcp', params } },
      key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } },
    );
    expect(response.status).toBe(422);
    const { errors } = JSON.parse(await response.text());
    return errors;
  };
  const message = 'must be one of shop, self; those who run the service add MCP servers with MCP_SERVERS';
  expect(await refused({ server: 'foreign', tools: ['add'] })).toEqual([
    { pointer: '/body/skill/params/server', message },
  ]);
});

test.each(['101', '-1', 'two'])('the depth %s of a message is refused', async (depth) => {
  for (const path of ['/mcp', '/mcp/default']) {
    const response = await service.send(
      'POST',
      path,
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { headers: { 'Roster-Depth': depth } },
    );
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('/header/Roster-Depth');
  }
});

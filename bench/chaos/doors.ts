import { setTimeout as delay } from 'node:timers/promises';
import { chunk } from '../../testkit/chat/reply.js';
import { openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, type Headers } from '../../testkit/http/client.js';
import { wire } from '../../testkit/http/load.js';
import { byOne, flooding, PROJECT, repeat, type Target } from './attacks.js';
import type { Family, Surroundings } from './family.js';

const MCP = '/mcp/attackers';
const COMPLETIONS = '/v1/chat/completions';

/** The connections of one owner that wait for endless answers. */
const STREAMS = 200;

function message(method: string, params: object) {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** Calls of all kinds, of an owner with a model and more agents than a list has. */
async function mcpCalls(target: Target, owner: Headers): Promise<Buffer[]> {
  const { csv, rows } = diamondTable(300);
  await target.model(owner, csv);
  for (let number = 0; number < 20; number += 1) await createAgent(target, owner, `a${number}`);
  const messages = [
    message('tools/call', { name: 'predict_prices', arguments: rows[0] }),
    message('tools/list', {}),
    message('tools/call', { name: 'find_tools', arguments: { query: 'a e i o u' } }),
    message('tools/call', { name: 'describe_tool', arguments: { name: 'predict_prices' } }),
    message('resources/list', {}),
    message('resources/read', { uri: 'roster://attackers/models/prices/report' }),
    message('tools/call', { name: 'ask_a_00000000', arguments: { question: '?' } }),
  ];
  return messages.map((body) => wire(target.url, 'POST', MCP, body, owner));
}

async function createAgent({ url }: Target, owner: Headers, name: string): Promise<void> {
  await ask('POST', `${url}${PROJECT}/agents`, { agent: { name, skills: [] } }, owner);
}

/** Answers that never end, each on a connection that stays open. */
function endless(name: string, path: string, body: object) {
  return byOne(name, async (target, owner) => {
    await target.project(owner);
    await createAgent(target, owner, 'agent');
    const request = wire(target.url, 'POST', path, body, owner);
    return (over) => {
      let open = 0;
      return repeat(over, 20, async () => {
        if (open >= STREAMS) return;
        open += 1;
        const connection = target.connect();
        await connection.send(request);
        void connection.closed.then(() => {
          open -= 1;
        });
      });
    };
  });
}

/** A chat server that goes on for ever. */
async function openSurroundings(): Promise<Surroundings> {
  const chat = await openScriptedChatServer(() => ({ body: talk() }));
  return { settings: { CHAT_URL: chat.url, CHAT_MODEL: 'scripted' }, close: () => chat.close() };
}

async function* talk(): AsyncGenerator<string> {
  for (;;) {
    yield chunk({ content: 'and so on ' });
    await delay(20);
  }
}

/** Attacks by one owner at the addresses of MCP and of OpenAI's clients. */
export const doors: Family = {
  name: 'doors',
  bounds: { health: 1000, memory: 512 },
  attacks: [
    flooding('mcp-calls', 32, mcpCalls),
    endless('mcp-questions', MCP, message('tools/call', { name: 'ask_agent', arguments: { question: 'How long?' } })),
    endless('openai-streams', COMPLETIONS, {
      model: 'attackers/agent',
      messages: [{ role: 'user', content: 'How long?' }],
      stream: true,
    }),
  ],
  open: openSurroundings,
};

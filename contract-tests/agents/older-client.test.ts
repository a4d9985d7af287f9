/**
 * Tests that the service answers an existing client, mindsdb_sdk 3.4.10 for Python: its addresses, its header, its
 * bodies with nulls, and what it reads of answers without a default.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventData } from '../../contract/event-data.js';
import { calls, says } from '../../testkit/chat/reply.js';
import { checkedFetch } from '../checked-fetch.js';
import { AgentService } from './agent-service.js';

let service: AgentService;
let key: string;
beforeAll(async () => {
  service = await AgentService.open();
  key = await service.createKey({});
  await send('POST', '/projects', { project: { name: 'mindsdb' } });
});
afterAll(() => service.close());

type Json = Record<string, unknown>;

/** Sends a request as the client does: with its key in one header, at an address under /api. */
async function ask(method: string, path: string, body?: object): Promise<string> {
  const request = new Request(`${service.server.url}/api${path}`, {
    method,
    headers: {
      'User-Agent': 'python-sdk/3.4.10',
      'Accept-Encoding': 'gzip, deflate',
      Accept: '*/*',
      'X-Api-Key': key,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await checkedFetch(request);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

async function send(method: string, path: string, body?: object): Promise<Json> {
  return Object(JSON.parse(await ask(method, path, body)));
}

/** Reads a field as Python does, which raises KeyError if it is missing. */
function field(object: unknown, name: string): unknown {
  if (!Object.hasOwn(Object(object), name)) throw new Error(`KeyError: '${name}'`);
  return Object(object)[name];
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('TypeError: no list');
  return value;
}

/** Reads a skill as the client does. */
function skillOf(json: unknown) {
  const params = field(json, 'params');
  const required: Record<string, readonly string[]> = { sql: ['tables', 'database'], retrieval: ['source'] };
  const type = String(field(json, 'type'));
  for (const name of required[type] ?? []) field(params, name);
  return { name: field(json, 'name'), type, params };
}

/** Reads an agent as the client does. */
function agentOf(json: unknown) {
  for (const name of ['name', 'created_at', 'updated_at']) field(json, name);
  return { ...Object(json), skills: list(Object(json).skills ?? []).map(skillOf) };
}

const PROJECT = '/projects/mindsdb';
const SQL = { database: 'sales', tables: ['orders'], description: '' };

test('the client reads the version', async () => {
  expect(await send('GET', '/status')).toMatchObject({ mindsdb_version: expect.any(String) });
});

test('the client creates, lists, changes and drops skills', async () => {
  const skills = `${PROJECT}/skills`;
  await send('POST', skills, { skill: { name: 't2s', type: 'sql', params: SQL } });
  const care = { source: 'care', description: 'How to clean diamonds' };
  await send('POST', skills, { skill: { name: 'care', type: 'retrieval', params: care } });
  await send('POST', skills, { skill: { name: 'note', type: 'note', params: null } });
  const change = { name: 't2s', type: 'sql', params: { ...SQL, description: 'Sales' } };
  const changed = await send('PUT', `${skills}/t2s`, { skill: change });
  expect(skillOf(changed)).toEqual(change);
  const read = list(JSON.parse(await ask('GET', skills))).map(skillOf);
  expect(read).toEqual([
    change,
    { name: 'care', type: 'retrieval', params: care },
    { name: 'note', type: 'note', params: {} },
  ]);
  for (const { name } of read) expect(await ask('DELETE', `${skills}/${name}`)).toBe('');
});

test('the client cannot store a skill that would break its lists', async () => {
  const skills = `${PROJECT}/skills`;
  for (const params of [null, {}, { database: 'sales' }, { tables: ['orders'] }]) {
    const created = send('POST', skills, { skill: { name: 'broken', type: 'sql', params } });
    await expect(created).rejects.toThrow('/problems/unusable-skill');
  }
  expect(list(JSON.parse(await ask('GET', skills))).map(skillOf)).toEqual([]);
});

describe('an agent of the client', () => {
  const agents = `${PROJECT}/agents`;
  const completions = `${agents}/jeweller/completions`;
  const question = { messages: [{ question: 'What do they cost?', answer: null }] };

  beforeAll(async () => {
    await send('POST', `${PROJECT}/skills`, { skill: { name: 't2s', type: 'sql', params: SQL } });
    const created = await send('POST', agents, {
      agent: {
        name: 'jeweller',
        model_name: null,
        provider: null,
        skills: ['t2s'],
        data: null,
        model: null,
        prompt_template: null,
        params: {},
      },
    });
    expect(agentOf(created).skills).toEqual([{ name: 't2s', type: 'sql', params: SQL }]);
    service.chat.play(({ body }) =>
      body.messages.at(-1)?.role === 'tool'
        ? says('On average ', '1433 dollars.')
        : calls({ name: 't2s', arguments: { sql: 'select avg(price) from orders' } }),
    );
  });

  test('is read and listed', async () => {
    const [listed] = list(JSON.parse(await ask('GET', agents))).map(agentOf);
    expect(agentOf(await send('GET', `${agents}/jeweller`))).toEqual(listed);
  });

  test('is changed, with the fields that stay as null', async () => {
    const changed = await send('PUT', `${agents}/jeweller`, {
      agent: {
        name: 'jeweller',
        model_name: null,
        provider: null,
        skills_to_add: [],
        skills_to_remove: [],
        data: null,
        model: null,
        prompt_template: 'Be brief.',
        params: {},
      },
    });
    expect(agentOf(changed)).toMatchObject({ prompt_template: 'Be brief.', params: {} });
  });

  // For an agent with both, the client reads `model` alone, and writes null for `model_name`.
  test('keeps what the client sends as null in an ordinary change', async () => {
    const model = { model_name: 'llama3.2', provider: 'ollama' };
    const both = { name: 'both', model_name: 'scripted', prompt_template: 'Be kind.', model };
    await send('POST', agents, { agent: both });
    const read = await send('GET', `${agents}/both`);
    const changed = await send('PUT', `${agents}/both`, {
      agent: {
        name: 'both',
        model_name: null,
        provider: read['provider'],
        skills_to_add: [],
        skills_to_remove: [],
        data: read['data'],
        model: read['model'],
        prompt_template: 'Be brief.',
        params: read['params'],
      },
    });
    expect(changed).toMatchObject({ ...both, prompt_template: 'Be brief.' });
  });

  test('completes', async () => {
    const message = field(await send('POST', completions, question), 'message');
    expect(field(message, 'content')).toBe('On average 1433 dollars.');
    expect(message).not.toHaveProperty('context');
  });

  test('streams events that are all JSON, the last of which is the end', async () => {
    const text = await ask('POST', `${completions}/stream`, question);
    const events = eventData(text).map((data): Json => Object(JSON.parse(data)));
    expect(events[0]).toMatchObject({ type: 'start', prompt: 'What do they cost?' });
    expect(events.find((event) => 'steps' in event)?.['steps']).toMatchObject([
      { action: { tool: 't2s' }, observation: expect.stringContaining('1433') },
    ]);
    expect(events.at(-2)).toMatchObject({
      output: 'On average 1433 dollars.',
      messages: [{ content: 'On average 1433 dollars.' }],
    });
    expect(events.at(-1)).toMatchObject({ type: 'end', trace_id: expect.any(String) });
  });

  test('streams an error, and the end all the same', async () => {
    service.chat.play([{ status: 500, headers: {}, body: ['broken'] }]);
    const text = await ask('POST', `${completions}/stream`, question);
    const events = eventData(text).map((data): Json => Object(JSON.parse(data)));
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', content: expect.any(String), error_type: expect.any(String) },
      { type: 'end' },
    ]);
  });
});

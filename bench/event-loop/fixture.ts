import { join } from 'node:path';
import { asArray, asRecord } from '../../contract/json-record.js';
import { chunk, DONE, usageChunk } from '../../testkit/chat/reply.js';
import { createSales } from '../../testkit/databases/sales.js';
import { ask } from '../../testkit/http/client.js';
import { serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { makeTable } from '../../testkit/openapi/example-requests.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import { loadExamples } from '../../tools/mock/load-examples.js';
import { PRELOAD } from '../preload.js';
import { train, withService } from '../services.js';
import { LARGE_MODELS } from './large-models.js';
import type { Known, Variant } from './requests.js';

/** A service with keys, and what is stored in it. */
export interface Stored {
  readonly service: Service;
  readonly known: Known;
}

/** Starts a service for measurements, with a key, a chat server and the resources that requests use. */
export async function withStored<T>(folder: string, isShort: boolean, use: (stored: Stored) => Promise<T>): Promise<T> {
  const databaseUrl = `file:${join(folder, 'roster.db')}`;
  const key = await makeKey(databaseUrl, { name: 'own' });
  const chat = await openChatServer();
  const env = {
    RATE_LIMIT: '0',
    MAX_RESOURCES: '999999',
    PUBLIC_URL: 'https://roster.example.com',
    CHAT_URL: chat.url,
    CHAT_MODEL: 'scripted',
    DATABASES: JSON.stringify({ sales: { url: `file:${createSales(folder)}` } }),
  };
  try {
    return await withService(folder, async (service) => use({ service, known: await store(service, key, isShort) }), {
      databaseUrl,
      env,
      preload: PRELOAD,
    });
  } finally {
    await chat.close();
  }
}

/** Answers every question with a word, without looking at it: it may be large. */
async function openChatServer() {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const pieces = [chunk({ content: 'Yes' }), chunk({}, 'stop'), usageChunk(usage), DONE];
  const { origin, close } = await serveOnLoopback((incoming, response) => {
    incoming.resume().once('end', () => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(pieces.join(''));
    });
  });
  return { url: `${origin}/v1`, close };
}

/** Stores the resources of the contract's examples, and resources that take much work. */
async function store({ url }: Service, key: string, isShort: boolean): Promise<Known> {
  const headers = { Authorization: `Bearer ${key}` };
  const made = await loadExamples(url, { headers, completeTable: makeTable });
  const send = async (method: string, path: string, body?: unknown) =>
    asRecord(await ask(method, url + path, body, headers));
  const lastOf = (part: string) =>
    made
      .find((address) => address.includes(part))
      ?.split('/')
      .at(-1) ?? '';
  const [conversation = ''] = made.filter((address) => address.includes('/conversations/'));
  const message = { message: { content: 'What does a diamond cost?' } };
  const reply = await send('POST', `${conversation}/messages`, message);
  const response = await send('POST', '/v1/responses', { model: 'analyst', input: 'Hello' });
  const documents = '/projects/default/skills/care_instructions/documents';
  for (let index = 0; index < DOCUMENTS; index += 1) {
    await putText(`${url}${documents}/long${index}`, longDocument(index), headers);
  }
  const models = isShort ? forecasts(SHORT_COUNTS) : [...forecasts(COUNTS), ...classes()];
  for (const { name, query, table } of models) {
    await train(`${url}/api/projects/default/models/${name}?${query}`, table, headers);
  }
  return {
    key,
    names: {
      key_id: lastOf('/keys/'),
      conversation_id: lastOf('/conversations/'),
      message_id: String(asRecord(asArray(reply['messages'])[0] ?? reply['message'])['id']),
      response_id: String(response['id']),
      version: '1',
    },
    namesOf: {
      applyManifest: { project_name: 'jewellery' },
      trainModel: { modelName: 'grown' },
      putDocument: { document_name: 'grown' },
    },
    further: {
      predict: models.map(({ name, row }) => ({ name, path: { modelName: name }, body: { data: [row] } })),
      ...Object.fromEntries(
        OF_MODELS.map((id) => [id, models.map(({ name }) => ({ name, path: { modelName: name } }))]),
      ),
      ...(await mcpVariants(url, headers)),
    },
  };
}

/** The operations that show a model, or what is derived from it. */
const OF_MODELS = ['getErrors', 'getModel', 'getOnnx', 'getRecord', 'listVersions'];

/** The documents of a skill, and the sentences of each. */
const DOCUMENTS = 20;
const SENTENCES = 1000;

function longDocument(index: number): string {
  const sentences = Array.from(
    { length: SENTENCES },
    (_, at) => `Diamond ${index * SENTENCES + at} is cleaned with soap, water and cloth ${at % 97}.`,
  );
  return sentences.join('\n\n');
}

async function putText(address: string, body: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const type = { 'Content-Type': 'text/plain' };
  const { ok, status } = await fetch(address, { method: 'PUT', body, headers: { ...headers, ...type } });
  if (!ok) throw new Error(`${address}: ${status}`);
}

interface StoredModel {
  readonly name: string;
  readonly query: string;
  readonly table: string;
  /** A row that it predicts of. */
  readonly row: object;
}

function classes(): StoredModel[] {
  const large = LARGE_MODELS.find(({ name }) => name === '100 classes');
  if (large === undefined) throw new Error('there is no table of 100 classes');
  return [{ name: 'classes', query: 'target=y', table: large.csv(), row: { x0: 0.5, x1: 0.5 } }];
}

/** The numbers of series of two models that forecast; those of the short form are trained in a second. */
const COUNTS = [1, 200];
const SHORT_COUNTS = [1, 10];

/** The steps of each series. */
const STEPS = 100;

function forecasts(counts: readonly number[]): StoredModel[] {
  return counts.map((count) => ({
    name: `forecast_of_${count}`,
    query: 'target=y&order_by=day&group_by=store&horizon=7',
    table: series(count),
    row: { store: 'store 0', day: '2025-01-01' },
  }));
}

function series(count: number): string {
  const lines = ['store,day,y'];
  for (let store = 0; store < count; store += 1) {
    for (let step = 0; step < STEPS; step += 1) {
      const day = new Date(Date.UTC(2024, 0, 1 + step)).toISOString().slice(0, 10);
      lines.push(`store ${store},${day},${100 + store + 10 * Math.sin(step / 3) + (step % 7)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Returns messages of each method of MCP, and calls of each tool. */
async function mcpVariants(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, readonly Variant[]>>> {
  const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  const answer = asRecord(await ask('POST', `${url}/mcp`, message('tools/list', {}), headers));
  const tools = asArray(asRecord(answer['result'])['tools']).map(asRecord);
  const calls = tools.map((tool) => {
    const { properties } = asRecord(tool['inputSchema']);
    const input = Object.entries(asRecord(properties)).map(([name, schema]) => [name, inputOf(schema)]);
    const params = { name: tool['name'], arguments: Object.fromEntries(input) };
    return { name: String(tool['name']), body: message('tools/call', params) };
  });
  const client = { name: 'bench', version: '1' };
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client };
  const document = 'roster://default/skills/care_instructions/documents/long0';
  const methods = [
    { name: 'initialize', params: initialize },
    { name: 'ping', params: {} },
    { name: 'resources/list', params: { cursor: 'a' } },
    { name: 'resources/templates/list', params: {} },
    { name: 'resources/read', params: { uri: document } },
  ].map(({ name, params }) => ({ name, body: message(name, params) }));
  const variants = [...methods, ...calls];
  return { callMcp: variants };
}

/** Returns a value that fits the schema of a tool's input, as far as its type and its choices say. */
function inputOf(schema: unknown): unknown {
  const { type, enum: choices } = asRecord(schema);
  if (Array.isArray(choices)) return choices[0];
  switch (type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'diamond';
  }
}

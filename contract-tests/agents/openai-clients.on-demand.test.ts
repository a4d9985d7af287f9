/** Runs the examples of docs/openai.md with the packages that they name. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asArray, asRecord } from '../../contract/json-record.js';
import { calls, says, saysWithin } from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';
import { readField, readText } from '../../testkit/json.js';
import { AgentService } from './agent-service.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let service: AgentService;
let folder: string;
let snippets: string[];
beforeAll(async () => {
  service = await AgentService.open();
  await service.trainPrices();
  await service.create('skill', { name: 'prices', type: 'model', params: { model: 'prices' } });
  await service.create('agent', { name: 'jeweller', skills: ['prices'] });
  folder = await mkdtemp(join(tmpdir(), 'roster-openai-'));
  await symlink(join(ROOT, 'tools/on-demand/openai-clients/node_modules'), join(folder, 'node_modules'));
  const page = await readFile(join(ROOT, 'docs/openai.md'), 'utf8');
  snippets = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ["OpenAI's SDK streams an answer", 0, ''],
  ["OpenAI's SDK continues a response", 1, ''],
  ["Vercel's AI SDK completes an answer", 2, 'process.stdout.write(text);'],
  ["Vercel's AI SDK streams a response", 3, ''],
  ['LangChain streams a response', 4, ''],
])('%s for which the agent used its model', async (_, place, end) => {
  service.chat.play((_request, number) =>
    number === 0 ? calls({ name: 'prices', arguments: { carat: 0.7 } }) : says('About ', '2,700.'),
  );
  const file = join(folder, `${place}.mjs`);
  const code = snippets[place]?.replace('http://127.0.0.1:4000', service.server.url);
  await writeFile(file, `${code}\n${end}\n`);
  const env = { ...process.env, ROSTER_KEY: service.key };
  const { stdout } = await run(process.execPath, [file], { env });
  expect(stdout).toBe('About 2,700.');
});

test("OpenAI's SDK throws the problem, with its detail, its field and its kind", async () => {
  const file = join(folder, 'fails.mjs');
  await writeFile(
    file,
    `import OpenAI from 'openai';
const openai = new OpenAI({ baseURL: '${service.server.url}/v1', apiKey: process.env.ROSTER_KEY });
const asked = { model: 'jeweller', messages: [{ role: 'user', content: 'Hello' }], n: 2 };
await openai.chat.completions.create(asked).catch((error) => {
  const { message, status, type, param } = error;
  console.log(JSON.stringify({ message, status, type, param, isBad: error instanceof OpenAI.BadRequestError }));
});
console.log((await openai.models.list()).data.map(({ id }) => id).join());
`,
  );
  const env = { ...process.env, ROSTER_KEY: service.key };
  const { stdout } = await run(process.execPath, [file], { env });
  const [problem = '', models] = stdout.split('\n');
  expect(JSON.parse(problem)).toMatchObject({
    message: expect.stringContaining('/body/n '),
    status: 400,
    type: 'invalid_request_error',
    param: 'n',
    isBad: true,
  });
  expect(models).toBe('default/jeweller');
});

/** Uses the agent's model for prices, calls the client's tool for stock, and else says a number. */
const ASSISTING: ChatScript = ({ body: { messages } }) => {
  const last = messages.at(-1);
  const asked = last?.role === 'user' ? `${last.content}` : '';
  if (/stock/.test(asked)) return calls({ name: 'stock', arguments: { carat: 0.7 } });
  if (/cost/.test(asked)) return calls({ name: 'prices', arguments: { carat: 0.7 } });
  return says('About ', '2,700.');
};

/** Sends each answer back as the client holds it, whole and gathered from a stream, with and without a tool. */
const ROUNDS = `
import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';

const [baseURL, apiKey, model] = [process.env.ROSTER_URL, process.env.ROSTER_KEY, 'jeweller'];
const schema = { type: 'object', properties: { carat: { type: 'number' } } };
const own = { name: 'stock', description: 'The stock.', parameters: schema };
const parameters = { ...schema, required: ['carat'], additionalProperties: false };
const strict = { ...own, strict: true, parameters };
const next = { role: 'user', content: 'And another?' };
const cost = { role: 'user', content: 'What does it cost?' };
const stock = { role: 'user', content: 'How many are in stock?' };

const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const chats = openai.chat.completions;
for (const asked of [cost, stock]) {
  const tools = asked === stock ? [{ type: 'function', function: strict }] : undefined;
  const body = { model, tools, messages: [asked] };
  for (const made of [chats.create(body), chats.parse(body), chats.stream(body).finalChatCompletion()]) {
    const { message } = (await made).choices[0];
    const results = message.tool_calls?.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '3' }));
    await chats.create({ ...body, messages: [asked, message, ...(results ?? [next])] });
  }
  const flat = asked === stock ? [{ type: 'function', ...strict }] : undefined;
  const question = { model, tools: flat, store: false, input: [asked] };
  const { responses } = openai;
  const streamed = responses.stream(question).finalResponse();
  for (const made of [responses.create(question), responses.parse(question), streamed]) {
    const { output } = await made;
    const called = output.filter(({ type }) => type === 'function_call');
    const results = called.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '3' }));
    await responses.create({ ...question, input: [asked, ...output, ...(called.length ? results : [next])] });
  }
}

const described = { description: own.description, inputSchema: jsonSchema(schema), execute: () => '3' };
const settings = { tools: { stock: tool(described) }, stopWhen: stepCountIs(3), maxRetries: 0 };
const compatible = createOpenAICompatible({ name: 'roster', baseURL, apiKey })(model);
const responding = createOpenResponses({ name: 'roster', url: baseURL + '/responses', apiKey })(model);
const thought = [{ type: 'reasoning', text: 'Let me see.' }, { type: 'text', text: 'Hello.' }];
const earlier = [next, { role: 'assistant', content: thought }];
for (const one of [compatible, responding]) {
  for (const asked of [cost, stock]) {
    const question = { ...settings, model: one, messages: [...earlier, asked] };
    const stream = streamText(question);
    for await (const part of stream.fullStream) if (part.type === 'error') throw part.error;
    for (const { messages } of [(await generateText(question)).response, await stream.response]) {
      await generateText({ ...question, messages: [...question.messages, ...messages, next] });
    }
  }
}

for (const useResponsesApi of [false, true]) {
  const configuration = { baseURL };
  const plain = new ChatOpenAI({ model, apiKey, useResponsesApi, configuration, maxRetries: 0 });
  for (const { content } of [cost, stock]) {
    const one = content === cost.content ? plain : plain.bindTools([{ type: 'function', function: own }]);
    const asked = new HumanMessage(content);
    let gathered;
    for await (const chunk of await one.stream([asked])) gathered = gathered?.concat(chunk) ?? chunk;
    for (const said of [await one.invoke([asked]), gathered]) {
      const results = said.tool_calls.map(({ id }) => new ToolMessage({ content: '3', tool_call_id: id }));
      await one.invoke([asked, said, ...(results.length ? results : [new HumanMessage(next.content)])]);
    }
  }
}
`;

test('each client sends answers back as it holds them, and goes on', async () => {
  service.chat.play(ASSISTING);
  const file = join(folder, 'rounds.mjs');
  await writeFile(file, ROUNDS);
  const own = { ROSTER_KEY: service.key, ROSTER_URL: `${service.server.url}/v1` };
  await run(process.execPath, [file], { env: { ...process.env, ...own } });
  const asked = service.chat.requests.map(({ body: { messages } }) => messages);
  expect(asked.filter((messages) => messages.at(-1)?.content === 'And another?')).toHaveLength(18);
});

const LONG = 'Hello there, and what else is it that you would like to hear of me today?';

/** A chat server that keeps to a bound of tokens, calls the tool of the client, remembers a name, and else greets. */
const OBLIGING: ChatScript = ({ body: { messages, tools = [], max_tokens: most = 16 } }) => {
  if (most < 16) return saysWithin(most, ...LONG.split(/(?= )/));
  const last = messages.at(-1);
  const tool = tools.find(({ function: { name } }) => name !== 'prices')?.function;
  if (last?.role === 'user' && tool) {
    const given = Object.entries(asRecord(readField(tool.parameters, 'properties')));
    const values = given.map(([name, schema]) => [name, sampleOf(schema)]);
    return calls({ name: tool.name, arguments: Object.fromEntries(values) });
  }
  const asksName = /my name/.test(`${last?.content}`);
  return says(asksName && JSON.stringify(messages).includes('Ada') ? 'Ada' : 'Hello there.');
};

function sampleOf(schema: unknown): unknown {
  const [choice] = asArray(readField(schema, 'enum'));
  if (choice !== undefined) return choice;
  const type = readText(schema, 'type');
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  return type === 'array' ? [] : 'Paris';
}

test('llmprobe finds no fault in what is served', async () => {
  service.chat.play(OBLIGING);
  const program = join(ROOT, 'tools/on-demand/openai-clients/node_modules/llmprobe/bin/dist');
  const args = [join(program, 'llmprobe.mjs'), `${service.server.url}/v1`, '--json'];
  const settings = ['--model', 'jeweller', '--no-bench', '--no-save', '--api-key', service.key];
  const env = { ...process.env, HOME: folder };
  // It fails for a model that greets whatever it is asked; this is about the service.
  const { stdout } = await run(process.execPath, [...args, ...settings], { env }).catch(
    (failed: { stdout: string }) => failed,
  );
  const { conformance } = JSON.parse(stdout);
  const surfaces = asArray(readField(conformance, 'bySurface'));
  expect(surfaces.map((one) => [readText(one, 'surface'), readField(one, 'total')])).toEqual([
    ['models', expect.any(Number)],
    ['chat', expect.any(Number)],
    ['responses', expect.any(Number)],
  ]);
  const results = asArray(readField(conformance, 'results'));
  const failed = results.filter((one) => readText(one, 'outcome') === 'fail');
  expect(failed.map((one) => readText(one, 'name'))).toEqual([]);
});

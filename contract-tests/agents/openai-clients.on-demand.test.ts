/**
 * Runs the examples of docs/agents/openai.md with the packages that they name, and the features of each client with its
 * newest packages and with those of November 2025. `npm run test:on-demand -- -u` records what they send, which
 * `openai-history.test.ts` repeats without them.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray, asRecord } from '../../contract/json-record.js';
import { calls, says, saysWithin } from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';
import { readField, readText } from '../../testkit/json.js';
import { AgentService } from './agent-service.js';
import {
  AGES,
  ASSISTING,
  CLIENTS,
  createJeweller,
  FILLED,
  recordedFile,
  runClient,
  writeRecorded,
} from './clients/run-client.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let service: AgentService;
let folder: string;
let snippets: string[];
beforeAll(async () => {
  service = await AgentService.open();
  await createJeweller(service);
  folder = await mkdtemp(join(tmpdir(), 'roster-openai-'));
  await symlink(join(ROOT, 'tools/on-demand/openai-clients/node_modules'), join(folder, 'node_modules'));
  const page = await readFile(join(ROOT, 'docs/agents/openai.md'), 'utf8');
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

describe.each(AGES)('of the packages in %s', (age) => {
  test.each(CLIENTS)('%s sends answers back as it holds them, goes on, and sends what is recorded', async (client) => {
    service.chat.play(ASSISTING);
    const { requests, failures, filled } = await runClient(client, age, service);
    expect(failures).toEqual([]);
    const structured = requests.filter(({ feature }) => feature.startsWith('structured'));
    expect(structured.length).toBeGreaterThan(3);
    expect(filled).toEqual(new Map(structured.map(({ feature }) => [feature, FILLED])));
    await expect(writeRecorded(requests)).toMatchFileSnapshot(fileURLToPath(recordedFile(client, age)));
  });
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

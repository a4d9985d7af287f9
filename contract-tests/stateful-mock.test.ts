/** Tests of the stateful mock: it begins with the contract's examples, and keeps the changes until it stops. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRosterClient } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray } from '../contract/json-record.js';
import { readField, readText } from '../testkit/json.js';
import { contract, type Operation, operations } from '../testkit/openapi/document.js';
import { creatingRequests, type ExampleRequest, exampleRequests } from '../testkit/openapi/example-requests.js';
import type { Child } from '../testkit/service/child-process.js';
import { checkedFetch } from './checked-fetch.js';
import { startStatefulMock } from './targets/start-mock.js';

let folder: string;
let mock: Child & { url: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-'));
  const DATABASE_URL = `file:${join(folder, 'roster.db')}`;
  mock = await startStatefulMock({ DATABASE_URL, TMPDIR: folder });
  const [conversation] = await listAt(CONVERSATIONS);
  identifiers.set(CONVERSATION_ID, readText(conversation, 'id'));
  identifiers.set(MESSAGE_ID, await sendExampleMessage());
  identifiers.set(KEY_ID, readText((await listAt('/keys')).at(-1), 'id'));
});
afterAll(async () => {
  await mock.stop('SIGKILL');
  await rm(folder, { recursive: true });
});

const CONVERSATIONS = '/projects/default/chatbots/help_desk/conversations';
const CONVERSATION_ID = exampleIdentifier('ConversationId');
const MESSAGE_ID = exampleIdentifier('MessageId');
const KEY_ID = contract.text('components', 'parameters', 'KeyId', 'examples', 'key', 'value');

/** The identifiers that the mock has made, by those of the contract's examples. */
const identifiers = new Map<string, string>();

function exampleIdentifier(parameter: string): string {
  return contract.text('components', 'parameters', parameter, 'examples', 'id', 'value');
}

/** Sends a request with the mock's identifiers, and checks the answer against the contract. */
function send({ path, ...init }: Omit<ExampleRequest, 'name'>): Promise<Response> {
  const address = path.replace(/[^/?]+/g, (step) => identifiers.get(step) ?? step);
  return checkedFetch(new Request(mock.url + address, init));
}

/** Sends the message of the example, and returns its identifier. */
async function sendExampleMessage(): Promise<string> {
  const sendMessage = operations.find(({ id }) => id === 'sendMessage') ?? expect.fail();
  const answer = await send(exampleRequests(sendMessage)[0]);
  return readText(readField(await answer.json(), 'question'), 'id');
}

const get = (path: string) => send({ path, method: 'GET', headers: {} });
const remove = (path: string) => send({ path, method: 'DELETE', headers: {} });

async function listAt(path: string): Promise<readonly unknown[]> {
  return asArray(await (await get(path)).json());
}

const creates = ({ method, place }: Operation) => method === 'POST' && place.find('responses', '201') !== undefined;
const trains = ({ place }: Operation) => place.find('responses', '202') !== undefined;
const creations = operations.filter(creates);
/** A response of an agent gets its own identifier, so that of the examples leads to none. */
const asked = operations.filter(({ path }) => path !== '/v1/responses/{response_id}');
const deletions = asked.filter(({ method }) => method === 'DELETE');
/**
 * Without trainings: the contract's example shows the first lines of a table, too few to train from, and the mock
 * has no database.
 */
const others = asked.filter((operation) => !creates(operation) && !deletions.includes(operation) && !trains(operation));

/** Returns the examples of what a GET answers as JSON; empty for other operations and answers. */
function jsonExamples({ method, place }: Operation): unknown[] {
  if (method !== 'GET') return [];
  return place
    .entries('responses', '200', 'content', 'application/json', 'examples')
    .map(([, example]) => example.at('value').value);
}

describe("an address from the contract's examples", () => {
  // An agent as a model of OpenAI's API has the name that was asked for, with or without its project.
  const ofOne = asked.filter(
    (operation) =>
      operation.path.endsWith('}') && operation.id !== 'getOpenaiModel' && jsonExamples(operation).length > 0,
  );

  test.each(ofOne)('has a resource, which is in its list: $path', async (operation) => {
    const [{ path }] = exampleRequests(operation);
    const shown = await get(path);
    expect(shown.status).toBe(200);
    const list = path.slice(0, path.lastIndexOf('/'));
    expect(await listAt(list)).toContainEqual(await shown.json());
  });

  // The example of a model has other dates, that of /projects/default another project, that of messages the reply of
  // a language model, a manifest has the examples of all resources, and the mock has its own key.
  const shown = operations.filter(
    (operation) =>
      jsonExamples(operation).length > 0 &&
      operation.path.startsWith('/projects') &&
      !['getProject', 'listMessages', 'getManifest'].includes(operation.id),
  );
  /** Serialises without identifiers and dates, which are new each time. */
  const lasting = (value: unknown) =>
    JSON.stringify(value, (key, part) => (/^(id|agent_ids?|.*_at)$/.test(key) ? undefined : part));

  test.each(shown)("answers as the contract's examples show: $path", async (operation) => {
    const [{ path }] = exampleRequests(operation);
    expect(jsonExamples(operation).map(lasting)).toContain(lasting(await (await get(path)).json()));
  });
});

test.each(
  others.flatMap((operation) => exampleRequests(operation).map((request) => ({ id: operation.id, ...request }))),
)("$id accepts the contract's example: $name", async ({ id, ...request }) => {
  expect((await send(request)).status, id).toBe(200);
});

test("the text of the example's document is kept as it was sent", async () => {
  const [{ path, body, headers }] = exampleRequests(operations.find(({ id }) => id === 'putDocument') ?? expect.fail());
  await send({ path, method: 'PUT', headers, ...(body && { body }) });
  const answer = await get(path);
  expect(answer.headers.get('Content-Type')).toContain(headers['Content-Type']);
  expect(await answer.text()).toBe(body);
});

test('a reply says that no language model answers, and how to ask one', async () => {
  const messages = await listAt(`${CONVERSATIONS}/${CONVERSATION_ID}/messages`);
  expect(messages.slice(0, 2)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: expect.stringMatching(/No language model .* CHAT_URL/) },
  ]);
});

test('an answer is streamed in pieces', async () => {
  const streamAgent = operations.find(({ id }) => id === 'streamAgent') ?? expect.fail();
  const events = await (await send(exampleRequests(streamAgent)[0])).text();
  expect(events.match(/"type":"delta"/g)?.length).toBeGreaterThan(1);
});

test("a prediction depends on its input, not on the contract's example", async () => {
  const predict = async (carat: number) => {
    const answer = await send({
      path: '/api/projects/default/models/diamond_prices/predict',
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([{ carat, cut: 'Ideal', color: 'G' }]),
    });
    return Number(readField(asArray(await answer.json())[0], 'price'));
  };
  expect(await predict(0.3)).toBeGreaterThan(100);
  expect(await predict(2)).toBeGreaterThan(5 * (await predict(0.3)));
});

describe('every caller is accepted', () => {
  test.each([
    ['Authorization', 'Bearer anything'],
    ['Authorization', 'Bearer roster_0123456789abcdef_of_later'],
    ['Authorization', 'Basic dXNlcjpwYXNzd29yZA=='],
    ['X-Api-Key', 'anything'],
  ])('with the header %s: %s', async (name, value) => {
    const answer = await send({ path: '/projects', method: 'GET', headers: { [name]: value } });
    expect(answer.status).toBe(200);
  });

  test('from a page of any origin, which can read the headers too', async () => {
    const Origin = 'http://app.example';
    const asked = await fetch(`${mock.url}/projects`, {
      method: 'OPTIONS',
      headers: {
        Origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('Access-Control-Allow-Methods')).toBe('POST');
    expect(asked.headers.get('Access-Control-Allow-Headers')).toBe('authorization,content-type');
    const refused = await send({ path: '/projects/none', method: 'GET', headers: { Origin } });
    expect(refused.status).toBe(404);
    for (const { headers } of [asked, refused]) {
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(headers.get('Access-Control-Expose-Headers')).toBe('*');
    }
  });
});

test('a created resource can be read, changed, listed and deleted', async () => {
  const roster = createRosterClient({ baseUrl: mock.url, apiKey: 'later', fetch: checkedFetch });
  const ONE = '/projects/{project_name}/skills/{skill_name}';
  const project = { path: { project_name: 'default' } };
  const params = { path: { project_name: 'default', skill_name: 'lookup' } };

  const created = await roster.POST('/projects/{project_name}/skills', {
    params: project,
    body: { skill: { name: 'lookup', type: 'lookup', params: { database: 'a' } } },
  });
  expect((await roster.GET(ONE, { params })).data).toEqual(created.data);
  await roster.PUT(ONE, { params, body: { skill: { params: { database: 'b' } } } });
  const { data: skills } = await roster.GET('/projects/{project_name}/skills', { params: project });
  expect(skills?.at(-1)).toMatchObject({ id: created.data?.id, params: { database: 'b' } });
  await roster.DELETE(ONE, { params });
  expect((await roster.GET(ONE, { params })).error?.type).toBe('/problems/skill-not-found');
});

test('the mock refuses an invalid request as the service does', async () => {
  const [request] = exampleRequests(creations.find(({ id }) => id === 'createProject') ?? expect.fail());
  const refused = await send({ ...request, body: '{"project": {"name": "two words"}}' });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/body/project/name' }] });
});

/** The requests that create the resources of the examples, and the addresses of these. */
const examples = operations.flatMap(creatingRequests).map((request) => {
  const address = request.method === 'PUT' ? request.path : `${request.path}/${nameIn(request)}`;
  return { ...request, address };
});

/** Returns the name of the resource that a request creates; of a conversation and a key, the identifier. */
function nameIn({ path, body = '' }: ExampleRequest): string {
  if (path === CONVERSATIONS) return CONVERSATION_ID;
  if (path === '/keys') return KEY_ID;
  const [resource]: unknown[] = Object.values(JSON.parse(body));
  return readText(resource, 'name');
}

/** Creates again what deletions have removed. Existing resources stay, except that conversations and keys begin anew. */
async function restore() {
  for (const request of examples) await create(request);
}

async function create(request: ExampleRequest): Promise<number> {
  const answer = await send(request);
  if (request.path === CONVERSATIONS) {
    identifiers.set(CONVERSATION_ID, readText(await answer.json(), 'id'));
  }
  if (request.path === '/keys') identifiers.set(KEY_ID, readText(await answer.json(), 'id'));
  return answer.status;
}

test.each(examples)(
  'a deleted resource can be created again from the example: $address',
  async ({ address, ...request }) => {
    await restore();
    expect((await remove(address)).status).toBe(204);
    expect(await create(request)).toBe(201);
  },
);

describe('a deletion in the stateful mock', () => {
  const lists = operations.filter(({ method, path }) => method === 'GET' && /\{project_?[nN]ame\}\/\w+$/.test(path));
  async function emptyProject() {
    for (const [{ path }] of lists.map((operation) => exampleRequests(operation))) {
      for (const one of await listAt(path)) await remove(`${path}/${readText(one, 'name')}`);
    }
  }

  // The version of the example serves.
  const refused = ['deleteVersion', 'cancelTraining'];
  test.each(refused)('%s refuses the version of the example', async (wanted) => {
    await restore();
    for (const operation of deletions.filter(({ id }) => id === wanted)) {
      const [{ path }] = exampleRequests(operation);
      expect((await remove(path)).status).toBe(409);
    }
  });

  // The project is deleted last: a key sees it alone.
  const isLast = ({ id }: Operation) => Number(id === 'deleteProject');
  const deletable = deletions
    .filter(({ id }) => !refused.includes(id))
    .reverse()
    .sort((one, other) => isLast(one) - isLast(other));
  test.each(deletable)('$id deletes the resource of the example', async (operation) => {
    await (operation.id === 'deleteProject' ? emptyProject() : restore());
    const [{ path }] = exampleRequests(operation);
    expect((await remove(path)).status).toBe(204);
    expect((await remove(path)).status).toBe(404);
  });
});

test('the stateful mock keeps nothing after it stops, and does not touch the store of the service', async () => {
  expect(await mock.stop('SIGINT')).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

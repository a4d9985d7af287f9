/** Tests that each call that compiles works, whatever its operation sends and answers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRoster, createRosterClient, type RosterClient, UnexpectedAnswerError } from 'roster-client';
import { type ExampleChoices, examples } from 'roster-client/examples';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mediaTypesOf } from '../../client/src/contract/media-types.js';
import { allOperations } from '../../testkit/openapi/document.js';
import { exampleRequests } from '../../testkit/openapi/example-requests.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';

const BASE = 'http://roster.test';

interface Example {
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly name: string | undefined;
  readonly value: unknown;
}

type Send = (path: string, options: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** The examples of answers that a call without options may get. */
function examplesOf({ place, path, method }: (typeof allOperations)[number]): Example[] {
  const { reads = 'json' } = mediaTypesOf(method, path);
  return place.entries('responses').flatMap(([code, response]): Example[] => {
    const status = Number(code);
    const contents = response.entries('content');
    if (contents.length === 0) return [{ status, mediaType: undefined, name: undefined, value: undefined }];
    return contents
      .filter(([mediaType]) => status >= 300 || reads !== 'json' || mediaType === 'application/json')
      .flatMap(([mediaType, content]) =>
        content.entries('examples').map(([name, one]) => ({ status, mediaType, name, value: one.at('value').value })),
      );
  });
}

/** Answers as an example of the contract does, with a body in its media type. */
function answering({ status, mediaType, value }: Example): RosterClient {
  const isText = typeof value === 'string' && !mediaType?.includes('json');
  const body = mediaType === undefined ? null : isText ? value : JSON.stringify(value);
  const headers = mediaType === undefined ? {} : { 'Content-Type': mediaType };
  return createRosterClient({ baseUrl: BASE, fetch: async () => new Response(body, { status, headers }) });
}

async function readWhole(data: unknown): Promise<unknown> {
  return data instanceof Blob || data instanceof ReadableStream ? new Response(data).text() : data;
}

/** The browser follows redirects itself, so that no caller of fetch sees one. */
const isSeen = ({ status }: Example) => status !== 303;

test.each(allOperations)('$id reads each example of its answers, as data or as an error', async (operation) => {
  const { method, path } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'any']);
  for (const example of examplesOf(operation).filter(isSeen)) {
    const call = Reflect.get(answering(example), method) as Send;
    const { data, error, response } = await call(path, { params: { path: Object.fromEntries(names) } });
    expect(response.status).toBe(example.status);
    if (example.status < 300) expect(await readWhole(data)).toEqual(example.value);
    else expect(error).toEqual(example.status === 304 ? undefined : example.value);
  }
});

test.each(allOperations)('$id sends the first media type of its body without being asked', async (operation) => {
  const [example] = exampleRequests(operation);
  if (example.body === undefined) return;
  const { sends = 'application/json' } = mediaTypesOf(operation.method, operation.path);
  // The first example of a table is CSV. Without a header, JSON is sent.
  const isText = example.headers['Content-Type']?.startsWith('text/');
  const fields: Record<string, string> = isText ? { any: 'field' } : JSON.parse(example.body);
  const body = sends.startsWith('text/') ? example.body : fields;
  const sent: Request[] = [];
  const client = createRosterClient({
    baseUrl: BASE,
    fetch: async (request) => {
      sent.push(request);
      return Response.json({});
    },
  });
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'any']);
  const call = Reflect.get(client, operation.method) as Send;
  await call(operation.path, { params: { path: Object.fromEntries(names) }, body, parseAs: 'text' }).catch(() => {});
  const [request] = sent;
  expect(request?.headers.get('Content-Type')).toBe(sends);
  const text = await request?.text();
  if (sends.includes('form')) expect(Object.fromEntries(new URLSearchParams(text))).toEqual(fields);
  else expect(text).toBe(typeof body === 'string' ? body : JSON.stringify(fields));
});

describe('an answer that arrived broken', () => {
  const LIST = '/projects';
  test.each([
    ['empty', ''],
    ['cut', '[{"name":"def'],
  ])('is an UnexpectedAnswerError: %s', async (_, body) => {
    const headers = { 'Content-Type': 'application/json' };
    for (const length of [undefined, `${body.length}`]) {
      const answer = new Response(body, { headers: { ...headers, ...(length && { 'Content-Length': length }) } });
      const client = createRosterClient({ baseUrl: BASE, fetch: async () => answer });
      const refused = await client.GET(LIST).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UnexpectedAnswerError);
      expect(refused).toMatchObject({ body, response: { status: 200 } });
    }
  });

  test('is no error of OAuth, where a proxy fails in JSON', async () => {
    const answer = () => Response.json({ error: 'no upstream' }, { status: 502 });
    const client = createRosterClient({ baseUrl: BASE, fetch: async () => answer() });
    await expect(client.GET(LIST)).rejects.toThrow(UnexpectedAnswerError);
    const revoked = client.POST('/oauth/revoke', { body: { token: 'any' } });
    await expect(revoked).rejects.toThrow(UnexpectedAnswerError);
  });
});

describe('a name', () => {
  const path = { project_name: 'default' };
  const roster = createRoster({ baseUrl: BASE, fetch: examples({} satisfies ExampleChoices) });
  const loose = (name: unknown) => name as string;

  test.each([[['..']], [['a', 'b']], [{}], [Number.NaN], [null], [true], [''], ['.'], ['..']])(
    'is refused if it is no segment of an address: %j',
    async (name) => {
      const SKILL = '/projects/{project_name}/skills/{skill_name}';
      const params = { path: { ...path, skill_name: loose(name) } };
      await expect(roster.client.DELETE(SKILL, { params })).rejects.toThrow(TypeError);
      await expect(roster.skills.delete(loose(name)).result()).rejects.toThrow(/^The skill_name .* is not allowed/);
    },
  );

  test('that is missing, and an option that does not exist, are reported with the method', () => {
    const undefinedName = loose(undefined);
    expect(() => roster.skills.get(undefinedName)).toThrow('getSkill needs skill_name: the skill_name is undefined');
    expect(() => roster.documents.delete('care', undefinedName)).toThrow('the document_name is undefined');
    const misspelled = { limt: 1 } as object;
    const known = 'it has signal, agent, limit, cursor';
    expect(() => roster.skills.list(misspelled)).toThrow(`listSkills has no option "limt"; ${known}`);
    const ofHeader = { ifMatches: '"a"' } as object;
    expect(() => roster.skills.get('lookup', ofHeader)).toThrow('it has signal, ifMatch, ifNoneMatch');
  });

  test('is one segment, whatever it contains', async () => {
    const seen: string[] = [];
    const client = createRosterClient({
      baseUrl: BASE,
      fetch: async ({ url }) => {
        seen.push(new URL(url).pathname);
        return new Response(null, { status: 204 });
      },
    });
    const SKILL = '/projects/{project_name}/skills/{skill_name}';
    for (const skill_name of ['a/b', '../..', '%2e%2e', '?x', '#x', 'ä;b', '{c}', '...']) {
      await client.DELETE(SKILL, { params: { path: { ...path, skill_name } } });
    }
    expect(seen.map((each) => each.split('/').length)).toEqual(Array(8).fill(5));
    expect(seen.every((each) => each.startsWith('/projects/default/skills/'))).toBe(true);
  });
});

describe('with the service', () => {
  let folder: string;
  let server: ServerProcess;
  let client: RosterClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-media-types-'));
    const databaseFile = join(folder, 'roster.db');
    const apiKey = await makeKey(`file:${databaseFile}`, { name: 'own' });
    server = await startServer({ databaseFile, env: { PUBLIC_URL: 'https://roster.example.com' } });
    client = createRosterClient({ baseUrl: server.url, apiKey });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('documents are sent and read as text', async () => {
    const project = { project_name: 'default' };
    const skill = { name: 'care', type: 'knowledge_base' };
    await client.POST('/projects/{project_name}/skills', { params: { path: project }, body: { skill } });
    const DOCUMENT = '/projects/{project_name}/skills/{skill_name}/documents/{document_name}';
    const path = { ...project, skill_name: 'care', document_name: 'soap' };
    const stored = await client.PUT(DOCUMENT, { params: { path }, body: '# Soap\n' });
    expect(stored.data?.name).toBe('soap');
    expect((await client.GET(DOCUMENT, { params: { path } })).data).toBe('# Soap\n');
    const plain = { params: { path }, body: new Blob(['plain']), headers: { 'Content-Type': 'text/plain' } };
    expect((await client.PUT(DOCUMENT, plain)).data?.name).toBe('soap');
    const read = await client.GET(DOCUMENT, { params: { path } });
    expect(read.data).toBe('plain');
    expect(read.response.headers.get('Content-Type')).toContain('text/plain');
    const missing = await client.GET(DOCUMENT, { params: { path: { ...path, document_name: 'none' } } });
    expect(missing.error?.type).toBe('/problems/document-not-found');
  });

  test('metrics are text', async () => {
    const { data } = await client.GET('/metrics');
    expect(data).toContain('# TYPE');
  });

  test('errors of OAuth are errors, and its forms are sent as forms', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'none', client_id: 'none' } as const;
    const { error, response } = await client.POST('/oauth/token', { body: form });
    expect([response.status, error?.error]).toEqual([400, 'invalid_grant']);
    const revoked = await client.POST('/oauth/revoke', { body: { token: 'none', client_id: 'none' } });
    expect([revoked.response.status, revoked.data]).toEqual([200, undefined]);
  });

  test('MCP answers with data, with an error of JSON-RPC, or with nothing', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
    const noted = await client.POST('/mcp', { body: message });
    expect([noted.response.status, noted.data]).toEqual([202, undefined]);
    const loose = { jsonrpc: '2.0', id: 1, method: 7 } as unknown as typeof message;
    const refused = await client.POST('/mcp', { body: loose });
    expect(refused.response.status).toBe(400);
    expect(refused.error).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
  });
});

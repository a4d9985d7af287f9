import { beforeEach, describe, expect, test } from 'vitest';
import { faulty, ownProject, readObject, roster, send, situation } from '../target.js';

const SKILLS = '/projects/{project_name}/skills';
const ALL = '/projects/{project_name}/skills/{skill_name}/documents';
const ONE = '/projects/{project_name}/skills/{skill_name}/documents/{document_name}';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const skill_name = 'care_instructions';
const inSkill = () => ({ path: { project_name: project, skill_name } });
const named = (document_name: string) => ({ path: { project_name: project, skill_name, document_name } });

const documentAddress = () => `/projects/${project}/skills/${skill_name}/documents/care.md`;

const TEXT = '# Cleaning\nClean a diamond in warm water with a little soap.\n';

function createSkill(type = 'retrieval') {
  const params = { source: 'the care of diamonds', database: 'sales', tables: ['orders'] };
  return roster.POST(SKILLS, {
    params: { path: { project_name: project } },
    body: { skill: { name: skill_name, type, params } },
  });
}

function put({ headers = {} }: { headers?: Record<string, string> } = {}, type = 'text/markdown') {
  return send(documentAddress(), { method: 'PUT', headers: { 'Content-Type': type, ...headers }, body: TEXT });
}

async function createDocument() {
  await createSkill();
  await put();
}

describe('listDocuments', () => {
  test('answers 200 with the documents, without their text', async () => {
    const given = await situation(200, 'documents', createDocument);
    const { data, response } = await roster.GET(ALL, { params: inSkill(), ...given });
    expect(response.status).toBe(200);
    expect(data?.[0]).toMatchObject({ name: 'care.md', media_type: 'text/markdown' });
  });

  test('answers 400 for a page size of 0', async () => {
    const { error } = await roster.GET(ALL, { params: { ...inSkill(), query: { limit: 0 } } });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 404 for an unknown skill', async () => {
    const given = await situation(404, 'skill');
    const { error } = await roster.GET(ALL, { params: inSkill(), ...given });
    expect(error?.type).toBe('/problems/skill-not-found');
  });
});

describe('putDocument', () => {
  test('answers 201 with the document and its address', async () => {
    const response = await put(await situation(201, 'document', createSkill));
    expect(response.status).toBe(201);
    expect(await readObject(response)).toMatchObject({ name: 'care.md' });
    expect(response.headers.get('Location')).toMatch(/\/documents\/care\.md$/);
  });

  test('answers 200 if it replaces a document', async () => {
    const response = await put(await situation(200, 'document', createDocument));
    expect(response.status).toBe(200);
  });

  test('answers 404 for an unknown skill', async () => {
    const response = await put(await situation(404, 'skill'));
    expect(await readObject(response)).toMatchObject({ type: '/problems/skill-not-found' });
  });

  test('answers 415 for a body that is not text', async () => {
    const given = await situation(415, null, createSkill);
    const response = await put(given, faulty('application/pdf', 'text/plain'));
    expect(await readObject(response)).toMatchObject({ type: '/problems/unsupported-media-type' });
  });

  test('answers 422 for a skill that keeps no documents', async () => {
    const response = await put(await situation(422, 'document', () => createSkill('sql')));
    expect(response.status).toBe(422);
    expect(await readObject(response)).toMatchObject({ type: '/problems/unusable-skill' });
  });
});

describe('getDocument', () => {
  const get = (given: { headers: Record<string, string> }) =>
    send(documentAddress(), {
      headers: { Accept: 'text/markdown, text/plain, application/problem+json', ...given.headers },
    });

  test('answers 200 with the text', async () => {
    const response = await get(await situation(200, 'text', createDocument));
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/(markdown|plain)/);
    expect(await response.text()).toContain('Clean a diamond in warm water');
  });

  test('answers 404 for an unknown name', async () => {
    const response = await get(await situation(404, 'document', createSkill));
    expect(await readObject(response)).toMatchObject({ type: '/problems/document-not-found' });
  });
});

describe('getDocument under a condition', () => {
  test.each([
    [304, null, 'If-None-Match'],
    [412, 'changed', 'If-Match'],
  ])('answers %s', async (status, example, name) => {
    await createDocument();
    const tag = (await send(documentAddress())).headers.get('ETag') ?? '';
    const given = await situation(status, example);
    const headers = { ...given.headers, [name]: status === 304 ? tag : '"another"' };
    expect((await send(documentAddress(), { headers })).status).toBe(status);
  });
});
describe('deleteDocument', () => {
  test('answers 204 without a body', async () => {
    const given = await situation(204, null, createDocument);
    const { response } = await roster.DELETE(ONE, { params: named('care.md'), ...given });
    expect(response.status).toBe(204);
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'document', createSkill);
    const { error } = await roster.DELETE(ONE, { params: named('care.md'), ...given });
    expect(error?.type).toBe('/problems/document-not-found');
  });
});

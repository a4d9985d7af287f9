import { beforeEach, describe, expect, test } from 'vitest';
import { faulty, ownProject, roster, situation } from '../target.js';

const ONE = '/projects/{project_name}';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

function createSkill() {
  return roster.POST('/projects/{project_name}/skills', {
    params: { path: { project_name: project } },
    body: { skill: { name: 'sales_questions', type: 'lookup' } },
  });
}

test('listProjects answers 200 with every project', async () => {
  const { data, response } = await roster.GET('/projects');
  expect(response.status).toBe(200);
  expect(data?.map(({ name }) => name)).toContain('default');
});

describe('createProject', () => {
  test('answers 201 with the project and its address', async () => {
    const given = await situation(201, 'project');
    const { data, response } = await roster.POST('/projects', {
      body: { project: { name: `${project}.second` } },
      ...given,
    });
    expect(response.status).toBe(201);
    expect(data).toHaveProperty('name');
    expect(response.headers.get('Location')).toMatch(/^\/projects\//);
  });

  test('answers 400 for a name with invalid characters', async () => {
    const given = await situation(400, 'invalid');
    const name = faulty('two words', 'words');
    const { error } = await roster.POST('/projects', { body: { project: { name } }, ...given });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 409 if the name is taken', async () => {
    const given = await situation(409, 'taken');
    const { error } = await roster.POST('/projects', { body: { project: { name: project } }, ...given });
    expect(error?.type).toBe('/problems/name-taken');
  });
});

describe('getProject', () => {
  test('answers 200 with the project', async () => {
    const { data, response } = await roster.GET(ONE, { params: { path: { project_name: project } } });
    expect(response.status).toBe(200);
    expect(data?.id).toHaveLength(36);
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'project');
    const { error } = await roster.GET(ONE, { params: { path: { project_name: 'no_such_project' } }, ...given });
    expect(error?.type).toBe('/problems/project-not-found');
  });
});

describe('deleteProject', () => {
  test('answers 204 if it is empty', async () => {
    const { response } = await roster.DELETE(ONE, { params: { path: { project_name: project } } });
    expect(response.status).toBe(204);
  });

  test('answers 409 while it is not empty', async () => {
    const given = await situation(409, 'skills', createSkill);
    const { error } = await roster.DELETE(ONE, { params: { path: { project_name: project } }, ...given });
    expect(error?.type).toBe('/problems/project-not-empty');
  });
});

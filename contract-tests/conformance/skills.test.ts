import { beforeEach, describe, expect, test } from 'vitest';
import { faulty, ownProject, roster, situation } from '../target.js';

const ALL = '/projects/{project_name}/skills';
const ONE = '/projects/{project_name}/skills/{skill_name}';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const inProject = () => ({ path: { project_name: project } });
const named = (skill_name: string) => ({ path: { project_name: project, skill_name } });

const salesQuestions = {
  name: 'sales_questions',
  type: 'sql',
  params: { database: 'sales', tables: ['orders', 'customers'] },
};

function create() {
  return roster.POST(ALL, { params: inProject(), body: { skill: salesQuestions } });
}

describe('listSkills', () => {
  test('answers 200 with the skills', async () => {
    const given = await situation(200, 'skills', create);
    const { data, response } = await roster.GET(ALL, { params: inProject(), ...given });
    expect(response.status).toBe(200);
    expect(data?.[0]).toMatchObject(salesQuestions);
  });

  test('answers 400 for a page size of 0', async () => {
    const { error } = await roster.GET(ALL, { params: { ...inProject(), query: { limit: 0 } } });
    expect(error?.type).toBe('/problems/invalid-request');
  });
});

describe('createSkill', () => {
  test('answers 201 with the skill, which no agent uses yet, and its address', async () => {
    const { data, response } = await create();
    expect(response.status).toBe(201);
    expect(data).toMatchObject({ ...salesQuestions, agent_ids: [] });
    expect(response.headers.get('Location')).toMatch(/\/skills\/sales_questions$/);
  });

  test('answers 400 without a type', async () => {
    const given = await situation(400, 'invalid');
    const { error } = await roster.POST(ALL, {
      params: inProject(),
      // @ts-expect-error: the type is missing on purpose
      body: { skill: faulty({ name: 'sales_questions' }, salesQuestions) },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 409 if the name is taken', async () => {
    const given = await situation(409, 'taken', create);
    const { error } = await roster.POST(ALL, { params: inProject(), body: { skill: salesQuestions }, ...given });
    expect(error?.type).toBe('/problems/name-taken');
  });
});

describe('getSkill', () => {
  test('answers 200 with the skill', async () => {
    const given = await situation(200, 'skill', create);
    const { data, response } = await roster.GET(ONE, { params: named('sales_questions'), ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject(salesQuestions);
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'skill');
    const { error } = await roster.GET(ONE, { params: named('sales'), ...given });
    expect(error?.type).toBe('/problems/skill-not-found');
  });
});

describe('updateSkill', () => {
  const change = { skill: { params: { database: 'sales_2026', description: null } } };

  test('answers 200 with the changed skill', async () => {
    const given = await situation(200, 'skill', create);
    const { data, response } = await roster.PUT(ONE, { params: named('sales_questions'), body: change, ...given });
    expect(response.status).toBe(200);
    expect(data?.params).toEqual({ ...salesQuestions.params, database: 'sales_2026' });
  });

  test('answers 400 for params that are not an object', async () => {
    const given = await situation(400, 'invalid');
    const { error } = await roster.PUT(ONE, {
      params: named('sales_questions'),
      // @ts-expect-error: invalid on purpose
      body: { skill: { params: faulty<unknown>('sales', {}) } },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'skill');
    const { error } = await roster.PUT(ONE, { params: named('sales'), body: change, ...given });
    expect(error?.type).toBe('/problems/skill-not-found');
  });

  test('answers 409 if the new name is taken', async () => {
    const given = await situation(409, 'taken', async () => {
      await create();
      await roster.POST(ALL, {
        params: inProject(),
        body: { skill: { name: 'care_instructions', type: 'knowledge_base' } },
      });
    });
    const { error } = await roster.PUT(ONE, {
      params: named('care_instructions'),
      body: { skill: { name: 'sales_questions' } },
      ...given,
    });
    expect(error?.type).toBe('/problems/name-taken');
  });
});

describe('deleteSkill', () => {
  test('answers 204 without a body', async () => {
    const given = await situation(204, null, create);
    const { response } = await roster.DELETE(ONE, { params: named('sales_questions'), ...given });
    expect(response.status).toBe(204);
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'skill');
    const { error } = await roster.DELETE(ONE, { params: named('sales'), ...given });
    expect(error?.type).toBe('/problems/skill-not-found');
  });
});

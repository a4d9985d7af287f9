import { beforeEach, describe, expect, test } from 'vitest';
import { faulty, ownProject, roster, situation } from '../target.js';

const ALL = '/projects/{project_name}/agents';
const ONE = '/projects/{project_name}/agents/{agent_name}';
const ONE_SINGULAR = '/projects/{project_name}/agent/{agent_name}';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const inProject = () => ({ path: { project_name: project } });
const named = (agent_name: string) => ({ path: { project_name: project, agent_name } });

const analyst = {
  name: 'analyst',
  model_name: 'llama-3',
  provider: 'ollama',
  prompt_template: 'Answer from the data: {{question}}',
  data: { tables: ['orders'], knowledge_bases: [] },
  settings: { temperature: 0.2 },
};

async function createSkills() {
  for (const name of ['sales_questions', 'care_instructions']) {
    await roster.POST('/projects/{project_name}/skills', {
      params: inProject(),
      body: { skill: { name, type: 'lookup' } },
    });
  }
}

function create(name = 'analyst', skills: string[] = []) {
  return roster.POST(ALL, { params: inProject(), body: { agent: { ...analyst, name, skills } } });
}

async function createWithSkill() {
  await createSkills();
  await roster.POST(ALL, { params: inProject(), body: { agent: { ...analyst, skills: ['sales_questions'] } } });
}

test('listAgents answers 200 with the agents', async () => {
  const given = await situation(200, 'agents', async () => {
    await createSkills();
    await create('analyst', ['sales_questions']);
  });
  const { data, response } = await roster.GET(ALL, { params: inProject(), ...given });
  expect(response.status).toBe(200);
  expect(data).toMatchObject([{ ...analyst, skills: [{ name: 'sales_questions' }] }]);
});

describe('createAgent', () => {
  test('answers 201 with the agent, its full skills, and its address', async () => {
    const given = await situation(201, 'agent', createSkills);
    const { data, response } = await roster.POST(ALL, {
      params: inProject(),
      body: { agent: { ...analyst, skills: ['sales_questions'] } },
      ...given,
    });
    expect(response.status).toBe(201);
    expect(data).toMatchObject({
      ...analyst,
      params: analyst.settings,
      skills: [{ name: 'sales_questions', agent_ids: [data?.id] }],
    });
    expect(response.headers.get('Location')).toBeTruthy();
  });

  test('answers 400 for a secret, which a model may not have', async () => {
    const given = await situation(400, 'invalid');
    const model = faulty({ provider: 'openai', api_key: 's3cret' }, { provider: 'openai' });
    const { error } = await roster.POST(ALL, {
      params: inProject(),
      body: { agent: { name: 'analyst', model } },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 400 for both settings and params', async () => {
    const given = await situation(400, 'invalid');
    const { error } = await roster.POST(ALL, {
      params: inProject(),
      body: { agent: { name: 'analyst', settings: {}, params: faulty({}, null) } },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 409 if the name is taken', async () => {
    const given = await situation(409, 'taken', create);
    const { error } = await roster.POST(ALL, { params: inProject(), body: { agent: { name: 'analyst' } }, ...given });
    expect(error?.type).toBe('/problems/name-taken');
  });

  test('answers 422 for a skill that does not exist, and points at it', async () => {
    const given = await situation(422, 'skill', createSkills);
    const { error } = await roster.POST(ALL, {
      params: inProject(),
      body: { agent: { name: 'analyst', skills: ['sales_questions', 'sails'] } },
      ...given,
    });
    expect(error).toMatchObject({ type: '/problems/unknown-skill', errors: [{ pointer: '/body/agent/skills/1' }] });
  });
});

describe('getAgent', () => {
  test('answers 200 with the agent', async () => {
    const given = await situation(200, 'agent', createWithSkill);
    const { data, response } = await roster.GET(ONE, { params: named('analyst'), ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({ ...analyst, skills: [{ name: 'sales_questions' }] });
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'agent');
    const { error } = await roster.GET(ONE, { params: named('oracle'), ...given });
    expect(error?.type).toBe('/problems/agent-not-found');
  });
});

describe('updateAgent', () => {
  const change = { agent: { settings: { temperature: 0.1 }, skills_to_add: ['care_instructions'] } };

  test('answers 200 with the changed agent', async () => {
    const given = await situation(200, 'agent', createWithSkill);
    const { data, response } = await roster.PUT(ONE, { params: named('analyst'), body: change, ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({
      settings: { temperature: 0.1 },
      skills: [{ name: 'sales_questions' }, { name: 'care_instructions', agent_ids: [data?.id] }],
    });
  });

  test('answers 400 for both a new list of skills and changes to it', async () => {
    const given = await situation(400, 'invalid', create);
    const { error } = await roster.PUT(ONE, {
      params: named('analyst'),
      body: { agent: { skills: [], skills_to_add: faulty(['sales_questions'], null) } },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'agent');
    const { error } = await roster.PUT(ONE, { params: named('oracle'), body: change, ...given });
    expect(error?.type).toBe('/problems/agent-not-found');
  });

  test('answers 409 if the new name is taken', async () => {
    const given = await situation(409, 'taken', async () => {
      await create('analyst');
      await create('clerk');
    });
    const { error } = await roster.PUT(ONE, { params: named('clerk'), body: { agent: { name: 'analyst' } }, ...given });
    expect(error?.type).toBe('/problems/name-taken');
  });

  test('answers 422 for a skill that does not exist', async () => {
    const given = await situation(422, 'skill', create);
    const { error } = await roster.PUT(ONE, {
      params: named('analyst'),
      body: { agent: { skills_to_add: ['sails'] } },
      ...given,
    });
    expect(error?.type).toBe('/problems/unknown-skill');
  });
});

describe.each([
  ['deleteAgent', ONE_SINGULAR],
  ['deleteAgentByPlural', ONE],
] as const)('%s', (_operationId, address) => {
  test('answers 204 without a body', async () => {
    const given = await situation(204, null, create);
    const { response } = await roster.DELETE(address, { params: named('analyst'), ...given });
    expect(response.status).toBe(204);
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'agent');
    const { error } = await roster.DELETE(address, { params: named('oracle'), ...given });
    expect(error?.type).toBe('/problems/agent-not-found');
  });
});

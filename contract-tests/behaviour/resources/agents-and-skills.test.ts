/** Tests of the references between skills, agents and chatbots. Against the server alone. */
import type { Agent, Skill } from 'roster-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { ownProject, roster } from '../../target.js';

const SKILLS = '/projects/{project_name}/skills';
const SKILL = '/projects/{project_name}/skills/{skill_name}';
const AGENTS = '/projects/{project_name}/agents';
const AGENT = '/projects/{project_name}/agents/{agent_name}';
const CHATBOTS = '/projects/{project_name}/chatbots';
const CHATBOT = '/projects/{project_name}/chatbots/{chatbot_name}';

const UNKNOWN_ID = '019a2f3d-0b10-7d4a-8c2e-5a7b9c1d3e01';

let project: string;
let sql: Skill;
let docs: Skill;
let mail: Skill;
beforeEach(async () => {
  project = await ownProject();
  sql = await createSkill('sql');
  docs = await createSkill('docs');
  mail = await createSkill('mail');
});

const inProject = () => ({ path: { project_name: project } });
const agentNamed = (agent_name: string) => ({ path: { project_name: project, agent_name } });
const skillNamed = (skill_name: string) => ({ path: { project_name: project, skill_name } });
const chatbotNamed = (chatbot_name: string) => ({ path: { project_name: project, chatbot_name } });

function given<T>({ data, error }: { data?: T; error?: { detail: string } }): T {
  if (data === undefined) {
    throw new Error(error?.detail);
  }
  return data;
}

async function createSkill(name: string) {
  const body = { skill: { name, type: 'lookup' } };
  return given(await roster.POST(SKILLS, { params: inProject(), body }));
}

async function createAgent(name: string, skills: (string | Skill)[] = []) {
  const body = { agent: { name, skills } };
  return given(await roster.POST(AGENTS, { params: inProject(), body }));
}

function updateAgent(agent: Record<string, string[] | null>) {
  return roster.PUT(AGENT, { params: agentNamed('analyst'), body: { agent } });
}

async function readAgent(name = 'analyst') {
  return given(await roster.GET(AGENT, { params: agentNamed(name) }));
}

const namesOf = (resources: { name: string }[]) => resources.map(({ name }) => name);

describe('names and identifiers', () => {
  test('read, update and delete a skill', async () => {
    const params = skillNamed(sql.id);
    expect((await roster.GET(SKILL, { params })).data).toEqual(sql);
    const { data } = await roster.PUT(SKILL, { params, body: { skill: { type: 'new' } } });
    expect(data).toMatchObject({ id: sql.id, type: 'new' });
    expect((await roster.DELETE(SKILL, { params })).response.status).toBe(204);
    const { error } = await roster.GET(SKILL, { params: skillNamed('sql') });
    expect(error?.type).toBe('/problems/skill-not-found');
  });

  test.each([AGENT, '/projects/{project_name}/agent/{agent_name}'] as const)(
    'read, update and delete an agent: %s',
    async (address) => {
      const agent = await createAgent('analyst');
      const params = agentNamed(agent.id);
      expect((await roster.GET(AGENT, { params })).data).toEqual(agent);
      const { data } = await roster.PUT(AGENT, { params, body: { agent: { provider: 'ollama' } } });
      expect(data).toMatchObject({ id: agent.id, provider: 'ollama' });
      expect((await roster.DELETE(address, { params })).response.status).toBe(204);
      const { error } = await roster.DELETE(address, { params: agentNamed('analyst') });
      expect(error?.type).toBe('/problems/agent-not-found');
    },
  );

  test('find nothing in another project', async () => {
    const elsewhere = { path: { project_name: await ownProject(), skill_name: sql.id } };
    expect((await roster.GET(SKILL, { params: elsewhere })).response.status).toBe(404);
  });
});

describe('the skills of an agent', () => {
  test('can be given by name, by identifier or as they were read, and are returned in full', async () => {
    const agent = await createAgent('analyst', ['mail', sql.id, docs]);
    expect(agent.skills).toEqual([mail, sql, docs].map((skill) => ({ ...skill, agent_ids: [agent.id] })));
    expect(await readAgent()).toEqual(agent);
    const { data } = await roster.GET(SKILL, { params: skillNamed('sql') });
    expect(data?.agent_ids).toEqual([agent.id]);
  });

  test('are listed once, however often they are named', async () => {
    const agent = await createAgent('analyst', ['sql', sql.id, 'sql']);
    expect(namesOf(agent.skills)).toEqual(['sql']);
  });

  test('are empty if none are named', async () => {
    expect((await createAgent('analyst')).skills).toEqual([]);
  });

  test('are replaced by skills, and changed by skills_to_add and skills_to_remove', async () => {
    await createAgent('analyst', ['sql']);
    const skillsAfter = async (change: Record<string, string[] | null>) =>
      namesOf(given(await updateAgent(change)).skills);
    expect(await skillsAfter({ skills: ['docs', 'mail'] })).toEqual(['docs', 'mail']);
    expect(await skillsAfter({ skills_to_add: ['sql'], skills_to_remove: ['docs'] })).toEqual(['mail', 'sql']);
    expect(await skillsAfter({ skills_to_add: ['sql', 'mail'] })).toEqual(['mail', 'sql']);
    expect(await skillsAfter({ skills_to_remove: ['docs'] })).toEqual(['mail', 'sql']);
    expect(await skillsAfter({ skills: null, skills_to_remove: [sql.id] })).toEqual(['mail']);
    expect(await skillsAfter({})).toEqual(['mail']);
    expect(await skillsAfter({ skills: [] })).toEqual([]);
  });

  test('cannot be both replaced and changed, nor a skill both added and removed', async () => {
    await createAgent('analyst', ['sql']);
    const pointers = async (change: Record<string, string[] | null>) => {
      const { error } = await updateAgent(change);
      return error?.type === '/problems/invalid-request' ? error.errors.map(({ pointer }) => pointer) : error;
    };
    expect(await pointers({ skills: [], skills_to_add: ['docs'] })).toEqual(['/body/agent/skills_to_add']);
    expect(await pointers({ skills: [], skills_to_remove: [] })).toEqual(['/body/agent/skills_to_remove']);
    expect(await pointers({ skills_to_add: ['mail', 'docs'], skills_to_remove: ['docs'] })).toEqual([
      '/body/agent/skills_to_add/1',
    ]);
    expect(await pointers({ skills_to_add: ['docs'], skills_to_remove: [docs.id] })).toEqual([
      '/body/agent/skills_to_add/0',
    ]);
    expect(namesOf((await readAgent()).skills)).toEqual(['sql']);
  });

  test.each([
    ['skills', ['docs', 'sails'], '/body/agent/skills/1'],
    ['skills_to_add', ['sails'], '/body/agent/skills_to_add/0'],
    ['skills_to_remove', ['sql', UNKNOWN_ID], '/body/agent/skills_to_remove/1'],
  ])('must exist: an unknown one in %s changes nothing', async (field, skills, pointer) => {
    await createAgent('analyst', ['sql']);
    const before = await readAgent();
    const { error } = await roster.PUT(AGENT, {
      params: agentNamed('analyst'),
      body: { agent: { name: 'renamed', settings: { a: 1 }, [field]: skills } },
    });
    expect(error).toMatchObject({ type: '/problems/unknown-skill', errors: [{ pointer }] });
    expect(await readAgent()).toEqual(before);
  });

  test('must exist when the agent is created, or no agent is created', async () => {
    const { error } = await roster.POST(AGENTS, {
      params: inProject(),
      body: { agent: { name: 'analyst', skills: ['sails', { name: 'sql' }, { name: 'soils' }] } },
    });
    expect(error).toMatchObject({
      type: '/problems/unknown-skill',
      errors: [{ pointer: '/body/agent/skills/0' }, { pointer: '/body/agent/skills/2' }],
    });
    expect((await roster.GET(AGENTS, { params: inProject() })).data).toEqual([]);
  });

  test('must belong to the same project', async () => {
    const elsewhere = await ownProject();
    const { error } = await roster.POST(AGENTS, {
      params: { path: { project_name: elsewhere } },
      body: { agent: { name: 'analyst', skills: [sql.id] } },
    });
    expect(error?.type).toBe('/problems/unknown-skill');
  });

  test('lose a skill that is deleted', async () => {
    await createAgent('analyst', ['sql', 'docs']);
    await createAgent('clerk', ['docs']);
    await roster.DELETE(SKILL, { params: skillNamed('docs') });
    expect(namesOf((await readAgent()).skills)).toEqual(['sql']);
    expect((await readAgent('clerk')).skills).toEqual([]);
  });

  test('stay when the agent is deleted, and no longer count it', async () => {
    await createAgent('analyst', ['sql']);
    await roster.DELETE(AGENT, { params: agentNamed('analyst') });
    expect((await roster.GET(SKILL, { params: skillNamed('sql') })).data?.agent_ids).toEqual([]);
  });
});

describe('an agent', () => {
  test('keeps its fields, and changes those that are sent', async () => {
    const fields = {
      name: 'analyst',
      model_name: 'llama-3',
      provider: 'ollama',
      prompt_template: 'Answer: {{question}}',
      model: { model_name: 'llama-3', provider: 'ollama' },
      data: { tables: ['orders'], knowledge_bases: ['care'] },
    };
    const { data: created } = await roster.POST(AGENTS, { params: inProject(), body: { agent: fields } });
    expect(created).toMatchObject(fields);
    const { data: updated } = await roster.PUT(AGENT, {
      params: agentNamed('analyst'),
      body: { agent: { provider: 'mistral', data: { tables: [] }, prompt_template: null } },
    });
    expect(updated).toMatchObject({ ...fields, provider: 'mistral', data: { tables: [] }, prompt_template: null });
  });

  test('has null in the fields that were not sent', async () => {
    expect(await createAgent('analyst')).toMatchObject({
      model_name: null,
      provider: null,
      prompt_template: null,
      model: null,
      data: null,
      settings: {},
    });
  });

  test.each(['model', 'data'])('refuses a secret in %s', async (field) => {
    const { error } = await roster.POST(AGENTS, {
      params: inProject(),
      body: { agent: { name: 'analyst', [field]: { api_key: 's3cret' } } },
    });
    expect(error).toMatchObject({ errors: [{ pointer: `/body/agent/${field}/api_key` }] });
  });
});

describe('listSkills with agent', () => {
  let analyst: Agent;
  beforeEach(async () => {
    analyst = await createAgent('analyst', ['mail', 'sql']);
    await createAgent('clerk', ['docs', 'sql']);
    await createAgent('idler');
  });

  async function listed(...agent: string[]) {
    const params = { ...inProject(), query: { agent } };
    return namesOf(given(await roster.GET(SKILLS, { params })));
  }

  test('lists the skills of an agent, found by name or by identifier, in order of creation', async () => {
    expect(await listed('analyst')).toEqual(['sql', 'mail']);
    expect(await listed(analyst.id)).toEqual(['sql', 'mail']);
  });

  test('lists the skills that any of several agents uses, each once', async () => {
    expect(await listed('analyst', 'clerk')).toEqual(['sql', 'docs', 'mail']);
    expect(await listed('idler', 'clerk')).toEqual(['sql', 'docs']);
  });

  test('returns nothing if the agent does not exist or has no skills', async () => {
    expect(await listed('idler')).toEqual([]);
    expect(await listed('oracle')).toEqual([]);
    expect(await listed(UNKNOWN_ID)).toEqual([]);
    expect(await listed('oracle', 'analyst')).toEqual(['sql', 'mail']);
  });

  test('is paged like any list', async () => {
    const query = { agent: ['analyst', 'clerk'], limit: 2 };
    const { data, response } = await roster.GET(SKILLS, { params: { ...inProject(), query } });
    expect(namesOf(data ?? [])).toEqual(['sql', 'docs']);
    expect(response.headers.get('Link')).toContain('agent=analyst&agent=clerk');
  });
});

describe('a chatbot', () => {
  const create = (chatbot: { agent_name?: string; agent_id?: string }) =>
    roster.POST(CHATBOTS, { params: inProject(), body: { chatbot: { name: 'help_desk', ...chatbot } } });
  const read = async () => given(await roster.GET(CHATBOT, { params: chatbotNamed('help_desk') }));

  test('has null in every field but its name if nothing else was sent', async () => {
    const { data } = await create({});
    expect(data).toMatchObject({
      agent_id: null,
      agent_name: null,
      model_name: null,
      database_name: null,
      settings: {},
    });
  });

  test('accepts its agent by name or by identifier, and shows a later name of the agent', async () => {
    const { id } = await createAgent('analyst');
    expect((await create({ agent_id: id })).data).toMatchObject({ agent_name: 'analyst' });
    const { data } = await roster.PUT(CHATBOT, {
      params: chatbotNamed('help_desk'),
      body: { chatbot: { agent_name: id } },
    });
    expect(data).toMatchObject({ agent_id: id, agent_name: 'analyst' });
    await roster.PUT(AGENT, { params: agentNamed('analyst'), body: { agent: { name: 'oracle' } } });
    expect(await read()).toMatchObject({ agent_id: id, agent_name: 'oracle' });
  });

  test('has no agent after that agent is deleted', async () => {
    await createAgent('analyst');
    await create({ agent_name: 'analyst' });
    await roster.DELETE('/projects/{project_name}/agent/{agent_name}', { params: agentNamed('analyst') });
    expect(await read()).toMatchObject({ agent_id: null, agent_name: null });
  });

  test.each([
    [{ agent_name: 'oracle' }, '/body/chatbot/agent_name'],
    [{ agent_id: UNKNOWN_ID }, '/body/chatbot/agent_id'],
  ])('is neither created nor changed with an agent that does not exist: %j', async (agent, pointer) => {
    const problem = { type: '/problems/unknown-agent', errors: [{ pointer }] };
    expect((await create(agent)).error).toMatchObject(problem);
    const put = (chatbot: object) => roster.PUT(CHATBOT, { params: chatbotNamed('help_desk'), body: { chatbot } });
    expect((await put(agent)).error).toMatchObject(problem);
    expect((await roster.GET(CHATBOTS, { params: inProject() })).data).toEqual([]);
    await create({});
    const before = await read();
    expect((await put({ ...agent, settings: { a: 1 } })).error).toMatchObject(problem);
    expect(await read()).toEqual(before);
  });

  test('is created once by PUT, under the name in its address', async () => {
    const put = (chatbot: { name?: string; settings?: { a: number } }) =>
      roster.PUT(CHATBOT, { params: chatbotNamed('help_desk'), body: { chatbot } });
    const other = await put({ name: 'front_desk' });
    expect(other.error).toMatchObject({
      type: '/problems/invalid-request',
      errors: [{ pointer: '/body/chatbot/name' }],
    });
    const created = await put({ name: 'help_desk', settings: { a: 1 } });
    expect(created.response.status).toBe(201);
    expect(created.response.headers.get('Location')).toBe(`/projects/${project}/chatbots/help_desk`);
    const again = await put({ settings: { a: 2 } });
    expect(again.response.status).toBe(200);
    expect(again.data).toMatchObject({ id: created.data?.id, settings: { a: 2 } });
  });

  test('is created by one of 20 concurrent PUTs, and updated by the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        roster.PUT(CHATBOT, {
          params: chatbotNamed('help_desk'),
          body: { chatbot: { settings: { [`key${at}`]: at } } },
        }),
      ),
    );
    const statuses = answers.map(({ response }) => response.status).sort();
    expect(statuses).toEqual([...Array(19).fill(200), 201]);
    expect(Object.keys((await read()).settings)).toHaveLength(20);
  });

  test('is found only by its name, not by its identifier', async () => {
    const { data } = await create({});
    const { error } = await roster.GET(CHATBOT, { params: chatbotNamed(`${data?.id}`) });
    expect(error?.type).toBe('/problems/chatbot-not-found');
  });
});

describe('a project', () => {
  const remove = () => roster.DELETE('/projects/{project_name}', { params: inProject() });

  test('can be deleted only when it is empty, and the refusal names its contents', async () => {
    await createAgent('analyst');
    await roster.POST(CHATBOTS, { params: inProject(), body: { chatbot: { name: 'help_desk' } } });
    const { error } = await remove();
    expect(error).toMatchObject({
      type: '/problems/project-not-empty',
      detail: expect.stringMatching(/3 skills.* 1 agent.* 1 chatbot/),
    });
    for (const name of ['sql', 'docs', 'mail']) {
      await roster.DELETE(SKILL, { params: skillNamed(name) });
    }
    await roster.DELETE(AGENT, { params: agentNamed('analyst') });
    expect((await remove()).response.status).toBe(409);
    await roster.DELETE(CHATBOT, { params: chatbotNamed('help_desk') });
    expect((await remove()).response.status).toBe(204);
    expect((await remove()).error?.type).toBe('/problems/project-not-found');
    const { error: gone } = await roster.GET(SKILLS, { params: inProject() });
    expect(gone?.type).toBe('/problems/project-not-found');
  });
});

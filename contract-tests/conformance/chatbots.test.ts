import { beforeEach, describe, expect, test } from 'vitest';
import { faulty, ownProject, roster, situation } from '../target.js';

const ALL = '/projects/{project_name}/chatbots';
const ONE = '/projects/{project_name}/chatbots/{chatbot_name}';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const inProject = () => ({ path: { project_name: project } });
const named = (chatbot_name: string) => ({ path: { project_name: project, chatbot_name } });

const helpDesk = {
  name: 'help_desk',
  agent_name: 'analyst',
  database_name: 'slack',
  settings: { channel: 'questions' },
};

function createAgent() {
  return roster.POST('/projects/{project_name}/agents', { params: inProject(), body: { agent: { name: 'analyst' } } });
}

async function create() {
  await createAgent();
  await roster.POST(ALL, { params: inProject(), body: { chatbot: helpDesk } });
}

test('listChatbots answers 200 with the chatbots', async () => {
  const given = await situation(200, 'chatbots', create);
  const { data, response } = await roster.GET(ALL, { params: inProject(), ...given });
  expect(response.status).toBe(200);
  expect(data).toMatchObject([helpDesk]);
});

describe('createChatbot', () => {
  test('answers 201 with the chatbot, its agent, and its address', async () => {
    const given = await situation(201, 'chatbot', createAgent);
    const { data, response } = await roster.POST(ALL, { params: inProject(), body: { chatbot: helpDesk }, ...given });
    expect(response.status).toBe(201);
    expect(data).toMatchObject({ ...helpDesk, params: helpDesk.settings, model_name: null });
    expect(data?.agent_id).toHaveLength(36);
    expect(response.headers.get('Location')).toBeTruthy();
  });

  test('answers 400 for both an agent_name and an agent_id', async () => {
    const given = await situation(400, 'invalid');
    const agent_id = faulty('019a2f3e-1c20-7a5b-9d3f-6b8c0d2e4f01', null);
    const { error } = await roster.POST(ALL, {
      params: inProject(),
      body: { chatbot: { name: 'help_desk', agent_name: 'analyst', agent_id } },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 409 if the name is taken', async () => {
    const given = await situation(409, 'taken', create);
    const { error } = await roster.POST(ALL, {
      params: inProject(),
      body: { chatbot: { name: 'help_desk' } },
      ...given,
    });
    expect(error?.type).toBe('/problems/name-taken');
  });

  test('answers 422 for an agent that does not exist, and points at it', async () => {
    const given = await situation(422, 'agent');
    const { error } = await roster.POST(ALL, {
      params: inProject(),
      body: { chatbot: { name: 'help_desk', agent_name: 'oracle' } },
      ...given,
    });
    expect(error).toMatchObject({ type: '/problems/unknown-agent', errors: [{ pointer: '/body/chatbot/agent_name' }] });
  });
});

describe('getChatbot', () => {
  test('answers 200 with the chatbot', async () => {
    const given = await situation(200, 'chatbot', create);
    const { data, response } = await roster.GET(ONE, { params: named('help_desk'), ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject(helpDesk);
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'chatbot');
    const { error } = await roster.GET(ONE, { params: named('front_desk'), ...given });
    expect(error?.type).toBe('/problems/chatbot-not-found');
  });
});

describe('updateChatbot', () => {
  const change = { chatbot: { settings: { channel: 'support' } } };

  test('answers 200 with the changed chatbot', async () => {
    const given = await situation(200, 'chatbot', create);
    const { data, response } = await roster.PUT(ONE, { params: named('help_desk'), body: change, ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({ ...helpDesk, ...change.chatbot });
  });

  test('answers 201 with the chatbot if there was none', async () => {
    const given = await situation(201, 'chatbot');
    const { data, response } = await roster.PUT(ONE, { params: named('help_desk'), body: change, ...given });
    expect(response.status).toBe(201);
    expect(data).toMatchObject({ name: 'help_desk', agent_id: null, ...change.chatbot });
    expect(response.headers.get('Location')).toBeTruthy();
  });

  test('answers 400 if there was none and the body has another name', async () => {
    const given = await situation(400, 'invalid');
    const { error } = await roster.PUT(ONE, {
      params: named('help_desk'),
      body: { chatbot: { name: 'front_desk' } },
      ...given,
    });
    expect(error?.type).toBe('/problems/invalid-request');
  });

  test('answers 409 if the new name is taken', async () => {
    const given = await situation(409, 'taken', async () => {
      await create();
      await roster.PUT(ONE, { params: named('front_desk'), body: { chatbot: {} } });
    });
    const { error } = await roster.PUT(ONE, {
      params: named('front_desk'),
      body: { chatbot: { name: 'help_desk' } },
      ...given,
    });
    expect(error?.type).toBe('/problems/name-taken');
  });

  test('answers 422 for an agent that does not exist', async () => {
    const given = await situation(422, 'agent');
    const { error } = await roster.PUT(ONE, {
      params: named('help_desk'),
      body: { chatbot: { agent_name: 'oracle' } },
      ...given,
    });
    expect(error?.type).toBe('/problems/unknown-agent');
  });
});

describe('deleteChatbot', () => {
  test('answers 204 without a body', async () => {
    const given = await situation(204, null, create);
    const { response } = await roster.DELETE(ONE, { params: named('help_desk'), ...given });
    expect(response.status).toBe(204);
  });

  test('answers 404 for an unknown name', async () => {
    const given = await situation(404, 'chatbot');
    const { error } = await roster.DELETE(ONE, { params: named('front_desk'), ...given });
    expect(error?.type).toBe('/problems/chatbot-not-found');
  });
});

import { describe, expect, test } from 'vitest';
import { ownProject, roster, situation } from '../target.js';

const CHATBOTS = '/projects/{project_name}/chatbots';
const ALL = '/projects/{project_name}/chatbots/{chatbot_name}/conversations';
const ONE = '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}';
const MESSAGES = '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages';
const REPLY =
  '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages/{message_id}/reply';

const UNKNOWN_ID = '019a2f45-8b90-7022-9d7e-3f609b2c5d09';

interface Path {
  project_name: string;
  chatbot_name: string;
}

/** Creates a chatbot in a separate project. */
async function ownChatbot(settings: Record<string, unknown> = {}): Promise<Path> {
  const project_name = await ownProject();
  await roster.POST(CHATBOTS, {
    params: { path: { project_name } },
    body: { chatbot: { name: 'help_desk', settings } },
  });
  return { project_name, chatbot_name: 'help_desk' };
}

const body = { conversation: { title: 'Cleaning' } };

/** Creates a conversation of its own chatbot. */
async function ownConversation(settings?: Record<string, unknown>) {
  const path = await ownChatbot(settings);
  const { data } = await roster.POST(ALL, { params: { path }, body });
  return { ...path, conversation_id: data?.id ?? UNKNOWN_ID };
}

test('listConversations answers 200 with the conversations', async () => {
  const path = await ownConversation();
  const given = await situation(200, 'conversations');
  const { data, response } = await roster.GET(ALL, { params: { path }, ...given });
  expect(response.status).toBe(200);
  expect(data).toMatchObject([{ title: 'Cleaning' }]);
});

describe('createConversation', () => {
  test('answers 201 with the conversation and its address', async () => {
    const path = await ownChatbot();
    const given = await situation(201, 'conversation');
    const { data, response } = await roster.POST(ALL, { params: { path }, body, ...given });
    expect(response.status).toBe(201);
    expect(data).toMatchObject({ title: 'Cleaning', messages: expect.any(Number) });
    expect(response.headers.get('Location')).toContain('/conversations/');
  });

  test('answers 404 for an unknown chatbot', async () => {
    const path = { project_name: await ownProject(), chatbot_name: 'front_desk' };
    const given = await situation(404, 'chatbot');
    const { error } = await roster.POST(ALL, { params: { path }, body, ...given });
    expect(error?.type).toBe('/problems/chatbot-not-found');
  });
});

describe('getConversation', () => {
  test('answers 200 with the conversation', async () => {
    const path = await ownConversation();
    const given = await situation(200, 'conversation');
    const { data, response } = await roster.GET(ONE, { params: { path }, ...given });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({ title: 'Cleaning' });
  });

  test('answers 404 for an unknown identifier', async () => {
    const path = { ...(await ownChatbot()), conversation_id: UNKNOWN_ID };
    const given = await situation(404, 'conversation');
    const { error } = await roster.GET(ONE, { params: { path }, ...given });
    expect(error?.type).toBe('/problems/conversation-not-found');
  });
});

describe('deleteConversation', () => {
  test('answers 204 without a body', async () => {
    const path = await ownConversation();
    const given = await situation(204, null);
    const { response } = await roster.DELETE(ONE, { params: { path }, ...given });
    expect(response.status).toBe(204);
  });

  test('answers 412 to a caller who knows another state of it', async () => {
    const params = { path: await ownConversation(), header: { 'If-Match': '"another"' } };
    const { error } = await roster.DELETE(ONE, { params, ...(await situation(412, 'changed')) });
    expect(error?.type).toBe('/problems/precondition-failed');
  });

  test('answers 404 for an unknown identifier', async () => {
    const path = { ...(await ownChatbot()), conversation_id: UNKNOWN_ID };
    const given = await situation(404, 'conversation');
    const { error } = await roster.DELETE(ONE, { params: { path }, ...given });
    expect(error?.type).toBe('/problems/conversation-not-found');
  });
});

test('listMessages answers 200 with the messages', async () => {
  const path = await ownConversation({ greeting: 'Welcome!' });
  const given = await situation(200, 'messages');
  const { data, response } = await roster.GET(MESSAGES, { params: { path }, ...given });
  expect(response.status).toBe(200);
  expect(data?.[0]).toMatchObject({ reply_to: null, steps: [], usage: null });
});

describe('sendMessage', () => {
  const question = { message: { content: 'How do I clean my ring?' } };

  test('answers 501 without a chat server', async () => {
    const path = await ownConversation();
    const given = await situation(501, null);
    const { error } = await roster.POST(MESSAGES, { params: { path }, body: question, ...given });
    expect(error?.type).toBe('/problems/chat-not-configured');
  });

  test('answers 404 for an unknown conversation', async () => {
    const path = { ...(await ownChatbot()), conversation_id: UNKNOWN_ID };
    const given = await situation(404, 'conversation');
    const { error } = await roster.POST(MESSAGES, { params: { path }, body: question, ...given });
    expect(error?.type).toBe('/problems/conversation-not-found');
  });
});

test('replyToMessage answers 404 for an unknown message', async () => {
  const path = { ...(await ownConversation()), message_id: UNKNOWN_ID };
  const given = await situation(404, 'message');
  const { error } = await roster.POST(REPLY, { params: { path }, ...given });
  expect(error?.type).toBe('/problems/message-not-found');
});

/** Tests that two instances on one PostgreSQL database hold conversations as one service. */
import { once } from 'node:events';
import { answered } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endless, says } from '../../testkit/chat/reply.js';
import { openScriptedChatServer, type ScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { connectTo } from '../../testkit/store/own-store.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { type Instance, startTwo } from './instance.js';

const CHATBOTS = '/projects/{project_name}/chatbots';
const ALL = '/projects/{project_name}/chatbots/{chatbot_name}/conversations';
const MESSAGES = '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages';
const REPLY =
  '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages/{message_id}/reply';

const path = { project_name: 'default', chatbot_name: 'desk' };

let database: PostgresDatabase;
let chat: ScriptedChatServer;
let both: [Instance, Instance];
beforeAll(async () => {
  database = await startPostgres();
  chat = await openScriptedChatServer([]);
  const env = { DATABASE_URL: database.url, CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
  both = await startTwo({ env });
  const body = { chatbot: { name: 'desk' } };
  await answered(both[0].roster.POST(CHATBOTS, { params: { path }, body }));
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await chat.close();
  await database.remove();
});

async function begin() {
  const body = { conversation: {} };
  const { id } = await answered(both[0].roster.POST(ALL, { params: { path }, body }));
  return { ...path, conversation_id: id };
}

type Conversation = Awaited<ReturnType<typeof begin>>;

function say({ roster }: Instance, conversation: Conversation, content: string) {
  return roster.POST(MESSAGES, { params: { path: conversation }, body: { message: { content } } });
}

test('of messages that both instances get at the same time, one is answered and the others are refused', async () => {
  const isOpen = new AbortController();
  chat.play(async () => {
    if (!isOpen.signal.aborted) await once(isOpen.signal, 'abort');
    return says('Yes.');
  });
  const conversation = await begin();
  const answers = [0, 1, 2, 3].map((number) => say(both[number % 2 === 0 ? 0 : 1], conversation, String(number)));
  // Those that are refused do not wait for the one that is answered.
  const order: number[] = [];
  const watched = answers.map(async (answer) => {
    order.push((await answer).response.status);
    if (order.length === answers.length - 1) isOpen.abort();
  });
  await Promise.all(watched);
  expect(order).toEqual([409, 409, 409, 200]);
  const [, other] = both;
  const messages = await answered(other.roster.GET(MESSAGES, { params: { path: conversation } }));
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

test('a conversation goes on at the other instance', async () => {
  chat.play([says('One.'), says('Two.')]);
  const conversation = await begin();
  await answered(say(both[0], conversation, 'First?'));
  await answered(say(both[1], conversation, 'Second?'));
  const sent = chat.requests.at(-1)?.body.messages.slice(1);
  expect(sent?.map(({ content }) => content)).toEqual(['First?', 'One.', 'Second?']);
  const messages = await answered(both[0].roster.GET(MESSAGES, { params: { path: conversation } }));
  expect(messages.at(-1)?.content).toBe('Two.');
});

test('the other instance answers a message of one that has crashed, once its lease has run out', async () => {
  chat.play([endless(': ping\n\n')]);
  const conversation = await begin();
  const asked = chat.requests.length;
  const lost = say(both[0], conversation, 'First?');
  lost.catch(() => {});
  await expect.poll(() => chat.requests.length).toBeGreaterThan(asked);
  await both[0].kill();
  await expect(lost).rejects.toThrow();
  // As long as its lease may be, whatever the time until the next request.
  await setLeases('(extract(epoch from now()) * 1000)::bigint + 3600000');
  chat.play([says('One.')]);
  const { roster } = both[1];
  const [question] = await answered(roster.GET(MESSAGES, { params: { path: conversation } }));
  const params = { path: { ...conversation, message_id: question?.id ?? '' } };
  const early = await roster.POST(REPLY, { params });
  expect(early.error?.type).toBe('/problems/conversation-busy');
  await setLeases('1');
  expect((await roster.POST(REPLY, { params })).response.status).toBe(200);
});

/** Sets the end of all leases that are held. */
async function setLeases(until: string): Promise<void> {
  const connection = await connectTo(database.url);
  await connection.run(`update conversations set answering_until = ${until} where answering_until is not null`);
  await connection.close();
}

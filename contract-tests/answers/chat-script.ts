import {
  type ChatReply,
  calls,
  chunk,
  DONE,
  document,
  event,
  page,
  refuses,
  says,
  stream,
} from '../../testkit/chat/reply.js';
import type { ReceivedRequest } from '../../testkit/chat/scripted-chat-server.js';

/** The failures of a chat server, by the question that provokes each. */
export const FAILURES: Readonly<Record<string, ChatReply>> = {
  '#refuses the key': refuses(401),
  '#has no such model': refuses(404),
  '#takes no more': refuses(429, undefined, { 'Retry-After': '20' }),
  '#is too long': refuses(400, { code: 'context_length_exceeded', message: 'Too long.' }),
  '#fails': refuses(500),
  '#answers with a page': page(502),
  '#answers 200 with a page': page(200),
  '#redirects': { status: 302, headers: { Location: 'http://127.0.0.1:1/' } },
  '#breaks off': { ...stream(chunk({ content: 'Ab' })), end: 'cut' },
  '#ends early': stream(chunk({ content: 'Ab' })),
  '#sends an error': stream(event({ error: { message: 'Out of memory' } })),
  '#says nothing': says(),
  '#filters': stream(chunk({ content: 'Ab' }), chunk({}, 'content_filter'), DONE),
  '#is cut off': stream(chunk({ content: 'Ab' }), chunk({}, 'length'), DONE),
  '#sends no JSON': stream('data: {"a":\n\n'),
  '#sends one document': document({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', content: 'One.' }, finish_reason: 'stop' }],
  }),
};

/**
 * Replies to a question: with the tool calls that it is the JSON of, with a failure that it names, or with its own
 * text in one piece, since a service puts together what arrives at once.
 */
export function replyTo({ body }: ReceivedRequest): ChatReply {
  const { messages, tools = [] } = body;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const question = String(messages[at]?.content ?? '');
  const failure = FAILURES[question.split('\n').at(-1) ?? ''];
  if (failure !== undefined) return failure;
  const hasCalled = messages.slice(at).some(({ role }) => role === 'tool');
  const [tool] = tools;
  if (tool === undefined || (hasCalled && !question.includes('#again'))) {
    return says(`You asked: ${question.slice(0, 60)}`);
  }
  const name = question.includes('#none') ? 'drop_everything' : tool.function.name;
  return calls({ name, arguments: inputIn(question) });
}

function inputIn(question: string): unknown {
  const [json] = /\{.*\}/s.exec(question) ?? [];
  try {
    return JSON.parse(json ?? '');
  } catch {
    return { query: question.slice(0, 60), sql: 'select 1' };
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { calls, chunk, DONE, usageChunk } from '../../testkit/chat/reply.js';
import { type ChatScript, openScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { now, QUESTIONS, TOKENS, TOKENS_A_SECOND } from './timed-answer.js';

/**
 * The scripted chat server in a separate process. Each token is the time at which it was sent. Replies to
 * `bodies` with the bodies of the requests since the last such message.
 */
const SHORT = 3;
const PAUSE_MS = 1000 / TOKENS_A_SECOND;

const script: ChatScript = ({ body: { messages, tools } }) => {
  const hasResult = messages.at(-1)?.role === 'tool';
  const question = messages.findLast(({ role }) => role === 'user')?.content;
  const [tool] = tools ?? [];
  if (question === QUESTIONS.tool && tool && !hasResult) {
    const row = { carat: 0.7, cut: 'Ideal', color: 'G' };
    return calls({ name: tool.function.name, arguments: row });
  }
  return { body: question === QUESTIONS.long ? answer(TOKENS, PAUSE_MS) : answer(SHORT, 0) };
};

/** Yields an answer. The times of its tokens do not depend on how fast they are taken. */
async function* answer(tokens: number, pause: number): AsyncGenerator<string> {
  yield chunk({ role: 'assistant', content: '' });
  const begun = now();
  for (let sent = 0; sent < tokens; sent += 1) {
    const rest = begun + sent * pause - now();
    if (rest > 0) await delay(rest);
    yield chunk({ content: `${now().toFixed(3)} ` });
  }
  yield chunk({}, 'stop');
  yield usageChunk({ prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens });
  yield DONE;
}

const { url, requests } = await openScriptedChatServer(script);
let reportedCount = 0;
process.on('message', (question) => {
  if (question !== 'bodies') return;
  process.send?.(requests.slice(reportedCount).map(({ body }) => body));
  reportedCount = requests.length;
});
process.stdout.write(`${JSON.stringify({ url, msg: 'listening' })}\n`);

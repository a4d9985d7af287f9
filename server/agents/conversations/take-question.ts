import type { Input } from '../../api/handlers.js';
import { fingerprintOf, inProgress, keysExpireBefore, reused } from '../../api/idempotency.js';
import { problem } from '../../problems/problem.js';
import { claimAnswer, findAnswer } from '../../store/answers.js';
import type { MessageRow, Store } from '../../store/index.js';
import type { TakenQuestion } from './replies.js';
import { LEASE_MS } from './reply-claims.js';
import { ConversationBusyError } from './reply-rows.js';

/**
 * Stores the message of a request, and claims its conversation. A repeated request, as its
 * `Idempotency-Key` tells, gets the message of the first one.
 * @param tx the store of the transaction, with the project locked
 * @throws {ProblemError} if the same request is being answered, or the key has another request
 * @throws {ConversationBusyError} if another message is being answered; nothing is stored then
 */
export async function takeNewQuestion(
  tx: Store,
  conversationId: string,
  { caller: { owner }, headers, body }: Pick<Input<'sendMessage'>, 'caller' | 'headers' | 'body'>,
): Promise<TakenQuestion> {
  const { content } = body.message;
  const text = headers['Idempotency-Key'];
  if (text === undefined) return tx.replies.ask(owner, conversationId, { content }, LEASE_MS);
  const fingerprint = await fingerprintOf(['sendMessage', conversationId, content]);
  const repeated = await findRepeated(tx, owner, text, fingerprint);
  if (!repeated) {
    const key = { text, fingerprint };
    return tx.replies.ask(owner, conversationId, { content, key }, LEASE_MS);
  }
  try {
    return await takeAgain(tx, repeated);
  } catch (error) {
    if (isAnswering(error, repeated)) throw inProgress();
    throw error;
  }
}

/**
 * Finds a message of a person and its reply, or claims the conversation for its reply.
 * @param tx the store of the transaction, with the project locked
 * @throws {ProblemError} if there is no such message, or it is being answered
 * @throws {ConversationBusyError} if another message is being answered
 */
export async function takeQuestion(
  tx: Store,
  conversationId: string,
  messageId: string,
): Promise<TakenQuestion> {
  const question = await tx.messages.findQuestion(conversationId, messageId);
  if (!question) {
    throw problem(
      '/problems/message-not-found',
      `The conversation has no message of a person with the identifier "${messageId}".`,
    );
  }
  try {
    return await takeAgain(tx, question);
  } catch (error) {
    if (!isAnswering(error, question)) throw error;
    throw problem(
      '/problems/conversation-busy',
      'The conversation is answering this message; ask for its reply when that is done.',
      {},
      { 'Retry-After': '1' },
    );
  }
}

async function takeAgain(tx: Store, question: MessageRow): Promise<TakenQuestion> {
  const reply = await tx.messages.findReply(question.id);
  return reply
    ? { question, reply }
    : { question, claim: await tx.replies.askAgain(question, LEASE_MS) };
}

function isAnswering(error: unknown, { id }: MessageRow): boolean {
  return error instanceof ConversationBusyError && error.messageId === id;
}

/** Finds the message of the first request under a key, and claims the key for this transaction. */
async function findRepeated(
  tx: Store,
  owner: string,
  key: string,
  fingerprint: string,
): Promise<MessageRow | undefined> {
  if (!(await claimAnswer(tx, owner, key))) throw inProgress();
  const message = await tx.messages.findByKey(owner, key, keysExpireBefore());
  if (message && message.fingerprint !== fingerprint) throw reused();
  if (!message && (await findAnswer(tx, owner, key, keysExpireBefore()))) throw reused();
  return message;
}

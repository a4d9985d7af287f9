import { onTestFinished } from 'vitest';
import { ChatClient, type ChatClientOptions } from '../../server/agents/chat/chat-client.js';
import type { ChatAnswer, ChatRequest } from '../../server/agents/chat/messages.js';
import type { ChatReply } from './reply.js';
import { type ChatScript, openScriptedChatServer, type ScriptedChatServer } from './scripted-chat-server.js';

export const QUESTION: ChatRequest = {
  model: 'llama3.2',
  messages: [{ role: 'user', content: 'What does it cost?' }],
  tools: [],
};

/** Starts a scripted chat server for one test. */
export async function scripted(script: ChatScript): Promise<ScriptedChatServer> {
  const server = await openScriptedChatServer(script);
  onTestFinished(() => server.close());
  return server;
}

/** An answer and the pieces of text that came before it. */
export interface Streamed {
  readonly pieces: readonly string[];
  readonly answer: ChatAnswer;
}

/** Asks a client, and reads the whole answer. */
export async function streamed(
  client: ChatClient,
  request: ChatRequest = QUESTION,
  signal: AbortSignal = new AbortController().signal,
): Promise<Streamed> {
  const pieces: string[] = [];
  const stream = client.stream(request, signal);
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return { pieces, answer: value };
    pieces.push(value);
  }
}

/** Asks a server that gives one reply. */
export async function ask(reply: ChatReply, options: Omit<ChatClientOptions, 'url'> = {}): Promise<Streamed> {
  const { url } = await scripted([reply]);
  return streamed(new ChatClient({ url, ...options }));
}

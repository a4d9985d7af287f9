import { says } from '../../testkit/chat/reply.js';
import {
  openScriptedChatServer,
  type ScriptedChatServer,
} from '../../testkit/chat/scripted-chat-server.js';

/** The answer to every question, in the pieces in which it is streamed. */
const ANSWER = [
  'No language model answers here: ',
  'this is the answer of the mock to every question. ',
  'Set CHAT_URL and CHAT_MODEL to ask a real one.',
];

/** Starts a chat server on the loopback address that answers every question with the same text. */
export function openChatServer(): Promise<ScriptedChatServer> {
  return openScriptedChatServer([says(...ANSWER)]);
}

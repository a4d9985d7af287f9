import { says, slowly } from '../../testkit/chat/reply.js';
import { openScriptedChatServer, type ScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';

/** The answer to every question, in the pieces in which it is streamed. */
const ANSWER = [
  'No language model answers here: ',
  'this is the answer of the mock to every question. ',
  'Set CHAT_URL and CHAT_MODEL to ask a real one.',
];

/** The time between pieces: the service sends on in one piece what arrives within a tenth of a second. */
const PIECE_INTERVAL_MS = 150;

/** Starts a chat server on the loopback address that answers every question with the same text. */
export function openChatServer(): Promise<ScriptedChatServer> {
  return openScriptedChatServer(() => slowly(says(...ANSWER), PIECE_INTERVAL_MS));
}

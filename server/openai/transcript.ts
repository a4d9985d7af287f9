import type { ChatMessage, ToolCall } from '../agents/chat/messages.js';
import { fenceResult } from '../agents/prompt.js';
import { type FieldError, invalidRequest } from '../problems/problem.js';

export interface ReadMessages {
  /** Of the roles `system` and `developer`, joined; empty if there are none. */
  readonly instructions: string;
  /** All others, of which the last is a question or the result of a tool. */
  readonly messages: readonly ChatMessage[];
}

/**
 * Gathers the messages of a request, the oldest first. Each call of a tool has its result in the messages that follow
 * it, since chat servers refuse a chat where one is missing. A method that takes a fault throws it as a problem if the
 * message does not fit there.
 */
export class Transcript {
  readonly #instructions: string[] = [];
  readonly #messages: ChatMessage[] = [];
  /** The calls without a result, with what is wrong if none follows. */
  readonly #open = new Map<string, FieldError>();

  instruct(text: string): void {
    this.#refuseOpen();
    if (text !== '') this.#instructions.push(text);
  }

  say(message: ChatMessage): void {
    this.#refuseOpen();
    this.#messages.push(message);
  }

  /**
   * Adds calls of tools of the caller. Calls that follow the text of the assistant, or other calls, are of one message.
   * @param fault returns what is wrong with a call that has no result
   */
  call(calls: readonly ToolCall[], fault: (id: string) => FieldError): void {
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant') {
      const tool_calls = [...(last.tool_calls ?? []), ...calls];
      this.#messages[this.#messages.length - 1] = { ...last, tool_calls };
    } else this.say({ role: 'assistant', content: null, tool_calls: calls });
    for (const { id } of calls) this.#open.set(id, fault(id));
  }

  /** @param fault a result without a call */
  answer(id: string | undefined, content: string, fault: FieldError): void {
    if (id === undefined || !this.#open.delete(id)) throw invalidRequest([fault]);
    this.#messages.push({ role: 'tool', tool_call_id: id, content: fenceResult(content) });
  }

  /** @param fault a last message that is neither a question nor a result */
  finish(fault: FieldError): ReadMessages {
    this.#refuseOpen();
    const { role } = this.#messages.at(-1) ?? {};
    if (role !== 'user' && role !== 'tool') throw invalidRequest([fault]);
    return { instructions: this.#instructions.join('\n\n'), messages: this.#messages };
  }

  #refuseOpen(): void {
    for (const fault of this.#open.values()) throw invalidRequest([fault]);
  }
}

/** The most characters of a message, in all parts together. */
const MAX_TEXT_LENGTH = 100_000;

interface TextPart {
  readonly text?: string;
  readonly refusal?: string;
}

/**
 * Reads a text, whole or in parts.
 * @param pointer its place in the request
 * @throws {ProblemError} if a part has no text, or all together are too long
 */
export function readText(
  content: string | readonly TextPart[] | null | undefined,
  pointer: string,
): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const texts = content.map(({ text, refusal }, part) => {
    const own = text ?? refusal;
    if (own !== undefined) return own;
    throw invalidRequest([{ pointer: `${pointer}/${part}`, message: 'must have a text' }]);
  });
  const whole = texts.join('\n');
  if (whole.length <= MAX_TEXT_LENGTH) return whole;
  const message = `must have at most ${MAX_TEXT_LENGTH} characters in all parts`;
  throw invalidRequest([{ pointer, message }]);
}

/** Reads a text that must not be empty. */
export function requireText(...[content, pointer]: Parameters<typeof readText>): string {
  const text = readText(content, pointer);
  if (text !== '') return text;
  throw invalidRequest([{ pointer, message: 'must have a text that is not empty' }]);
}

/**
 * The prompts by which interfaces ask the model of a chat for its title, tags and follow-ups: those of Open WebUI,
 * and two of LibreChat (`@librechat/agents`, `src/utils/title.ts`).
 */
const TASK_PROMPTS = [
  /^\s*### Task:\n[\s\S]*<chat_history>/,
  /^\s*Provide a concise, 5-word-or-less title for the conversation, using title case/,
  /^\s*Analyze this conversation and provide:\n1\. The detected language/,
];

/** True if an interface asks on its own behalf, and no tool is to run for it. */
export function isInterfaceTask(messages: readonly ChatMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && TASK_PROMPTS.some((prompt) => prompt.test(last.content));
}

import type { ChatMessage, ToolCall } from '../agents/chat/messages.js';
import { fenceResult } from '../agents/prompt.js';
import { type FieldError, invalidRequest } from '../problems/problem.js';

export interface ReadMessages {
  /** The texts of the roles `system` and `developer`, joined; empty if there are none. */
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
  #images = 0;

  instruct(text: string): void {
    this.#refuseOpen();
    if (text !== '') this.#instructions.push(text);
  }

  /**
   * Adds what the user says: a text, images or both.
   * @throws {ProblemError} if it is empty, or there are too many images
   */
  ask(content: Content, pointer: string): void {
    const { text, images } = readParts(content, pointer);
    if (images.length === 0) this.say({ role: 'user', content: requireText(text, pointer) });
    else this.say({ role: 'user', content: text, images: images.map(({ url }) => url) });
    this.#images += images.length;
    if (this.#images <= MAX_IMAGES) return;
    const message = `must have at most ${MAX_IMAGES} images, those of all messages together`;
    throw invalidRequest([{ pointer, message }]);
  }

  say(message: ChatMessage): void {
    this.#refuseOpen();
    this.#messages.push(message);
  }

  /** Adds what the assistant said. An answer that ended before its first word is none, and chat servers refuse it. */
  recall(text: string): void {
    if (text !== '') this.say({ role: 'assistant', content: text });
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
  answer(id: string | null | undefined, content: string, fault: FieldError): void {
    if (typeof id !== 'string' || !this.#open.delete(id)) throw invalidRequest([fault]);
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

/** The most images of a conversation. Each may cost the chat server more than a page of text. */
const MAX_IMAGES = 64;

/** A part of a message in either form: a text, or an image as its data URL. */
interface Part {
  readonly type: string;
  readonly text?: string | null;
  readonly refusal?: string | null;
  readonly image_url?: string | { readonly url: string } | null;
}

type Content = string | readonly Part[] | null | undefined;

/** Kinds of parts in which other servers keep what a language model thought. */
const UNREAD_PARTS: ReadonlySet<string> = new Set(['reasoning_text', 'reasoning', 'thinking', 'redacted_thinking']);

interface ReadParts {
  readonly text: string;
  readonly images: readonly { readonly url: string; readonly pointer: string }[];
}

/** @throws {ProblemError} if a part has neither a text nor an image, or the text is too long */
function readParts(content: Content, pointer: string): ReadParts {
  if (content === undefined || content === null) return { text: '', images: [] };
  if (typeof content === 'string') return { text: content, images: [] };
  const texts: string[] = [];
  const images: { url: string; pointer: string }[] = [];
  for (const [index, { type, text, refusal, image_url: image }] of content.entries()) {
    if (UNREAD_PARTS.has(type)) continue;
    const at = `${pointer}/${index}`;
    const isImage = type === 'input_image' || type === 'image_url';
    const url = typeof image === 'object' ? image?.url : image;
    const own = (isImage ? url : (text ?? refusal)) ?? undefined;
    if (own === undefined) {
      const message = isImage ? 'must have an image_url' : 'must have a text';
      throw invalidRequest([{ pointer: at, message }]);
    }
    if (isImage) images.push({ url: own, pointer: at });
    else texts.push(own);
  }
  const text = texts.join('\n');
  if (text.length <= MAX_TEXT_LENGTH) return { text, images };
  const message = `must have at most ${MAX_TEXT_LENGTH} characters in all parts`;
  throw invalidRequest([{ pointer, message }]);
}

/**
 * Reads a text, whole or in parts.
 * @param pointer its place in the request
 * @throws {ProblemError} if a part has no text, or all together are too long
 */
export function readText(content: Content, pointer: string): string {
  const { text, images } = readParts(content, pointer);
  const [image] = images;
  if (!image) return text;
  const message = "must be a text: images are read in messages of the role 'user' alone";
  throw invalidRequest([{ pointer: image.pointer, message }]);
}

/** Reads a text that must not be empty. */
function requireText(...[content, pointer]: Parameters<typeof readText>): string {
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

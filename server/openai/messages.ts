/** Messages and tools of OpenAI's chat completions, in the form of the chat client. */

import type { components } from '../../generated/openapi.js';
import type { ChatMessage, ToolCall, ToolDefinition } from '../agents/chat/messages.js';
import { fenceResult } from '../agents/prompt.js';
import { type FieldError, invalidRequest } from '../problems/problem.js';

type Schemas = components['schemas'];
type Body = Schemas['ChatCompletionBody'];
type OpenaiMessage = Schemas['OpenaiMessage'];
type OpenaiToolCall = Schemas['OpenaiToolCall'];

export interface ReadMessages {
  /** Of the roles `system` and `developer`, joined; empty if there are none. */
  readonly instructions: string;
  /** All others, of which the last is a question or the result of a tool. */
  readonly messages: readonly ChatMessage[];
}

/**
 * Reads the messages of a body. Each call of a tool has its result in the messages that follow it, since chat servers
 * refuse a chat where one is missing.
 * @throws {ProblemError} if a message lacks what its role needs, or the last one is neither a question nor a result
 */
export function readMessages(sent: Body['messages']): ReadMessages {
  const instructions: string[] = [];
  const messages: ChatMessage[] = [];
  /** The calls without a result, with the message that made them. */
  const open = new Map<string, number>();
  for (const [index, message] of sent.entries()) {
    const { role } = message;
    if (role !== 'tool') refuseOpen(open);
    refuseMisplaced(message, index);
    if (role === 'system' || role === 'developer') instructions.push(requireText(message, index));
    else if (role === 'user') messages.push({ role, content: requireText(message, index) });
    else if (role === 'assistant') messages.push(readAssistant(message, index, open));
    else {
      const id = message.tool_call_id;
      if (id === undefined || !open.delete(id)) {
        const detail = 'must be the id of a call in the message of the assistant before';
        throw fault(index, 'tool_call_id', detail);
      }
      messages.push({ role, tool_call_id: id, content: fenceResult(readText(message, index)) });
    }
  }
  refuseOpen(open);
  const { role } = sent.at(-1) ?? {};
  if (role !== 'user' && role !== 'tool') {
    throw fault(sent.length - 1, 'role', "must be 'user' or 'tool': the last message is answered");
  }
  return { instructions: instructions.join('\n\n'), messages };
}

function readAssistant(
  message: OpenaiMessage,
  index: number,
  open: Map<string, number>,
): ChatMessage {
  const { role: _, tool_calls: calls } = message;
  if (!calls?.length) return { role: 'assistant', content: requireText(message, index) };
  for (const { id } of calls) open.set(id, index);
  const tool_calls = calls.map(
    ({ id, function: called }): ToolCall => ({
      id,
      name: called.name,
      arguments: called.arguments,
    }),
  );
  return { role: 'assistant', content: readText(message, index) || null, tool_calls };
}

function refuseOpen(open: ReadonlyMap<string, number>): void {
  for (const [id, index] of open) {
    throw fault(
      index,
      'tool_calls',
      `must each have a result in a message of the role 'tool'; "${id}" has none`,
    );
  }
}

function requireText(message: OpenaiMessage, index: number): string {
  const text = readText(message, index);
  if (text !== '') return text;
  throw fault(index, 'content', 'must have a text that is not empty');
}

/** The most characters of a message, in all parts together. */
const MAX_TEXT_LENGTH = 100_000;

function readText({ content }: OpenaiMessage, index: number): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const texts = content.map(({ text, refusal }, part) => {
    const own = text ?? refusal;
    if (own === undefined) throw fault(index, `content/${part}`, 'must have a text');
    return own;
  });
  const whole = texts.join('\n');
  if (whole.length <= MAX_TEXT_LENGTH) return whole;
  throw fault(index, 'content', `must have at most ${MAX_TEXT_LENGTH} characters in all parts`);
}

function refuseMisplaced({ role, tool_calls, tool_call_id }: OpenaiMessage, index: number): void {
  if (role !== 'assistant' && tool_calls?.length) {
    throw fault(index, 'tool_calls', "must be in a message of the role 'assistant'");
  }
  if (role !== 'tool' && tool_call_id !== undefined) {
    throw fault(index, 'tool_call_id', "must be in a message of the role 'tool'");
  }
}

function fault(index: number, field: string, message: string) {
  const at: FieldError = { pointer: `/body/messages/${index}/${field}`, message };
  return invalidRequest([at]);
}

export function readTools(tools: Body['tools']): ToolDefinition[] {
  return (tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    description: description ?? '',
    parameters: parameters ?? { type: 'object', properties: {} },
  }));
}

export function writeCall({ id, name, arguments: text }: ToolCall): OpenaiToolCall {
  return { id, type: 'function', function: { name, arguments: text } };
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

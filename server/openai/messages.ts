/** Messages and tools of OpenAI's chat completions, in the form of the chat client. */

import type { components } from '../../generated/openapi.js';
import type { ForcedTool, ToolCall } from '../agents/chat/messages.js';
import type { CallerTool } from '../agents/tools/tool.js';
import { type FieldError, invalidRequest } from '../problems/problem.js';
import { type ReadMessages, readText, Transcript } from './transcript.js';

type Schemas = components['schemas'];
type Body = Schemas['ChatCompletionBody'];
type OpenaiMessage = Schemas['OpenaiMessage'];
type OpenaiToolCall = Schemas['OpenaiToolCall'];
type PastCall = Schemas['OpenaiPastCall'];

/**
 * Reads the messages of a body.
 * @throws {ProblemError} if a message lacks what its role needs, or the last one is neither a question nor a result
 */
export function readMessages(sent: Body['messages']): ReadMessages {
  const transcript = new Transcript();
  for (const [index, message] of sent.entries()) {
    const { role, content, tool_calls: calls, tool_call_id: id } = message;
    const pointer = `/body/messages/${index}/content`;
    refuseMisplaced(message, index);
    if (role === 'system' || role === 'developer') {
      transcript.instruct(readText(content, pointer));
    } else if (role === 'tool') {
      const detail = 'must be the id of a call in the message of the assistant before';
      transcript.answer(id, readText(content, pointer), fault(index, 'tool_call_id', detail));
    } else if (role === 'user') {
      transcript.ask(content, pointer);
    } else if (!calls?.length) {
      transcript.recall(readText(content, pointer));
    } else {
      transcript.say({ role, content: readText(content, pointer) || null });
      transcript.call(calls.map(readCall), (open) => {
        const detail = `must each have a result in a message of the role 'tool'; "${open}" has none`;
        return fault(index, 'tool_calls', detail);
      });
    }
  }
  const detail = "must be 'user' or 'tool': the last message is answered";
  return transcript.finish(fault(sent.length - 1, 'role', detail));
}

function readCall({ id, function: called }: PastCall): ToolCall {
  return { id, name: called.name, arguments: called.arguments };
}

function refuseMisplaced({ role, tool_calls, tool_call_id }: OpenaiMessage, index: number): void {
  if (role !== 'assistant' && tool_calls?.length) {
    throw invalidRequest([fault(index, 'tool_calls', "must be in a message of the role 'assistant'")]);
  }
  if (role !== 'tool' && typeof tool_call_id === 'string') {
    throw invalidRequest([fault(index, 'tool_call_id', "must be in a message of the role 'tool'")]);
  }
}

function fault(index: number, field: string, message: string): FieldError {
  return { pointer: `/body/messages/${index}/${field}`, message };
}

/** Returns the bound of tokens by either of its names, the smaller of both. */
export function readMaxTokens({ max_tokens: older, max_completion_tokens: newer }: Body): number | undefined {
  const bounds = [older, newer].filter((bound) => typeof bound === 'number');
  return bounds.length > 0 ? Math.min(...bounds) : undefined;
}

export function readTools(tools: Body['tools']): CallerTool[] {
  return (tools ?? []).map(({ function: tool }, index) => ({
    ...defineTool(tool),
    pointer: `/body/tools/${index}/function/name`,
  }));
}

/** Returns the tool that a choice forces; undefined if it forces none. */
export function readForcedTool(
  choice: Body['tool_choice'] | Schemas['OpenaiResponseBody']['tool_choice'],
): ForcedTool | undefined {
  if (choice === 'required') return 'any';
  if (typeof choice !== 'object' || choice === null) return undefined;
  const { name } = 'function' in choice ? choice.function : choice;
  return { name };
}

/** Returns a tool of the caller as the language model gets it. */
export function defineTool({
  name,
  description,
  parameters,
}: Pick<Schemas['OpenaiFunctionTool'], 'name' | 'description' | 'parameters'>) {
  return { name, description: description ?? '', parameters: parameters ?? { type: 'object', properties: {} } };
}

export function writeCall({ id, name, arguments: text }: ToolCall): OpenaiToolCall {
  return { id, type: 'function', function: { name, arguments: text } };
}

import type { components } from '../../../generated/chat-server.js';
import type { ChatMessage, ChatRequest, ToolCall, ToolDefinition } from './messages.js';

type Schemas = components['schemas'];

/** The JSON body of a request, as `chat-server.yaml` describes it. */
export type RequestBody = Schemas['ChatCompletionRequest'];

const INVALID_IN_NAMES = /[^a-zA-Z0-9_-]/g;
const MAX_NAME_LENGTH = 64;
/** Halves of a character, which a text has that was cut between them. Servers cannot write them as UTF-8. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Returns the body of a request: the fields that all servers know, and none that is empty. */
export function requestBody({ model, messages, tools, temperature }: ChatRequest): RequestBody {
  return {
    model,
    messages: messages.map(messageBody),
    ...(tools.length > 0 && { tools: tools.map(toolBody) }),
    ...(temperature !== undefined && { temperature }),
    stream: true,
  };
}

/** Returns a body as JSON that any server can read. */
export function serializeBody(body: unknown): string {
  return JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'string' ? value.replace(LONE_SURROGATES, '\uFFFD') : value,
  );
}

function messageBody(message: ChatMessage): Schemas['Message'] {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: message.content };
    case 'assistant': {
      const { content, tool_calls: calls = [] } = message;
      // Servers refuse an empty list of calls, and a message without text and calls.
      if (calls.length === 0) return { role: 'assistant', content: content ?? '' };
      return { role: 'assistant', content, tool_calls: calls.map(toolCallBody) };
    }
  }
}

function toolBody({ name, description, parameters }: ToolDefinition): Schemas['Tool'] {
  return { type: 'function', function: { name, description, parameters } };
}

/** Servers check earlier calls as well: one that the model got wrong would make them refuse the chat. */
function toolCallBody({ id, name, arguments: text }: ToolCall): Schemas['ToolCall'] {
  return {
    id,
    type: 'function',
    function: { name: validName(name), arguments: validArguments(text) },
  };
}

function validName(name: string): string {
  return name.replace(INVALID_IN_NAMES, '_').slice(0, MAX_NAME_LENGTH) || '_';
}

/** Returns the text of a JSON object, which has the arguments as a string if they are none. */
function validArguments(text: string): string {
  if (text.trim() === '') return '{}';
  return isJsonObject(text) ? text : JSON.stringify({ invalid_arguments: text });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

import { parseJson } from '../../../contract/json-record.js';
import type { components } from '../../../generated/chat-server.js';
import type { RequestedForm } from '../form/answer-form.js';

type Schemas = components['schemas'];

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | UserMessage
  | AssistantMessage
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  /** Data URLs, which follow the text. */
  readonly images?: readonly string[];
}

interface AssistantMessage {
  readonly role: 'assistant';
  /** Null if the message has only tool calls. */
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
}

export interface ToolCall {
  /** Unique among the calls of an answer. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it, which may be empty or invalid. */
  readonly arguments: string;
}

export interface ToolDefinition {
  /** Up to 64 letters, digits, underscores and dashes. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, which describes an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A tool that the language model must call: any of them, or the one of this name. */
export type ForcedTool = 'any' | { readonly name: string };

export interface ChatRequest {
  readonly model: string;
  /** The chat so far, oldest message first; at least one. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly forcedTool?: ForcedTool | undefined;
  /** From 0 to 2; the server's default if it is left out. */
  readonly temperature?: number | undefined;
  /** The most tokens of the answer, its reasoning and calls of tools included; at least one. */
  readonly maxTokens?: number | undefined;
  /** The form of the answer; any text if it is left out. */
  readonly form?: RequestedForm | undefined;
}

/** The names of a bound of tokens. Few servers know the second, and OpenAI's newer models refuse the first. */
export const TOKEN_BOUNDS = ['max_tokens', 'max_completion_tokens'] as const;
export type TokenBound = (typeof TOKEN_BOUNDS)[number];

/** A whole answer, which has text, tool calls or both; or neither, if a bound of tokens cut it before. */
export interface ChatAnswer {
  /** The text without reasoning; empty if the model only calls tools. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** Null if the server does not count tokens. */
  readonly usage: Schemas['Usage'] | null;
  /** The server's word, such as `stop`, `length` (the answer is cut) or `tool_calls`; null if it gives none. */
  readonly finishReason: string | null;
}

export type ChatLimits = Readonly<typeof DEFAULT_LIMITS>;

export const DEFAULT_LIMITS = {
  /** The longest wait for the first byte of the answer, in milliseconds. A server may load a model meanwhile. */
  firstByteMs: 90_000,
  /** The longest silence within the answer, in milliseconds. */
  silenceMs: 60_000,
  /** The longest wait for the usage and the end of an answer that is complete, in milliseconds. */
  endMs: 2_000,
  /** The size of text, reasoning and tool calls together, in bytes of UTF-8. */
  maxBytes: 2 * 1024 * 1024,
  /** The size of all that arrives, with the form around each piece and with keep-alives, in bytes. */
  maxReceivedBytes: 64 * 1024 * 1024,
  /** The number of events, which take longer to read the smaller they are. */
  maxEvents: 500_000,
  maxToolCalls: 64,
};

/** Halves of a character, which a text has that was cut between them. Servers cannot write them as UTF-8. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * Returns the body of a request as JSON that any server can read, as `chat-server.yaml` describes
 * it: the fields that all servers know, and none that is empty.
 * @param tokenBound the name of the bound of tokens there
 */
export function writeRequest(request: ChatRequest, tokenBound: TokenBound = 'max_tokens'): string {
  const { model, messages, tools, forcedTool, temperature, maxTokens, form } = request;
  const body: Schemas['ChatCompletionRequest'] = {
    model,
    messages: messages.map(messageBody),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters },
      })),
    }),
    ...(forcedTool && { tool_choice: writeToolChoice(forcedTool) }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [tokenBound]: maxTokens }),
    ...(form && { response_format: writeForm(form) }),
    stream: true,
  };
  return JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'string' ? value.replace(LONE_SURROGATES, '\uFFFD') : value,
  );
}

function writeToolChoice(forced: ForcedTool) {
  return forced === 'any' ? 'required' : { type: 'function' as const, function: forced };
}

function writeForm(form: RequestedForm): NonNullable<Schemas['ChatCompletionRequest']['response_format']> {
  if (form.type === 'json_object') return form;
  const { type, name, description, schema, strict } = form;
  const optional = { ...(description !== undefined && { description }), ...(strict !== undefined && { strict }) };
  return { type, json_schema: { name, schema, ...optional } };
}

function messageBody(message: ChatMessage): Schemas['Message'] {
  if (message.role === 'assistant') return assistantBody(message);
  if (message.role !== 'user') return message;
  const { role, content, images = [] } = message;
  if (images.length === 0) return { role, content };
  const parts = images.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
  const text = content === '' ? [] : [{ type: 'text' as const, text: content }];
  return { role, content: [...text, ...parts] };
}

function assistantBody({ content, tool_calls: calls = [] }: AssistantMessage): Schemas['Message'] {
  // Servers refuse an empty list of calls, and a message without text and calls.
  if (calls.length === 0) return { role: 'assistant', content: content ?? '' };
  return { role: 'assistant', content, tool_calls: calls.map(toolCallBody) };
}

const INVALID_IN_NAMES = /[^a-zA-Z0-9_-]/g;
const MAX_NAME_LENGTH = 64;

/** Servers check earlier calls as well: one that the model got wrong would make them refuse the chat. */
function toolCallBody({ id, name, arguments: text }: ToolCall): Schemas['ToolCall'] {
  const validName = name.replace(INVALID_IN_NAMES, '_').slice(0, MAX_NAME_LENGTH) || '_';
  return { id, type: 'function', function: { name: validName, arguments: repairArguments(text) } };
}

/** Returns the text of a JSON object, which has the arguments as a string if they are none. */
function repairArguments(text: string): string {
  if (text.trim() === '') return '{}';
  return parseObject(text) ? text : JSON.stringify({ invalid_arguments: text });
}

/** Returns the JSON object that a text is; undefined if it is none. */
export function parseObject(text: string): object | undefined {
  const value = parseJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? value : undefined;
}

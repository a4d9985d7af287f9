/** A message of a chat, as it is sent to the chat server. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      /** Null if the message has only tool calls. */
      readonly content: string | null;
      readonly tool_calls?: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** A call of a tool by the model. */
export interface ToolCall {
  /** Unique among the calls of an answer. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it, which may be empty or invalid. */
  readonly arguments: string;
}

/** A tool that the model may call. */
export interface ToolDefinition {
  /** Up to 64 letters, digits, underscores and dashes. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, which describes an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A request for the next message of a chat. */
export interface ChatRequest {
  readonly model: string;
  /** The chat so far, oldest message first; at least one. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  /** From 0 to 2; the server's default if it is left out. */
  readonly temperature?: number;
}

/** The tokens that a request and its answer took. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** A whole answer, which has text, tool calls or both. */
export interface ChatAnswer {
  /** The text without reasoning; empty if the model only calls tools. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** Null if the server does not count tokens. */
  readonly usage: Usage | null;
  /** The server's word, such as `stop`, `length` (the answer is cut) or `tool_calls`; null if it gives none. */
  readonly finishReason: string | null;
}

/** Ends a stream whose answer nobody reads. */
export const NO_CHAT_ANSWER: ChatAnswer = {
  ...{ text: '', toolCalls: [], usage: null, finishReason: null },
};

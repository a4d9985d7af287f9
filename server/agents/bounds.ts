export interface AnswerBounds {
  /** The most requests to the chat server that may ask for tools. */
  readonly rounds: number;
  /** The most uses of tools. */
  readonly toolCalls: number;
  /** The most tools that are offered. */
  readonly tools: number;
  /** The most bytes of the definitions of tools, which each request has. */
  readonly definitionBytes: number;
  /** The most tokens, as the chat server counts them, after which no tool is offered. */
  readonly tokens: number;
  /** The most bytes of one result that the language model gets. */
  readonly resultBytes: number;
  /** The most bytes of all results, after which no tool is offered. */
  readonly allResultBytes: number;
  /** The most bytes of the answer's text. */
  readonly textBytes: number;
  /** The longest time, in milliseconds. */
  readonly milliseconds: number;
}

export const DEFAULT_LIMITS: AnswerBounds = {
  rounds: 10,
  toolCalls: 32,
  tools: 64,
  definitionBytes: 128 * 1024,
  tokens: 200_000,
  resultBytes: 16 * 1024,
  allResultBytes: 256 * 1024,
  textBytes: 64 * 1024,
  milliseconds: 120_000,
};

/** Bounds of one answer of a chat server. */
export interface ChatLimits {
  /**
   * The longest wait for the first byte of the answer, in milliseconds. A server may load a model
   * meanwhile. `fetch` waits for headers for at most 300 s, whatever this limit is.
   */
  readonly firstByteMs: number;
  /** The longest silence within the answer, in milliseconds. */
  readonly silenceMs: number;
  /** The longest time of the whole answer, in milliseconds. */
  readonly totalMs: number;
  /** The longest wait for the usage and the end of an answer that is complete, in milliseconds. */
  readonly endMs: number;
  /**
   * The shortest time between two pieces of a text, in milliseconds, for each answer that is in
   * progress. A few answers are passed on as they arrive; the pieces of many are fewer and larger.
   */
  readonly pieceMs: number;
  /** The size of text, reasoning and tool calls together, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** The size of all that arrives, with the form around each piece and with keep-alives, in bytes. */
  readonly maxReceivedBytes: number;
  /** The number of events, which take longer to read the smaller they are. */
  readonly maxEvents: number;
  readonly maxToolCalls: number;
}

export const DEFAULT_LIMITS: ChatLimits = {
  firstByteMs: 90_000,
  silenceMs: 60_000,
  totalMs: 300_000,
  endMs: 2_000,
  pieceMs: 1.25,
  maxBytes: 2 * 1024 * 1024,
  maxReceivedBytes: 64 * 1024 * 1024,
  maxEvents: 500_000,
  maxToolCalls: 64,
};

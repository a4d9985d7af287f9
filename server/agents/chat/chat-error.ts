/** The kinds of failures, in the words of the stream of agents. */
export type ChatErrorType =
  | 'timeout'
  | 'connection'
  | 'authentication'
  | 'not_found'
  | 'rate_limit'
  | 'general';

/** Facts beside the message of a failure. */
interface ChatErrorOptions {
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A failure of the chat server, or of the way to it. The message is for the caller. It has neither
 * keys nor addresses, and may quote the server's own message.
 */
export class ChatError extends Error {
  readonly errorType: ChatErrorType;
  /** The HTTP status, if the server refused the request by one. */
  readonly status: number | undefined;
  /** The wait that the server asks for, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(errorType: ChatErrorType, message: string, options: ChatErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.name = 'ChatError';
    this.errorType = errorType;
    this.status = options.status;
    this.retryAfter = options.retryAfter;
  }
}

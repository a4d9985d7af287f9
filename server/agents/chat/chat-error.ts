/** Failures at a chat server or on the way to it, and the problems that callers get. */

import { cutText } from 'roster-prediction/text';
import { asRecord } from '../../../contract/json-record.js';
import type { components } from '../../../generated/openapi.js';
import { ExchangeError, type ExchangeFault, explainExchange } from '../../common/http-exchange.js';
import { ProblemError } from '../../problems/problem.js';
import type { ChatLimits } from './messages.js';

export type ChatErrorType = components['schemas']['ChatErrorType'];

/**
 * A failure of the chat server, or of the way to it. The message is for the caller. It has neither
 * keys nor addresses, and may quote the server's own message.
 */
export class ChatError extends ProblemError {
  /**
   * @param status the HTTP status, if the server refused the request by one
   * @param retryAfter the wait that the server asks for, in seconds
   */
  constructor(
    message: string,
    readonly errorType: ChatErrorType = 'general',
    readonly status?: number,
    readonly retryAfter?: number,
  ) {
    super(
      '/problems/chat-server-failed',
      message,
      { error_type: errorType },
      retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    );
  }
}

const WORDS = {
  server: 'The chat server',
  setting: 'CHAT_URL',
  patience: 'It may still be loading the model: try again in a minute.',
};

const TYPES_OF_FAULTS: Partial<Record<ExchangeFault, ChatErrorType>> = {
  connection: 'connection',
  compression: 'connection',
  'no-first-byte': 'timeout',
  silence: 'timeout',
};

/** Returns an error as it is, and the failure of an exchange with its words for callers. */
export function toChatError(error: unknown, limits: ChatLimits): unknown {
  if (!(error instanceof ExchangeError)) return error;
  return new ChatError(explainExchange(error, limits, WORDS), TYPES_OF_FAULTS[error.fault]);
}

/**
 * Returns the failure of a server that refused: by a response that is not a success, or by an `error` within an answer.
 * @param body the body or the `error`, parsed; undefined if it is not JSON
 * @param key the key that must not appear in the message
 * @param response its status, and the wait that it asks for in seconds
 */
export function refusalError(
  body: unknown,
  key: string | undefined,
  response?: { readonly status: number; readonly retryAfter: number | undefined },
): ChatError {
  const error = asRecord(body)['error'] ?? body;
  const status = response?.status ?? readStatus(error);
  const message = explainStatus(status, error, key);
  const words = mayBeQuoted(status) ? quote(readMessage(error), key) : '';
  const text = words === '' ? message : `${message} It says: "${words}"`;
  return new ChatError(text, TYPES.get(status ?? 0), status, response?.retryAfter);
}

const TYPES: ReadonlyMap<number, ChatErrorType> = new Map([
  [401, 'authentication'],
  [403, 'authentication'],
  [404, 'not_found'],
  [408, 'timeout'],
  [429, 'rate_limit'],
  [504, 'timeout'],
]);

/** The words of the other refusals may have a part of the key, or of its organisation. */
function mayBeQuoted(status: number | undefined): boolean {
  return status === undefined || (status >= 400 && ![401, 403, 429].includes(status));
}

function explainStatus(status: number | undefined, error: unknown, key: string | undefined) {
  switch (status) {
    case 401:
      return key
        ? 'The chat server did not accept the key (401). Set CHAT_KEY to a key that is valid there.'
        : 'The chat server asks for a key (401). Set CHAT_KEY.';
    case 403:
      return 'The chat server does not allow this use (403). Check what the key in CHAT_KEY may do there.';
    case 404:
      return 'The chat server knows no such model or address (404). Check CHAT_MODEL, and CHAT_URL, which often ends in /v1.';
    case 408:
    case 504:
      return `The chat server did not answer in time (${status}). Try again later.`;
    case 413:
      return 'The chat is too long for the chat server (413). Send less of it.';
    case 429:
      return readNames(error).includes('insufficient_quota')
        ? 'The quota of the chat server is used up (429). Extend it there.'
        : 'The chat server is asked too often (429). Try again later.';
    case undefined:
      return 'The chat server failed while it answered. Try again later.';
  }
  if (status >= 500) return `The chat server failed (${status}). Try again later.`;
  return status < 400
    ? `The chat server redirects to another address (${status}), which is not followed to protect the key. Set CHAT_URL to the final address.`
    : `The chat server refused the request (${status}). Check that the model can do what is asked, such as calling tools.`;
}

/** Statuses by the names that servers give to errors within an answer. */
const STATUSES: readonly (readonly [names: RegExp, status: number])[] = [
  [/invalid_api_key|authentication|unauthorized/, 401],
  [/permission|forbidden/, 403],
  [/not_found/, 404],
  [/rate_limit|insufficient_quota|too_many_requests/, 429],
  [/timeout/, 504],
];

/** Returns the status that an error within an answer stands for; undefined if it names none. */
function readStatus(error: unknown): number | undefined {
  const { code, status } = asRecord(error);
  const numbers = [code, status].map((value) => Number(readName(value)));
  const names = readNames(error);
  return (
    numbers.find((number) => number >= 400 && number < 600) ?? STATUSES.find(([pattern]) => pattern.test(names))?.[1]
  );
}

function readNames(error: unknown): string {
  const { code, type } = asRecord(error);
  return `${readName(code)} ${readName(type)}`.toLowerCase();
}

const MAX_NAME_LENGTH = 100;

/** Servers send anything in the place of a name; one that is a text or a number is short. */
function readName(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return `${value}`.slice(0, MAX_NAME_LENGTH);
}

/** Returns the message of an error, which some servers send as a text without an object around it. */
function readMessage(error: unknown): string {
  const { message, detail } = asRecord(error);
  return [error, message, detail].find((words) => typeof words === 'string') ?? '';
}

const MAX_QUOTE_LENGTH = 200;
/** The most characters that are read. */
const MAX_READ = 1000;
// bounded: at most 1000 characters (MAX_READ)
const ADDRESSES = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi;
const CREDENTIALS = /\b(?:bearer\s+\S+|sk-[\w*-]+)/gi;
/** White space and control characters, which could forge lines of a log. */
const BREAKS = /[\s\p{Cc}]+/gu;

/**
 * Returns the words of a chat server as a part of a message: one line of up to 200 characters,
 * without addresses, credentials and the key.
 */
function quote(words: string, key: string | undefined): string {
  // Cut between two words, lest a part of a key or of an address is not recognised.
  // bounded: at most 1000 characters (MAX_READ)
  const beginning = words.length <= MAX_READ ? words : words.slice(0, MAX_READ).replace(/\S+$/, '');
  const withoutKey = key ? beginning.replaceAll(key, '…') : beginning;
  const line = withoutKey.replace(CREDENTIALS, '…').replace(ADDRESSES, '…').replace(BREAKS, ' ').trim();
  return cutText(line, MAX_QUOTE_LENGTH);
}

import { asRecord } from '../../contract/json-record.js';
import { ChatError, type ChatErrorType } from './chat-error.js';
import { quote } from './quote.js';

/** A refusal of a chat server: a response that is not a success, or an `error` within an answer. */
export interface Refusal {
  /** The HTTP status; undefined if the error names none. */
  readonly status: number | undefined;
  /** The body or the `error`, parsed; undefined if it is not JSON. */
  readonly error: unknown;
  /** In seconds. */
  readonly retryAfter?: number | undefined;
}

const MAX_NAME_LENGTH = 100;

interface Meaning {
  readonly errorType: ChatErrorType;
  readonly message: string;
  /** The server's words may have a part of the key, or the organisation that it belongs to. */
  readonly isQuoted: boolean;
}

/** Statuses by the names that servers give to errors within an answer. */
const STATUSES: readonly (readonly [names: RegExp, status: number])[] = [
  [/invalid_api_key|authentication|unauthorized/, 401],
  [/permission|forbidden/, 403],
  [/not_found/, 404],
  [/rate_limit|insufficient_quota|too_many_requests/, 429],
  [/timeout/, 504],
];

/**
 * Returns a refusal as an error.
 * @param key the key that must not appear in the message
 */
export function refusalError(refusal: Refusal, key: string | undefined): ChatError {
  const error = asRecord(refusal.error)['error'] ?? refusal.error;
  const status = refusal.status ?? statusOf(error);
  const { errorType, message, isQuoted } = meaningOf(status, error, key);
  const words = isQuoted ? quote(wordsOf(error), key) : '';
  return new ChatError(errorType, words === '' ? message : `${message} It says: "${words}"`, {
    status,
    retryAfter: refusal.retryAfter,
  });
}

function meaningOf(status: number | undefined, error: unknown, key: string | undefined): Meaning {
  switch (status) {
    case 401:
      return unquoted(
        'authentication',
        key
          ? 'The chat server did not accept the key (401). Set CHAT_KEY to a key that is valid there.'
          : 'The chat server asks for a key (401). Set CHAT_KEY.',
      );
    case 403:
      return unquoted(
        'authentication',
        'The chat server does not allow this use (403). Check what the key in CHAT_KEY may do there.',
      );
    case 404:
      return quoted(
        'not_found',
        'The chat server knows no such model or address (404). Check CHAT_MODEL, and CHAT_URL, which often ends in /v1.',
      );
    case 408:
    case 504:
      return quoted(
        'timeout',
        `The chat server did not answer in time (${status}). Try again later.`,
      );
    case 413:
      return quoted('general', 'The chat is too long for the chat server (413). Send less of it.');
    case 429:
      return namesOf(error).includes('insufficient_quota')
        ? unquoted('rate_limit', 'The quota of the chat server is used up (429). Extend it there.')
        : unquoted('rate_limit', 'The chat server is asked too often (429). Try again later.');
  }
  const place = status === undefined ? 'while it answered' : `(${status})`;
  if (status !== undefined && status >= 300 && status < 400) {
    return unquoted(
      'general',
      `The chat server redirects to another address ${place}, which is not followed to protect the key. Set CHAT_URL to the final address.`,
    );
  }
  if (status === undefined || status >= 500) {
    return quoted('general', `The chat server failed ${place}. Try again later.`);
  }
  return quoted(
    'general',
    `The chat server refused the request ${place}. Check that the model can do what is asked, such as calling tools.`,
  );
}

function quoted(errorType: ChatErrorType, message: string): Meaning {
  return { errorType, message, isQuoted: true };
}

function unquoted(errorType: ChatErrorType, message: string): Meaning {
  return { errorType, message, isQuoted: false };
}

/** Returns the status that an error within an answer stands for; undefined if it names none. */
function statusOf(error: unknown): number | undefined {
  const { code, status } = asRecord(error);
  const numbers = [code, status].map((value) => Number(nameOf(value)));
  const names = namesOf(error);
  return (
    numbers.find((number) => number >= 400 && number < 600) ??
    STATUSES.find(([pattern]) => pattern.test(names))?.[1]
  );
}

/** Returns the names of an error as a text to search. */
function namesOf(error: unknown): string {
  const { code, type } = asRecord(error);
  return `${nameOf(code)} ${nameOf(type)}`.toLowerCase();
}

/** Servers send anything in the place of a name; one that is a text or a number is short. */
function nameOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return `${value}`.slice(0, MAX_NAME_LENGTH);
}

/** Returns the message of an error, which some servers send as a text without an object around it. */
function wordsOf(error: unknown): string {
  const { message, detail } = asRecord(error);
  return [error, message, detail].find((words) => typeof words === 'string') ?? '';
}

import { ChatError, type ChatErrorType } from './chat-error.js';

interface Failure {
  readonly codes: RegExp;
  readonly errorType: ChatErrorType;
  readonly message: string;
}

/** Failures by the error codes of Node.js, OpenSSL and undici, which `fetch` is made of. */
const FAILURES: readonly Failure[] = [
  {
    codes: /^ECONNREFUSED$/,
    errorType: 'connection',
    message: 'The chat server refused the connection. Start it, or correct CHAT_URL.',
  },
  {
    codes: /^(ENOTFOUND|EAI_\w+)$/,
    errorType: 'connection',
    message: 'The host of the chat server is unknown. Correct CHAT_URL, or check the name service.',
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    errorType: 'connection',
    message: 'The chat server could not be reached. Check CHAT_URL and the network between.',
  },
  {
    codes: /^(ERR_TLS_\w+|ERR_SSL_\w+|EPROTO|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+)$/,
    errorType: 'connection',
    message:
      'The TLS connection to the chat server failed. Check https in CHAT_URL and the certificate of the server.',
  },
  {
    codes: /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/,
    errorType: 'timeout',
    message: 'The chat server was silent for too long. Try again later.',
  },
  {
    codes: /^ERR_(STATUS|INTERIM)$/,
    errorType: 'general',
    message:
      'The chat server answered with a status that HTTP does not have, or with too many interim ones. Correct CHAT_URL, or update the server.',
  },
  {
    codes: /^ERR_CODING$/,
    errorType: 'connection',
    message:
      'The chat server compressed its answer, which was not asked for. Switch that off, there or in the proxy before it.',
  },
  {
    codes: /^ERR_BYTES$/,
    errorType: 'general',
    message:
      'The chat server sent too much in one answer, and little of it was text. Update the server, or the proxy before it.',
  },
  {
    codes: /^HPE_\w+$/,
    errorType: 'connection',
    message: 'The chat server did not answer in HTTP. Correct the port in CHAT_URL.',
  },
];

/** Returns the failure of a connection that broke, before the answer or within it. */
export function brokenConnection(cause?: unknown): ChatError {
  return new ChatError(
    'connection',
    'The connection to the chat server broke before the answer was complete. Ask again.',
    { cause },
  );
}

/** Returns an error of `fetch`, or of the body that it reads, as a `ChatError`; other errors as they are. */
export function networkError(error: unknown): unknown {
  if (!(error instanceof TypeError) || error.cause === undefined) return error;
  const code = codeOf(error.cause);
  const failure = FAILURES.find(({ codes }) => codes.test(code));
  if (!failure) return brokenConnection(error.cause);
  return new ChatError(failure.errorType, failure.message, { cause: error.cause });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

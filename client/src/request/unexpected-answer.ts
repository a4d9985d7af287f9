import type { MediaTypes } from '../contract/media-types.js';

const EXCERPT_LENGTH = 200;

/**
 * Thrown instead of returning a response that did not come from Roster, such as the HTML page of a
 * proxy, or that did not arrive whole. Like a network failure, it is not a response to the request.
 * Every `error` is therefore one that the contract documents.
 */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';

  constructor(
    /** The response. Its body has been read, and is in `body`. */
    readonly response: Response,
    /** The whole body, as text. */
    readonly body: string,
  ) {
    const mediaType = response.headers.get('Content-Type') ?? 'no media type';
    const excerpt = body.slice(0, EXCERPT_LENGTH).trim();
    super(
      `This is not a response from Roster: status ${response.status}, ${mediaType}, ${excerpt || 'no body'}. Check the base URL and any proxy.`,
    );
  }
}

/** An answer whose body has not been parsed. */
interface ReadAnswer {
  readonly data?: unknown;
  /** The body of a refusal: text, or what its JSON contains. */
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Returns the parsed answer of an operation.
 *
 * @param answer if it is to be JSON, its data is text, or undefined without a body
 * @throws UnexpectedAnswerError if the body is not JSON where JSON is due, or if an error is none that the operation
 *   documents
 */
export function parseAnswer(answer: ReadAnswer, isJson: boolean, { isForeign }: MediaTypes): ReadAnswer {
  const { data = '', error, response } = answer;
  const { ok, status } = response;
  const mediaType = response.headers.get('Content-Type') ?? '';
  if (ok) {
    if (status === 204 || !isJson) return answer;
    if (data === '' && isForeign) return { response };
    try {
      if (mediaType.includes('json')) return { data: JSON.parse(`${data}`), response };
    } catch {
      // It is refused below.
    }
    throw new UnexpectedAnswerError(response, `${data}`);
  }
  const isProblem = mediaType.startsWith('application/problem+json') && 'type' in Object(error);
  if (status === 304 || isProblem || (isForeign && status < 500)) return answer;
  throw new UnexpectedAnswerError(response, typeof error === 'object' ? JSON.stringify(error) : `${error ?? ''}`);
}

import type { Middleware } from 'openapi-fetch';

const EXCERPT_LENGTH = 200;

/**
 * Thrown instead of returning a response that did not come from Roster, such as the HTML page of a
 * proxy. Like a network failure, it is not a response to the request. Every `error` is therefore a
 * problem with a `type`, a `title` and a `detail`.
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
      `This is not a response from Roster: status ${response.status}, ${mediaType}${excerpt && `, ${excerpt}`}. ` +
        'Check the base URL, and what stands between the client and the service.',
    );
  }
}

/** Refuses a response that is neither a problem nor, where JSON is expected, JSON. */
export const refuseUnexpectedAnswers: Middleware = {
  async onResponse({ response, options }) {
    const mediaType = response.headers.get('Content-Type') ?? '';
    if (response.ok) {
      const isExpected = response.status === 204 || options.parseAs !== 'json' || mediaType.includes('json');
      if (!isExpected) {
        throw new UnexpectedAnswerError(response, await response.text());
      }
      return undefined;
    }
    if (response.status === 304) {
      return undefined;
    }
    const body = await response.clone().text();
    if (!mediaType.startsWith('application/problem+json') || !isProblem(body)) {
      throw new UnexpectedAnswerError(response, body);
    }
    return undefined;
  },
};

function isProblem(body: string): boolean {
  try {
    const document: unknown = JSON.parse(body);
    return typeof document === 'object' && document !== null && 'type' in document;
  } catch {
    return false;
  }
}

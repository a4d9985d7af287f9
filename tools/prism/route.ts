import { type PrismHttpComponents, ProblemJsonError } from '@stoplight/prism-http';
import router from '@stoplight/prism-http/dist/router/index.js';

const MALFORMED = { type: 'MALFORMED_ADDRESS', title: 'Malformed address', status: 400 };

/** Finds the operation of a request. An address such as `/%` is refused; Prism would end with an error. */
export const route: PrismHttpComponents['route'] = (options) => {
  try {
    decodeURIComponent(options.input.url.path);
  } catch {
    const detail = 'The address has a % that is not followed by the code of a character in UTF-8.';
    return { _tag: 'Left', left: ProblemJsonError.fromTemplate(MALFORMED, detail) };
  }
  return router.default(options);
};

import { type Case, sentValue, targetOf } from './case.js';
import type { HttpRequest } from './http.js';

/** The names and the key that complete a case. */
export interface Filled {
  /** The parameters of its address, by name. */
  path: Readonly<Record<string, string>>;
  /** True if every resource in the address exists. */
  isThere: boolean;
  /** True if the first resource in the address, the project, exists. */
  isProjectThere: boolean;
  authorization: string | undefined;
}

export function requestOf(
  made: Case,
  { path, authorization }: Pick<Filled, 'path' | 'authorization'>,
): HttpRequest {
  const target = targetOf(made);
  const address = target.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const query = made.parameters
    .filter((sent) => sent.in === 'query')
    .flatMap(({ name, value }) =>
      [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
    );
  const headers = target.parameters
    .filter(({ in: where }) => where === 'header')
    .flatMap(({ name }) => {
      const value = sentValue(made, 'header', name);
      return value === undefined ? [] : [[name, String(value)] as const];
    });
  const { body } = made;
  return {
    method: made.method,
    path: made.prefix + address + made.suffix + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: {
      ...made.headers,
      ...Object.fromEntries(headers),
      ...(authorization === undefined ? {} : { Authorization: authorization }),
      ...(body === undefined || body.mediaType === '' ? {} : { 'Content-Type': body.mediaType }),
    },
    body: body?.bytes,
  };
}

/** Returns the Authorization header alone. */
export function onlyKey(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { Authorization } = headers;
  return Authorization === undefined ? {} : { Authorization };
}

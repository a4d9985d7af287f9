import type { Middleware } from 'openapi-fetch';

/** A call that uses something deprecated, such as a field of its body. */
export interface DeprecatedCall {
  /** The method, such as `PUT`. */
  readonly method: string;
  /** The address, as written in the contract. */
  readonly path: string;
  /** The date since which it is deprecated (`Deprecation`, RFC 9745). */
  readonly deprecated: Date;
  /** The date from which the service may refuse it (`Sunset`, RFC 8594); undefined if it is not known. */
  readonly sunset: Date | undefined;
}

/**
 * Reports each call whose answer says that the request used something deprecated.
 * @param onDeprecated gets the call before its answer is returned
 */
export function reportDeprecation(onDeprecated: (call: DeprecatedCall) => void): Middleware {
  return {
    onResponse({ request, response, schemaPath }) {
      const deprecated = parseDate(response.headers.get('Deprecation'));
      if (!deprecated) return;
      const sunset = new Date(response.headers.get('Sunset') ?? '');
      onDeprecated({
        method: request.method,
        path: schemaPath,
        deprecated,
        sunset: Number.isNaN(sunset.getTime()) ? undefined : sunset,
      });
    },
  };
}

/** Returns a date in the form of RFC 9651, section 3.3.7: the seconds since 1970, after an `@`. */
function parseDate(value: string | null): Date | undefined {
  const [, seconds] = /^@(-?\d{1,11})$/.exec(value ?? '') ?? [];
  return seconds === undefined ? undefined : new Date(Number(seconds) * 1000);
}

/** Returns a function that warns on the console, once for each operation. */
export function warnOnce(): (call: DeprecatedCall) => void {
  const warned = new Set<string>();
  return ({ method, path, sunset }) => {
    const operation = `${method} ${path}`;
    if (warned.has(operation)) return;
    warned.add(operation);
    const until = sunset ? `; it works until ${sunset.toISOString().slice(0, 10)}` : '';
    console.warn(`roster-client: ${operation} is sent with something deprecated${until}`);
  };
}

import { parseJson } from '../../contract/json-record.js';
import type { Client, RawRequest } from '../../testkit/http/client.js';

export interface HttpRequest extends RawRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed text; undefined if it is not JSON. */
  json: unknown;
}

/** @throws {NoAnswer} */
export async function answerTo(client: Client, url: string, request: HttpRequest): Promise<Answer> {
  const { response, text } = await client.exchange(url, request);
  const { statusCode: status = 0, headersDistinct } = response;
  const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return { status, headers: new Headers(pairs), text, json: parseJson(text) };
}

/** Returns the command that sends a request again. */
export function writeCurl(url: string, { method, path, headers, body }: HttpRequest): string {
  const shownHeaders = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
  );
  const data = body === undefined ? [] : [`--data-binary ${quoted(body.toString())}`];
  const verb = method === 'HEAD' ? '-I' : `-X ${method}`;
  return ['curl -si --path-as-is', verb, quoted(url + path), ...shownHeaders, ...data].join(' ');
}

function quoted(text: string): string {
  if (/\p{Cc}/u.test(text)) {
    const escaped = text
      .replace(/[\\']/g, '\\$&')
      .replace(/\p{Cc}/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
    return `$'${escaped}'`;
  }
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

import { isDeepStrictEqual } from 'node:util';
import { violations } from '../../checked-fetch.js';
import type { World } from '../fixture.js';
import { type Answer, curlOf, type HttpRequest } from '../http.js';
import { recordOf } from '../values/schema.js';
import type { Kind } from './state.js';

/** A project of the service, which is asked what it was asked before, and what it then holds. */
export class Project {
  /** What was sent, as commands. */
  readonly sent: string[] = [];

  constructor(
    readonly world: World,
    readonly name: string,
  ) {}

  /** The address of a kind of resource, or of one of them. */
  address(kind: Kind, name?: string): string {
    const prefix = kind === 'models' ? '/api' : '';
    return `${prefix}/projects/${this.name}/${kind}${name === undefined ? '' : `/${name}`}`;
  }

  /**
   * Sends a request, and holds its answer against the contract.
   * @throws {Mismatch} if the answer is not what the contract declares, or has another status than expected
   */
  async ask(
    operationId: string,
    method: string,
    path: string,
    expected: readonly number[],
    body?: unknown,
  ): Promise<Answer> {
    const isText = typeof body === 'string';
    const request: HttpRequest = {
      method,
      path,
      headers: {
        Authorization: `Bearer ${this.world.keys.own}`,
        ...(body === undefined ? {} : { 'Content-Type': isText ? 'text/csv' : 'application/json' }),
      },
      body: body === undefined ? undefined : Buffer.from(isText ? body : JSON.stringify(body)),
    };
    this.sent.push(curlOf(this.world.url, request));
    const answer = await this.world.send(request, operationId);
    const { status, headers, text } = answer;
    const response = new Response(status === 204 ? null : text, { status, headers });
    const found = await violations(method, this.world.url + path, response);
    if (found.length > 0) throw new Mismatch(`${operationId}: ${found.join('\n')}`);
    if (!expected.includes(status)) {
      throw new Mismatch(
        `${operationId}: ${status}, not ${expected.join(' or ')}: ${text.slice(0, 500)}`,
      );
    }
    return answer;
  }
}

/** The service is not as the model of it. */
export class Mismatch extends Error {}

/** @throws {Mismatch} if what is shown has other fields than those expected; moments are not looked at */
export function compare(what: string, shown: unknown, expected: unknown): void {
  if (isDeepStrictEqual(within(shown, expected), expected)) return;
  throw new Mismatch(
    `${what}: shows ${JSON.stringify(shown).slice(0, 800)}, not ${JSON.stringify(expected).slice(0, 800)}`,
  );
}

/** What is shown, with no other fields than those that are expected. */
function within(shown: unknown, expected: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(expected)) {
    return shown.map((one, at) => within(one, expected[at]));
  }
  if (!Object.hasOwn(recordOf(expected), 'id')) return shown;
  const fields = Object.keys(recordOf(expected)).map((name) => [
    name,
    within(recordOf(shown)[name], recordOf(expected)[name]),
  ]);
  return Object.fromEntries(fields);
}

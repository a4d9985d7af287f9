import { isDeepStrictEqual } from 'node:util';
import { recordOf } from '../../../testkit/json.js';
import { brokenPromises } from '../checks/expectations.js';
import type { Fixture } from '../fixture.js';
import { type Answer, curlOf, type HttpRequest } from '../http.js';
import type { Kind } from './state.js';

/** A project of the service, which gets the same commands as the model, and is compared with it. */
export class Project {
  /** The sent requests, as commands. */
  readonly sent: string[] = [];

  constructor(
    readonly fixture: Fixture,
    readonly name: string,
  ) {}

  /** Returns the address of a kind of resource, or of a single one. */
  address(kind: Kind, name?: string): string {
    const prefix = kind === 'models' ? '/api' : '';
    return `${prefix}/projects/${this.name}/${kind}${name === undefined ? '' : `/${name}`}`;
  }

  /**
   * Sends a request, and checks its answer against the contract.
   * @throws {Mismatch} if the answer violates the contract, or has an unexpected status
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
        Authorization: `Bearer ${this.fixture.keys.own}`,
        ...(body === undefined ? {} : { 'Content-Type': isText ? 'text/csv' : 'application/json' }),
      },
      body: body === undefined ? undefined : Buffer.from(isText ? body : JSON.stringify(body)),
    };
    this.sent.push(curlOf(this.fixture.url, request));
    const answer = await this.fixture.send(request, operationId);
    const { status, text } = answer;
    const found = await brokenPromises(this.fixture.url, request, answer);
    if (found.length > 0) throw new Mismatch(`${operationId}: ${found.join('\n')}`);
    if (!expected.includes(status)) {
      throw new Mismatch(
        `${operationId}: ${status}, not ${expected.join(' or ')}: ${text.slice(0, 500)}`,
      );
    }
    return answer;
  }
}

/** The service differs from the model. */
export class Mismatch extends Error {}

/** @throws {Mismatch} if the shown resource differs in an expected field; timestamps are ignored */
export function compare(what: string, shown: unknown, expected: unknown): void {
  if (isDeepStrictEqual(withContext(shown, expected), expected)) return;
  throw new Mismatch(
    `${what}: shows ${JSON.stringify(shown).slice(0, 800)}, not ${JSON.stringify(expected).slice(0, 800)}`,
  );
}

/** Returns the shown value with only the expected fields. */
function withContext(shown: unknown, expected: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(expected)) {
    return shown.map((one, at) => withContext(one, expected[at]));
  }
  if (!Object.hasOwn(recordOf(expected), 'id')) return shown;
  const fields = Object.keys(recordOf(expected)).map((name) => [
    name,
    withContext(recordOf(shown)[name], recordOf(expected)[name]),
  ]);
  return Object.fromEntries(fields);
}

import { isDeepStrictEqual } from 'node:util';
import { asRecord } from '../../../contract/json-record.js';
import type { Sent } from '../case.js';
import { brokenPromises } from '../checks/expectations.js';
import type { Fixture } from '../fixture.js';
import { type Answer, type HttpRequest, writeCurl } from '../http.js';
import { listPathParameters, targetNamed } from '../operations.js';

/** The parts of a request; the name is that of a resource in the address. */
interface Asked {
  readonly name?: string | undefined;
  readonly query?: readonly Sent[];
  readonly body?: unknown;
}

/** A project of the service, which gets the same commands as the model, and is compared with it. */
export class Project {
  /** The sent requests, as commands. */
  readonly sent: string[] = [];

  constructor(
    readonly fixture: Fixture,
    readonly name: string,
  ) {}

  /** Returns a request to an operation on the project, or on a resource in it. */
  request(id: string, { name = '', query, body }: Asked): HttpRequest {
    const target = targetNamed(id);
    const [project = '', resource = ''] = listPathParameters(target);
    return this.fixture.requestTo(target, { [project]: this.name, [resource]: name }, body, query);
  }

  /**
   * Sends a request, and checks its answer against the contract.
   * @throws {Mismatch} if the answer violates the contract, or has an unexpected status
   */
  async send(id: string, request: HttpRequest, ...expected: readonly number[]): Promise<Answer> {
    this.sent.push(writeCurl(this.fixture.url, request));
    const answer = await this.fixture.send(request, id);
    const { status, text } = answer;
    const found = await brokenPromises(this.fixture.url, request, answer);
    if (found.length > 0) throw new Mismatch(`${id}: ${found.join('\n')}`);
    if (!expected.includes(status)) {
      throw new Mismatch(`${id}: ${status}, not ${expected.join(' or ')}: ${text.slice(0, 500)}`);
    }
    return answer;
  }

  ask(id: string, asked: Asked, ...expected: readonly number[]): Promise<Answer> {
    return this.send(id, this.request(id, asked), ...expected);
  }
}

/** The service differs from the model. */
export class Mismatch extends Error {}

/** @throws {Mismatch} if the shown resource differs in an expected field; timestamps are ignored */
export function compare(what: string, shown: unknown, expected: unknown): void {
  if (isDeepStrictEqual(pickExpected(shown, expected), expected)) return;
  throw new Mismatch(
    `${what}: shows ${JSON.stringify(shown).slice(0, 800)}, not ${JSON.stringify(expected).slice(0, 800)}`,
  );
}

/** Returns the shown value with only the expected fields. */
function pickExpected(shown: unknown, expected: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(expected)) {
    return shown.map((one, at) => pickExpected(one, expected[at]));
  }
  if (!Object.hasOwn(asRecord(expected), 'id')) return shown;
  const fields = Object.keys(asRecord(expected)).map((name) => [
    name,
    pickExpected(asRecord(shown)[name], asRecord(expected)[name]),
  ]);
  return Object.fromEntries(fields);
}

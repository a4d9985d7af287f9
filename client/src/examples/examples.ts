import type { ExampleChoices, OperationId } from './choices.js';
import { exampleResponse, methodNotAllowed, unknownAddress } from './example-response.js';
import { type AnyChoice, checkOperation, findExample } from './find-example.js';
import { listMethods, operationsAt } from './find-operation.js';

/** A function in place of the global `fetch`. */
export type ExampleFetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** A chooser without the types of its operation. */
type Chooser = (request: Request) => Chosen | Promise<Chosen>;
type Chosen = AnyChoice | Response | undefined;

/**
 * Returns a `fetch` that answers each operation with an example of the contract: the one that was chosen, or the
 * first of success. It sends nothing, keeps nothing, and does not check requests.
 *
 * @throws TypeError with the possible choices if there is no such operation, status or example
 * @example
 * const roster = createRosterClient({
 *   baseUrl: 'http://roster.test',
 *   fetch: examples({ getModel: 'failed', createSkill: 409 }),
 * });
 */
export function examples(choices: ExampleChoices = {}): ExampleFetch {
  const choosers = createChoosers(choices);
  return async (input, init) => {
    const request = toRequest(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const address = operationsAt(new URL(request.url).pathname);
    if (address === undefined) return unknownAddress(request);
    const id = address.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (id === undefined) {
      return request.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: { Allow: listMethods(address) } })
        : methodNotAllowed(request, address);
    }
    const chosen = await untilAborted(signal, choosers.get(id)?.(request));
    return chosen instanceof Response ? chosen : exampleResponse(request, id, findExample(id, chosen));
  };
}

function createChoosers(choices: ExampleChoices): Map<OperationId, Chooser> {
  const choosers = new Map<OperationId, Chooser>();
  for (const [id, choice] of Object.entries(choices)) {
    checkOperation(id);
    if (choice !== undefined) choosers.set(id, createChooser(id, choice));
  }
  return choosers;
}

function createChooser(id: OperationId, choice: AnyChoice | readonly AnyChoice[] | Chooser): Chooser {
  if (typeof choice === 'function') return choice;
  const sequence = isSequence(choice) ? choice : [choice];
  if (sequence.length === 0) throw new TypeError(`The sequence of ${id} is empty.`);
  for (const each of sequence) findExample(id, each);
  let next = 0;
  return () => sequence[Math.min(next++, sequence.length - 1)];
}

function isSequence(choice: AnyChoice | readonly AnyChoice[]): choice is readonly AnyChoice[] {
  return Array.isArray(choice);
}

/** A relative address is one of this page; without a page, of localhost. */
function toRequest(input: RequestInfo | URL, init?: RequestInit): Request {
  if (input instanceof Request) return init === undefined ? input : new Request(input, init);
  const base = typeof document === 'undefined' ? 'http://localhost' : document.baseURI;
  return new Request(new URL(input, base), init);
}

function untilAborted<Value>(signal: AbortSignal, value: Value | Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    Promise.resolve(value).then(resolve, reject);
  });
}

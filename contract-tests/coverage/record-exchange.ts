import { allOperations, contract } from '../../testkit/openapi/document.js';
import { operationAt } from '../../testkit/openapi/operation-at.js';
import {
  type Documented,
  documentedAnswers,
  keptByAnswer,
  keptByRequest,
  promisesOfRequest,
  readMediaType,
} from './promises.js';
import { isRecorded, isWanted, record } from './records.js';

/** The length of the longest example of a body, in bytes. */
const MAX_RECORDED_BYTES = 4096;

const documented = documentedAnswers(contract, allOperations);

/**
 * Returns the beginning of a request's body, which is enough to recognise an example of the contract. The
 * request can still be sent. Empty if no example is missing from the records: a copy of the body costs much.
 */
export async function readBeginning(request: Request): Promise<string> {
  if (request.body === null || !isExampleMissing(request)) return '';
  const reader = request.clone().body?.getReader();
  const first: unknown = (await reader?.read())?.value;
  // Not awaited: it settles when the other half of the body ends.
  void reader?.cancel();
  return first instanceof Uint8Array ? new TextDecoder().decode(first.subarray(0, MAX_RECORDED_BYTES)) : '';
}

function isExampleMissing({ method, url, headers }: Request): boolean {
  const operation = operationAt(method, new URL(url).pathname);
  if (operation === undefined) return false;
  const sent = readMediaType(headers);
  const examples = promisesOfRequest(operation).filter(({ mediaType }) => mediaType === sent);
  return isWanted(examples.map(({ id }) => id));
}

/** Records which promises of the contract an exchange with the server has exercised. */
export function recordExchange(
  request: { method: string; url: string; headers: Headers; sent: string },
  answer: { status: number; headers: Headers; body: string },
): void {
  const { method, headers, sent } = request;
  // The answer to HEAD has no body, and does not exercise the promises of GET.
  if (method === 'HEAD' || !isRecorded()) return;
  const url = new URL(request.url);
  const operation = operationAt(method, url.pathname);
  if (operation !== undefined) {
    record(keptByRequest(operation, { url, requestHeaders: headers, sent, ...answer }));
  }
  const found = documented.find(({ of, status }) => of === operation?.id && status === `${answer.status}`);
  if (found !== undefined) record(keptByAnswer(found, answer));
  else recordSharedAnswer(answer);
}

/** Records an answer that belongs to no operation, such as the one to malformed HTTP. */
export function recordSharedAnswer(answer: { status: number; headers: Headers; body: string }) {
  const found = documented.find(({ of, status }) => isShared(of) && status === `${answer.status}`);
  if (found !== undefined) record(keptByAnswer(found, answer));
}

function isShared(of: Documented['of']): boolean {
  return allOperations.every(({ id }) => id !== of);
}

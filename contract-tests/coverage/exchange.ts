import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../testkit/json.js';
import type { Operation } from '../../testkit/openapi/document.js';
import { likenessOf } from './likeness.js';
import {
  answerExamples,
  type Documented,
  exampleId,
  faultId,
  headerId,
  parameterExamples,
  parameterId,
  requestExamples,
  requestId,
  statusId,
} from './promises.js';

/** A request and its answer, as they were sent. */
export interface Exchange {
  readonly url: URL;
  readonly requestHeaders: Headers;
  /** The body of the request, or its beginning if it is long. */
  readonly sent: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * The length of the longest example, in characters. Longer bodies need no comparison; of text the first line is
 * compared.
 */
const MAX_EXAMPLE_LENGTH = 20_000;

/** Returns the ids of the promises of the contract about an answer that this one has kept. */
export function keptByAnswer(
  answer: Documented,
  { headers, body }: Pick<Exchange, 'headers' | 'body'>,
): string[] {
  const { response } = answer;
  const sentHeaders = response
    .entries('headers')
    .filter(([name]) => headers.has(name))
    .map(([name]) => headerId(answer, name));
  return [statusId(answer), ...sentHeaders, ...likeExamples(answer, headers, body)];
}

function likeExamples(answer: Documented, headers: Headers, body: string): string[] {
  const mediaType = mediaTypeOf(headers);
  const isText = /^text\/(?!event-stream)/.test(mediaType);
  if (body === '' || (body.length > MAX_EXAMPLE_LENGTH && !isText)) return [];
  const { whole, faults } = likenessOf(mediaType, body);
  const like = answerExamples(answer.response).filter(
    (example) => example.mediaType === mediaType && example.likeness.whole === whole,
  );
  return [...like.map(({ name }) => exampleId(answer, name)), ...faults.map(faultId)];
}

/** The statuses with which an operation answers only after it has parsed all parameters. */
const UNDERSTOOD = [304, 404, 409, 412, 422];

/** Returns the ids of the examples that the operation has accepted as a body, or parsed as a parameter. */
export function keptByRequest(operation: Operation, exchange: Exchange): string[] {
  const { status, requestHeaders, sent } = exchange;
  const isDone = status >= 200 && status < 300;
  if (!isDone && !UNDERSTOOD.includes(status)) return [];
  const mediaType = mediaTypeOf(requestHeaders);
  const bodies = isDone
    ? requestExamples(operation).filter(
        (example) => example.mediaType === mediaType && beginsWith(sent, example.value),
      )
    : [];
  const parameters = parameterExamples(operation).filter((example) =>
    isDeepStrictEqual(
      parameterOf(operation, exchange, example),
      [example.value].flat().map(String),
    ),
  );
  return [
    ...bodies.map(({ name }) => requestId(operation.id, name)),
    ...parameters.map(({ parameter, name }) => parameterId(operation.id, parameter, name)),
  ];
}

/**
 * Returns whether a body begins with an example: the examples of tables show the first lines or rows of those that are
 * sent.
 */
function beginsWith(sent: string, example: unknown): boolean {
  if (typeof example === 'string') return sent.startsWith(example);
  const text = JSON.stringify(example);
  if (Array.isArray(example) && sent.startsWith(`${text.slice(0, -1)},`)) return true;
  return isDeepStrictEqual(parseJson(sent), example);
}

function parameterOf(
  { path }: Operation,
  { url, requestHeaders }: Exchange,
  { in: place, parameter }: { in: string; parameter: string },
): string[] {
  if (place === 'query') return url.searchParams.getAll(parameter);
  if (place === 'header') return [requestHeaders.get(parameter) ?? ''];
  const steps = url.pathname.replace(/\/$/, '').split('/').reverse();
  const at = path.split('/').reverse().indexOf(`{${parameter}}`);
  return [decodeURIComponent(steps[at] ?? '')];
}

/** Returns the media type of a body, without its parameters. */
export function mediaTypeOf(headers: Headers): string {
  return headers.get('Content-Type')?.split(';')[0] ?? '';
}

import type { Readable } from 'node:stream';
import type { DEFERRED_BODIES, RAW_JSON_BODIES } from '../../generated/contract.js';
import type { operations as Operations } from '../../generated/openapi.js';
import type { Caller } from '../auth/caller.js';
import type { Resource } from '../auth/resource.js';
import type { Charset } from '../edge/request.js';
import type { RawJson, TextBody } from './body/parse-body.js';
import type { DeferredBody } from './body/read-body.js';
import type { ByteStream, EventStream, JsonText, PlainText } from './reply/send.js';

export type OperationId = keyof Operations;

type Content<R> = R extends { content: infer C } ? C : never;

/** The declared keys, without the index signature that the generator adds. */
type Declared<H> = { [K in keyof H as string extends K ? never : K]: H[K] };

/** Headers that are set for every operation, outside its handler. */
type SetElsewhere =
  | 'X-Request-Id'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'X-Accel-Buffering'
  | 'Deprecation'
  | 'Sunset'
  | 'Vary';

/** Headers that are sent only where they apply: a repetition, a next page, warnings, a calibration that truths moved, a session. */
type Optional = 'Idempotent-Replayed' | 'Link' | 'Row-Warnings' | 'Model-Calibration' | 'Mcp-Session-Id';

/** The headers that a response must or may set. In the generated types, a header behind a `$ref` is never optional. */
type Headers<R> = R extends { headers: infer H }
  ? Omit<Declared<H>, SetElsewhere | Optional> & Partial<Pick<Declared<H>, Optional & keyof Declared<H>>>
  : never;

type HeaderPart<H> = [keyof H] extends [never]
  ? { headers?: never }
  : Record<never, never> extends H
    ? { headers?: H }
    : { headers: H };

type BodyPart<R> = [Content<R>] extends [never]
  ? { body?: undefined }
  : Content<R> extends { 'text/plain': string } | { 'text/html': string }
    ? { body: PlainText }
    : { body: BodyIn<Content<R>> };

/** A body in one of the media types of a response. */
type BodyIn<C> = {
  [M in keyof C]: M extends 'text/event-stream'
    ? EventStream
    : M extends 'application/json'
      ? C[M] | JsonText<C[M]>
      : ByteStream;
}[keyof C];

/** The statuses of an answer: 2xx, 304, and 303, and those of errors that are pages, or JSON of another kind than a problem. */
type Answered<R> = {
  [S in keyof R]: S extends number
    ? `${S}` extends `2${string}` | '303' | '304'
      ? S
      : Content<R[S]> extends { 'application/json': unknown } | { 'text/html': unknown }
        ? S
        : never
    : never;
}[keyof R];

/**
 * A response of an operation other than a problem: a status that the contract declares, with the body and the
 * headers declared for it. Problems are thrown.
 */
export type Reply<O extends OperationId> = {
  [S in Answered<Operations[O]['responses']>]: { status: S } & BodyPart<
    Operations[O]['responses'][S & keyof Operations[O]['responses']]
  > &
    HeaderPart<Headers<Operations[O]['responses'][S & keyof Operations[O]['responses']]>>;
}[Answered<Operations[O]['responses']>];

declare const sent: unique symbol;

/** A reply that was checked by `reply()`, where TypeScript also refuses excess fields. */
export interface Sent<O extends OperationId> {
  readonly [sent]: O;
}

type Parameters<O extends OperationId, In extends string> = Operations[O]['parameters'] extends {
  [K in In]?: infer P;
}
  ? NonNullable<P>
  : Record<never, never>;

/** A JSON body is parsed, and a text is decoded; a body of any other media type is passed as a stream of its bytes. */
type BodyOf<C> = {
  [M in keyof C]: M extends 'application/json'
    ? C[M]
    : M extends 'application/x-www-form-urlencoded'
      ? C[M]
      : M extends 'text/csv'
        ? Readable
        : M extends `text/${string}`
          ? TextBody<M>
          : Readable;
}[keyof C];

/** A body whose JSON comes with its bytes. */
type RawBody<C> = {
  [M in keyof C]: M extends 'application/json' ? RawJson<C[M]> : BodyOf<Pick<C, M>>;
}[keyof C];

type Body<O extends OperationId> = Operations[O] extends { requestBody: { content: infer C } }
  ? O extends (typeof DEFERRED_BODIES)[number]
    ? DeferredBody<keyof C & string>
    : O extends (typeof RAW_JSON_BODIES)[number]
      ? RawBody<C>
      : BodyOf<C>
  : undefined;

/** A validated request. */
export interface Input<O extends OperationId> {
  readonly params: Parameters<O, 'path'>;
  readonly query: Parameters<O, 'query'>;
  /** The headers that the operation declares, spelled as in the contract. */
  readonly headers: Parameters<O, 'header'>;
  readonly body: Body<O>;
  /** The sender of the request; a caller who owns nothing if the operation is open to all. */
  readonly caller: Caller;
  /** The IP address of the peer, which may be a proxy; empty if the connection has closed. */
  readonly address: string;
  /** The prefix before the paths of the contract, as the caller used it: '' or a path such as '/api'. */
  readonly base: string;
  /** The path and the query of the address, as they were sent. */
  readonly url: string;
  /** The resource that a token of OAuth has to be for; undefined if none is good. */
  readonly resource: Resource | undefined;
  /** The id of the request, as in the header `X-Request-Id` and in the log. */
  readonly requestId: string;
  /** The media type of the response that the caller prefers among those of the operation. */
  readonly answerType: string;
  /** Returns whether the caller also takes another media type as the response. */
  accepts(mediaType: string): boolean;
  /** The media type of the body; empty if there is none. */
  readonly mediaType: string;
  /** The encoding that the body is in; UTF-8 for all but CSV. */
  readonly charset: Charset | undefined;
  /** Aborted when the response was sent, or can no longer be sent. Made when it is read, as `signal` is: `...rest` has neither. */
  readonly responseClosed: AbortSignal;
  /**
   * Aborted with a problem when nobody waits for the answer any more, or when it may not be given:
   * the caller has gone, the key was revoked, or the service stops.
   */
  readonly signal: AbortSignal;
  /**
   * Counts the request among the answers of agents, whose room it takes from here on.
   * @throws {ProblemError} if they have no room
   */
  joinAnswers(): void;
  /** Returns the reply, checked against the contract's types. */
  readonly reply: (reply: Reply<O>) => Sent<O>;
}

/** Carries out an operation. It replies, or throws a problem. */
export type Handler<O extends OperationId> = (input: Input<O>) => Sent<O> | Promise<Sent<O>>;

/** One handler per operation of the contract: a missing or unknown one does not compile. */
export type Handlers = { readonly [O in OperationId]: Handler<O> };

import type { Readable } from 'node:stream';
import type { DEFERRED_BODIES, RAW_JSON_BODIES } from '../../generated/contract.js';
import type { components, operations } from '../../generated/openapi.js';
import type { Caller } from '../auth/caller.js';
import type { ProblemError } from '../problems/problem.js';
import type { TextBody, UnparsedJson } from './body/parse-body.js';
import type { DeferredBody } from './body/read-body.js';

type Operations = operations;

/** The operationIds of the contract. */
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
  | 'Sunset';

/** Headers that are sent only where they apply: a next page, warnings. */
type Optional = 'Link' | 'Row-Warnings';

/** The headers that a response must or may set. In the generated types, a header behind a `$ref` is never optional. */
type Headers<R> = R extends { headers: infer H }
  ? Omit<Declared<H>, SetElsewhere | Optional> &
      Partial<Pick<Declared<H>, Optional & keyof Declared<H>>>
  : never;

type HeaderPart<H> = [keyof H] extends [never]
  ? { headers?: never }
  : Record<never, never> extends H
    ? { headers?: H }
    : { headers: H };

type BodyPart<R> = [Content<R>] extends [never]
  ? { body?: undefined }
  : Content<R> extends { 'text/plain': string }
    ? { body: PlainText }
    : { body: BodyIn<Content<R>> };

/** A body in one of the media types of a response. */
type BodyIn<C> = {
  [M in keyof C]: M extends 'application/x-ndjson'
    ? JsonLines | ByteStream
    : M extends 'text/event-stream'
      ? EventStream
      : M extends 'application/json'
        ? C[M] | JsonText<C[M]>
        : ByteStream;
}[keyof C];

type Success<S> = S extends number ? (`${S}` extends `2${string}` | '304' ? S : never) : never;

/**
 * A response of an operation other than an error: a status that the contract declares (2xx or 304),
 * with the body and the headers declared for it. Errors are thrown as problems.
 */
export type Reply<O extends OperationId> = {
  [S in Success<keyof Operations[O]['responses']>]: { status: S } & BodyPart<
    Operations[O]['responses'][S & keyof Operations[O]['responses']]
  > &
    HeaderPart<Headers<Operations[O]['responses'][S & keyof Operations[O]['responses']]>>;
}[Success<keyof Operations[O]['responses']>];

declare const sent: unique symbol;

/** A reply that was checked by `reply()`, where TypeScript also refuses excess fields. */
export interface Sent<O extends OperationId> {
  readonly [sent]: O;
}

/**
 * Serialized JSON, in pieces that together form one document of type `T`. For responses that are
 * too large to be built as objects, or that are read while they are written. Other requests are
 * served between two portions. A piece of bytes is UTF-8 and a portion of its own, and must not be
 * changed any more.
 */
export class JsonText<
  T,
  Pieces extends Iterable<string | Uint8Array> | AsyncIterable<string> =
    | Iterable<string | Uint8Array>
    | AsyncIterable<string>,
> {
  declare readonly content: T;

  constructor(readonly pieces: Pieces) {}
}

/**
 * Lines of JSON (NDJSON) that are sent in blocks, as they are produced. Bytes are whole lines, each
 * with its line end. A problem becomes the line `{"problem": …}`, and further lines may follow. An
 * empty block signals progress without a line. A thrown error ends the lines with a last line that
 * reports it.
 */
export class JsonLines {
  constructor(readonly blocks: AsyncIterable<readonly (Uint8Array | ProblemError)[]>) {}
}

/** A piece of a `ByteStream`. */
export type StreamPiece =
  | Uint8Array
  /** Input was read that gives no bytes yet. */
  | 'progress'
  /** Fields for the header if no bytes came before, else for the trailer. */
  | { readonly fields: Readonly<Record<string, string>> };

export interface ByteStreamOptions {
  /** Whether the body is a stream, too, with its time limits. */
  readonly isStream: boolean;
  /** Whether the bytes are lines of JSON, so that the last one can tell of a fault. */
  readonly areLines: boolean;
  /** The field that may come after the bytes (RFC 9110, section 6.6.2). */
  readonly trailer?: string | undefined;
}

/**
 * Bytes of any media type, sent as they are produced. An error before the first piece is answered
 * with its problem. After that, it is the last line if the bytes are lines; else the connection is closed, so
 * that nobody takes a part for the whole.
 */
export class ByteStream {
  constructor(
    readonly mediaType: string,
    readonly pieces: AsyncIterable<StreamPiece>,
    readonly options: ByteStreamOptions,
  ) {}
}

/** An event of a streamed answer. */
export type AgentEvent = components['schemas']['AgentEvent'];

/**
 * Server-sent events, each sent as it is produced. The source reports its own failures as events;
 * it ends early when the request's `signal` is aborted.
 */
export class EventStream {
  constructor(readonly events: AsyncIterable<AgentEvent>) {}
}

/**
 * Text of a media type other than JSON, with its parameters, such as `text/plain; version=0.0.4`.
 * A text in pieces may be large: other requests are served between two portions of it.
 */
export class PlainText {
  constructor(
    readonly mediaType: string,
    readonly text: string | readonly string[],
  ) {}
}

type Parameters<O extends OperationId, In extends string> = Operations[O]['parameters'] extends {
  [K in In]?: infer P;
}
  ? NonNullable<P>
  : Record<never, never>;

/**
 * A JSON body is parsed, and a text is decoded; a body of any other media type is passed as a stream
 * of its bytes.
 */
type BodyOf<C> = {
  [M in keyof C]: M extends 'application/json'
    ? C[M]
    : M extends 'text/csv'
      ? Readable
      : M extends `text/${string}`
        ? TextBody<M>
        : Readable;
}[keyof C];

type UnparsedBody<O, C> = O extends (typeof RAW_JSON_BODIES)[number]
  ? C extends { 'application/json': infer B }
    ? UnparsedJson<B>
    : never
  : never;

type Body<O extends OperationId> = Operations[O] extends { requestBody: { content: infer C } }
  ? O extends (typeof DEFERRED_BODIES)[number]
    ? DeferredBody<keyof C & string>
    : BodyOf<C> | UnparsedBody<O, C>
  : undefined;

/** The parts of a validated request. */
export interface Input<O extends OperationId> {
  readonly params: Parameters<O, 'path'>;
  readonly query: Parameters<O, 'query'>;
  /** The headers that the operation declares, spelled as in the contract. */
  readonly headers: Parameters<O, 'header'>;
  readonly body: Body<O>;
  /** The sender of the request; a caller who owns nothing if the operation is open to all. */
  readonly caller: Caller;
  /**
   * The prefix before the paths of the contract, as the caller used it: '' or a path such as
   * '/api'.
   */
  readonly base: string;
  /** The id of the request, as in the header `X-Request-Id` and in the log. */
  readonly requestId: string;
  /** The media type of the response that the caller prefers among those of the operation. */
  readonly answerType: string;
  /** The media type of the body; empty if there is none. */
  readonly mediaType: string;
  /** Aborted when the response was sent, or can no longer be sent. Made when it is read, as `signal` is: `...rest` has neither. */
  readonly closed: AbortSignal;
  /**
   * Aborted with a problem when nobody waits for the answer any more, or when it may not be given:
   * the caller has gone, the key was revoked, or the service stops.
   */
  readonly signal: AbortSignal;
  /** Returns the reply, checked against the contract's types. */
  readonly reply: (reply: Reply<O>) => Sent<O>;
}

/** Carries out an operation. It replies, or throws a problem. */
export type Handler<O extends OperationId> = (input: Input<O>) => Sent<O> | Promise<Sent<O>>;

/** One handler per operation of the contract: a missing or unknown one does not compile. */
export type Handlers = { readonly [O in OperationId]: Handler<O> };

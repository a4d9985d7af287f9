import type { Readable } from 'node:stream';
import type { DEFERRED_BODIES } from '../../generated/contract.js';
import type { operations } from '../../generated/openapi.js';
import type { Caller } from '../auth/caller.js';
import type { ProblemError } from '../problems/problem.js';
import type { DeferredBody } from './body/deferred-body.js';

type Operations = operations;

/** The operationIds of the contract. */
export type OperationId = keyof Operations;

type Content<R> = R extends { content: infer C } ? C : never;

/** The keys that are declared, without the index signature that the generator adds. */
type Declared<H> = { [K in keyof H as string extends K ? never : K]: H[K] };

/** Headers that are set on the way, for every operation alike. */
type SetElsewhere = 'X-Request-Id' | 'RateLimit' | 'RateLimit-Policy';

/** Headers that are sent where there is something to tell: a next page, a warning. */
type Optional = 'Link' | 'Row-Warnings';

/** The headers that an answer must or may set. The generator forgets that a header behind a `$ref` is optional. */
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

/** A body in one of the media types that an answer has. */
type BodyIn<C> = {
  [M in keyof C]: M extends 'application/x-ndjson' ? JsonLines : C[M] | JsonText<C[M]>;
}[keyof C];

type Success<S> = S extends number ? (`${S}` extends `2${string}` | '304' ? S : never) : never;

/**
 * A successful answer of an operation, or that there is nothing new: a status that the contract declares, with the body and the
 * headers that it declares for it. An answer that fails is a thrown problem.
 */
export type Reply<O extends OperationId> = {
  [S in Success<keyof Operations[O]['responses']>]: { status: S } & BodyPart<
    Operations[O]['responses'][S & keyof Operations[O]['responses']]
  > &
    HeaderPart<Headers<Operations[O]['responses'][S & keyof Operations[O]['responses']]>>;
}[Success<keyof Operations[O]['responses']>];

declare const sent: unique symbol;

/** A reply that went through `reply()`, where TypeScript refuses excess fields too. */
export interface Sent<O extends OperationId> {
  readonly [sent]: O;
}

/**
 * JSON that is written already, in pieces that together are one document of type `T`: for answers
 * too large to be built as objects first, or that are read as they are written. Other requests are served
 * between two portions. A piece of bytes is UTF-8, and a portion by itself; it is not changed any more.
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
 * Lines of JSON (NDJSON) that are sent as they are made, in blocks. Bytes are lines already, each with its
 * end; a problem becomes the line `{"problem": …}`, and the lines go on after it. An empty block says that
 * there is progress, though no line of it yet. What is thrown ends the lines with a last one that says so.
 */
export class JsonLines {
  constructor(readonly blocks: AsyncIterable<readonly (Uint8Array | ProblemError)[]>) {}
}

/** Text of another media type than JSON, with its parameters, such as `text/plain; version=0.0.4`. */
export class PlainText {
  constructor(
    readonly mediaType: string,
    readonly text: string,
  ) {}
}

type Parameters<O extends OperationId, In extends string> = Operations[O]['parameters'] extends {
  [K in In]?: infer P;
}
  ? NonNullable<P>
  : Record<never, never>;

/** A JSON body is parsed; a body of any other media type is handed over as a stream of its bytes. */
type BodyOf<C> = { [M in keyof C]: M extends 'application/json' ? C[M] : Readable }[keyof C];

type Body<O extends OperationId> = Operations[O] extends { requestBody: { content: infer C } }
  ? O extends (typeof DEFERRED_BODIES)[number]
    ? DeferredBody<keyof C & string>
    : BodyOf<C>
  : undefined;

/** What a handler is given: the parts of a request that has passed validation. */
export interface Input<O extends OperationId> {
  readonly params: Parameters<O, 'path'>;
  readonly query: Parameters<O, 'query'>;
  /** The headers that the operation declares, as the contract spells them. */
  readonly headers: Parameters<O, 'header'>;
  readonly body: Body<O>;
  /** Who sends the request; an owner of nothing, where the operation is open to all. */
  readonly caller: Caller;
  /** The prefix before the addresses of the contract, as the caller used it: '' or such as '/api'. */
  readonly base: string;
  /** Makes the reply, typed by the contract. */
  readonly reply: (reply: Reply<O>) => Sent<O>;
}

/** Does what the operation says. It replies, or throws a problem. */
export type Handler<O extends OperationId> = (input: Input<O>) => Sent<O> | Promise<Sent<O>>;

/** One handler for each operation of the contract: a missing or an unknown one does not compile. */
export type Handlers = { readonly [O in OperationId]: Handler<O> };

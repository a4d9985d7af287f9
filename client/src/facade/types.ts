import type { operations, paths } from '../../../generated/openapi.js';
import type { Problem } from '../contract/problems.js';
import type { AgentEvent } from '../contract/resources.js';

type OperationId = keyof operations;

/** A body that is sent as it is: text, a Blob such as a File, or a stream. */
export type Bytes = string | Blob | ReadableStream<Uint8Array>;

/** Options of every method. */
export interface CallOptions {
  /** Cancels the request. */
  signal?: AbortSignal | null | undefined;
}

/** The outcome of a request: its data or its problem, and the response with its headers. */
export type Result<Data, Failure> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Failure; response: Response };

/**
 * A request. Awaited, it returns the data, or throws the problem as a `ProblemError`. A change is sent at once, and its
 * failure is seen only by code that awaits it.
 */
export interface Call<Data, Failure extends Problem> extends Promise<Data> {
  /** Returns the data or the problem, which is not thrown, and the response. */
  result(): Promise<Result<Data, Failure>>;
}

/** A request that changes nothing. It is sent when it is awaited. */
export interface Read<Data, Failure extends Problem> extends Call<Data, Failure> {
  readonly reads: 'one';
}

/** A list. Awaited, it is whole, or the page that was asked for; `for await` reads it page by page. */
export interface List<Item, Failure extends Problem> extends Call<Item[], Failure>, AsyncIterable<Item> {
  readonly reads: 'list';
}

/** The events of a streamed answer, as they arrive. Leaving the loop cancels the request. */
export type Events = AsyncGenerator<AgentEvent, void, undefined>;

/** The value of a parameter in the address. */
export type PathValue<Id extends OperationId, Name extends string> = Parameter<Id, 'path', Name>;

/** The value of a parameter in the query, or of a header. */
export type QueryValue<Id extends OperationId, Place extends 'query' | 'header', Name extends string> = NonNullable<
  Parameter<Id, Place, Name>
>;

type Parameter<
  Id extends OperationId,
  Place extends string,
  Name extends string,
> = operations[Id]['parameters'] extends { [_ in Place]?: infer Given }
  ? NonNullable<Given> extends { [_ in Name]?: infer Value }
    ? Value
    : never
  : never;

/** The JSON body of an operation. */
export type JsonBody<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

/** The JSON answer of an operation whose schema has no name. */
export type JsonAnswer<Id extends OperationId> =
  SuccessOf<operations[Id]['responses']> extends { content: { 'application/json': infer Body } } ? Body : never;

type SuccessOf<Responses> = Responses[keyof Responses & (200 | 201 | 202)];

/** Members that the service does not know. */
export interface FreeMembers {
  [member: string]: unknown;
}

/**
 * The body of a creation whose `type` decides which members the object `Member` has, such as `params` of a skill. An
 * object of any other type is free.
 */
export type CreationOfType<Body, Member extends keyof Body, Type extends string, ByType> = Omit<
  Body,
  'type' | Member
> & { type: Type } & MembersOfType<Body, Member, Type, ByType>;

type MembersOfType<Body, Member extends keyof Body, Type extends string, ByType> = Type extends keyof ByType
  ? Record<never, never> extends ByType[Type]
    ? { [_ in Member]?: (ByType[Type] & FreeMembers) | null }
    : { [_ in Member]: ByType[Type] & FreeMembers }
  : { [_ in Member]?: Body[_] };

/** The same for a change: members may be left out, and null removes one. */
export type UpdateOfType<Body, Member extends keyof Body, Type extends string, ByType> = Omit<Body, 'type' | Member> & {
  type?: Type | null;
} & {
  [_ in Member]?: Type extends keyof ByType
    ? ({ [Name in keyof ByType[Type]]?: ByType[Type][Name] | null } & FreeMembers) | null
    : Body[Member];
};

/** An operation, as the façade sends it. */
export interface FacadeOperation {
  readonly id: OperationId;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: keyof paths;
  /** The parameters of the address that are arguments, in this order. The project is none. */
  readonly names: readonly string[];
  readonly reads: 'json' | 'list' | 'text' | 'blob' | 'nothing' | 'events';
  /** The media types of the body, if there is one. */
  readonly consumes?: readonly string[];
  /** The member that the JSON body consists of. */
  readonly wraps?: string;
  /** The options that are parameters of the query, as the address has them. */
  readonly query?: readonly string[];
  /** The options that are headers. */
  readonly headers?: readonly string[];
}

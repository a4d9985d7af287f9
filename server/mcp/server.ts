/** The interface between the protocol and a server, and the errors of the protocol. */

import { INVALID_PARAMS } from '../api/reply/json-rpc.js';

/** An error of the protocol, which the client reads; a fault within a tool is a result. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  /** @param status of the answer to a stateless message; the revisions before answer all errors with 200 */
  constructor(
    readonly code: number,
    message: string,
    readonly status: 200 | 400 | 404 = 200,
    readonly data?: Record<string, unknown>,
  ) {
    super(message);
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message);
}

/** A resource that does not exist, or that the key may not read. */
export class ResourceNotFound extends RpcError {
  constructor(uri: string) {
    super(INVALID_PARAMS, `There is no resource "${uri}"; ask for resources/list.`, 200, { uri });
  }
}

/** The result of a method, as the revisions describe it. */
export type Result = Record<string, unknown>;

/** A text within a result that may be large: it is written piece by piece. */
export class LongText {
  constructor(readonly pieces: readonly string[]) {}
}

/** Reports what happens before the answer, for people; up to 1,000 characters. */
export type Report = (message: string) => void;

/** The members of a call of a tool beside its arguments. */
export interface CallContext {
  /** The id of the request, by which the client may cancel it; undefined where it closes its connection to do so. */
  readonly cancelId: string | number | undefined;
  /** Does nothing unless the client wants reports. The first begins a stream, after which no status can be chosen. */
  readonly report: Report;
}

/** An argument to complete. */
export interface Completable {
  /** The prompt, or the template of addresses, that has the argument. */
  readonly of: { readonly prompt: string } | { readonly uriTemplate: string };
  readonly argument: string;
  /** The text so far; empty for all values. */
  readonly value: string;
  /** The arguments that are known. */
  readonly known: Readonly<Record<string, unknown>>;
}

/** The operations that the methods of the protocol call. */
export interface McpServer {
  readonly version: string;
  /** How to use the tools, for the language model. */
  readonly instructions: string;
  listTools(): Promise<Result>;
  /** @throws {CallCancelled} if the client has cancelled it */
  callTool(name: string, input: unknown, context: CallContext): Promise<Result>;
  /** Cancels a call that runs; does nothing if there is none of the id. */
  cancel(id: string | number): Promise<void>;
  /** Returns the client's message about an error after a stream has begun, and logs an unexpected one. */
  explain(error: unknown): string;
  listResources(cursor: string | undefined): Promise<Result>;
  listResourceTemplates(): Result;
  readResource(uri: string): Promise<Result>;
  listPrompts(): Promise<Result>;
  getPrompt(name: string, input: Readonly<Record<string, unknown>>): Promise<Result>;
  /** Returns values that begin with a text, then those that contain it; the client gets the first hundred. */
  complete(wanted: Completable): Promise<readonly string[]>;
}

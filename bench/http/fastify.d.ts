/** The part of Fastify 5 that the bench uses; its own types exist only once it is installed. */
declare module 'fastify' {
  import type { IncomingHttpHeaders, Server } from 'node:http';

  interface RouteTypes {
    readonly Params?: unknown;
    readonly Querystring?: unknown;
    readonly Body?: unknown;
  }

  export interface FastifyRequest<Types extends RouteTypes = RouteTypes> {
    readonly id: string;
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
    readonly params: Types['Params'];
    readonly query: Types['Querystring'];
    readonly body: Types['Body'];
    readonly routeOptions: { readonly url: string };
    /** Set by a hook of the equipped Fastify. */
    owner: string;
  }

  export interface FastifyReply {
    readonly statusCode: number;
    /** The time since the request arrived, in milliseconds. */
    readonly elapsedTime: number;
    header(name: string, value: string): FastifyReply;
    status(code: number): FastifyReply;
    send(body: unknown): FastifyReply;
  }

  type Handler<Types extends RouteTypes, Result> = (
    request: FastifyRequest<Types>,
    reply: FastifyReply,
  ) => Promise<Result>;

  /** Writes the lines of the log. */
  export class LogController {
    incomingRequest(request: FastifyRequest, reply: FastifyReply): void;
    requestCompleted(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
  }

  export type FastifyOptions = { loggerInstance?: object; logController?: LogController };
  export type FastifyPlugin = (app: FastifyInstance, options: object) => void | Promise<void>;

  export interface FastifyInstance {
    readonly server: Server;
    setValidatorCompiler(compiler: (route: { readonly schema: object }) => (data: unknown) => unknown): void;
    register(plugin: FastifyPlugin, options: object): PromiseLike<unknown>;
    /** A hook returns the reply if it answers the request itself. */
    addHook(name: 'onRequest' | 'onResponse', hook: Handler<RouteTypes, FastifyReply | undefined>): void;
    decorateRequest(name: string, value: string): void;
    route<Types extends RouteTypes = RouteTypes>(
      options: Readonly<Record<'method' | 'url', string>> & {
        readonly schema: object;
        readonly handler: Handler<Types, FastifyReply>;
      },
    ): void;
    listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  }

  export function fastify(options?: FastifyOptions): FastifyInstance;
}

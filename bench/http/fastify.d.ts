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

  interface RouteOptions<Types extends RouteTypes> {
    readonly method: string;
    readonly url: string;
    readonly schema: object;
    readonly handler: (
      request: FastifyRequest<Types>,
      reply: FastifyReply,
    ) => Promise<FastifyReply>;
  }

  /** Returns the reply if the hook answers the request itself. */
  type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

  export type FastifyPlugin = (app: FastifyInstance, options: object) => void | Promise<void>;

  export interface FastifyOptions {
    readonly loggerInstance?: object;
    readonly logController?: LogController;
  }

  /** Writes the lines of the log. */
  export class LogController {
    incomingRequest(request: FastifyRequest, reply: FastifyReply): void;
    requestCompleted(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
  }

  export interface FastifyInstance {
    readonly server: Server;
    setValidatorCompiler(
      compiler: (route: { readonly schema: object }) => (data: unknown) => unknown,
    ): void;
    register(plugin: FastifyPlugin, options: object): PromiseLike<unknown>;
    addHook(name: 'onRequest', hook: Hook): void;
    addHook(
      name: 'onResponse',
      hook: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
    ): void;
    decorateRequest(name: string, value: string): void;
    route<Types extends RouteTypes = RouteTypes>(options: RouteOptions<Types>): void;
    listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  }

  export function fastify(options?: FastifyOptions): FastifyInstance;
}

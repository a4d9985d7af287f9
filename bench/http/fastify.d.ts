/** The part of Fastify 5 that the bench uses; its own types exist only once it is installed. */
declare module 'fastify' {
  import type { Server } from 'node:http';

  interface RouteTypes {
    readonly Params?: unknown;
    readonly Querystring?: unknown;
    readonly Body?: unknown;
  }

  interface FastifyRequest<Types extends RouteTypes> {
    readonly params: Types['Params'];
    readonly query: Types['Querystring'];
    readonly body: Types['Body'];
  }

  export interface FastifyReply {
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

  interface FastifyInstance {
    readonly server: Server;
    setValidatorCompiler(
      compiler: (route: { readonly schema: object }) => (data: unknown) => unknown,
    ): void;
    route<Types extends RouteTypes>(options: RouteOptions<Types>): void;
    listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  }

  export function fastify(): FastifyInstance;
}

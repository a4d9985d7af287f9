import { eventsIn } from '../../contract/event-data.js';
import { AgentService } from '../agents/agent-service.js';

/** The revisions that a host may speak. */
export type Revision = '2026-07-28' | '2025-11-25' | '2025-06-18';

const META = 'io.modelcontextprotocol/';

interface SendOptions {
  readonly path?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection when it is aborted. */
  readonly signal?: AbortSignal;
}

interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, object>> };
  readonly outputSchema: object;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly progress: number; readonly message: string };
  readonly result?: {
    readonly tools?: readonly McpTool[];
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly [member: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

/** The answer to a message: its status, and its body as JSON if it has one. */
export interface Answered {
  readonly status: number;
  readonly body: Message;
  /** The messages before the answer, if it is a stream. */
  readonly notifications?: readonly Message[];
}

/** Opens a service with a model of prices, and a host of each era that speaks to it. */
export async function openWithHosts() {
  const service = await AgentService.open();
  await service.trainPrices();
  return { service, host: new McpHost(service, '2026-07-28'), older: new McpHost(service, '2025-11-25') };
}

/** A host that speaks one revision to a service; each answer is checked against the contract. */
export class McpHost {
  #id = 0;

  constructor(
    private readonly service: AgentService,
    readonly revision: Revision,
  ) {}

  /** Sends a request as the revision wants it. */
  ask(method: string, params: object = {}, options: SendOptions = {}): Promise<Answered> {
    this.#id += 1;
    const { revision } = this;
    const message = { jsonrpc: '2.0', id: this.#id, method };
    if (revision !== '2026-07-28') {
      const headers: Record<string, string> = method === 'initialize' ? {} : { 'MCP-Protocol-Version': revision };
      return this.send({ ...message, params }, { ...options, headers: { ...headers, ...options.headers } });
    }
    const { name, uri, _meta: own } = params as { name?: string; uri?: string; _meta?: object };
    const _meta = { ...own, [`${META}protocolVersion`]: revision, [`${META}clientCapabilities`]: {} };
    const named = name ?? uri;
    const headers = {
      'MCP-Protocol-Version': revision,
      'Mcp-Method': method,
      ...(named !== undefined && { 'Mcp-Name': named }),
      ...options.headers,
    };
    return this.send({ ...message, params: { ...params, _meta } }, { ...options, headers });
  }

  /** Sends a body as it is: an object as JSON, or a text. */
  async send(body: object | string, options: SendOptions = {}): Promise<Answered> {
    const { path = '/mcp', key, headers, signal } = options;
    const response = await this.service.send('POST', path, undefined, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        Accept: 'application/json, text/event-stream',
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(signal && { signal }),
    });
    const { status } = response;
    const text = await response.text();
    if (response.headers.get('Content-Type')?.startsWith('text/event-stream') !== true) {
      return { status, body: text === '' ? {} : JSON.parse(text) };
    }
    const events = eventsIn<Message>(text);
    const answer = events.at(-1);
    return { status, body: answer && !answer.method ? answer : {}, notifications: events.filter((one) => one.method) };
  }

  /** The id of the last request. */
  get lastId(): number {
    return this.#id;
  }

  /** Begins a session, and returns the header that names it. */
  async begin(options: SendOptions = {}): Promise<Readonly<Record<string, string>>> {
    const params = { protocolVersion: this.revision, capabilities: {}, clientInfo: { name: 'host', version: '1' } };
    const body = { jsonrpc: '2.0', id: 'begin', method: 'initialize', params };
    const response = await this.service.send('POST', options.path ?? '/mcp', body, {
      headers: options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` },
    });
    return { 'Mcp-Session-Id': response.headers.get('Mcp-Session-Id') ?? '' };
  }

  /** Cancels a request. */
  cancel(requestId: unknown, options: SendOptions = {}): Promise<Answered> {
    const { revision } = this;
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'no need' } };
    return this.send(message, { ...options, headers: { 'MCP-Protocol-Version': revision, ...options.headers } });
  }

  /** Calls a tool with a token, with which its progress is notified. */
  listen(name: string, input: object, progressToken: unknown, options: SendOptions = {}): Promise<Answered> {
    return this.ask('tools/call', { name, arguments: input, _meta: { progressToken } }, options);
  }

  call(name: string, input: object = {}, options: SendOptions = {}): Promise<Answered> {
    return this.ask('tools/call', { name, arguments: input }, options);
  }

  async tools(options: SendOptions = {}): Promise<readonly McpTool[]> {
    const { body } = await this.ask('tools/list', {}, options);
    if (!body.result?.tools) throw new Error(JSON.stringify(body));
    return body.result.tools;
  }
}

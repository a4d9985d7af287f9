import type { OutgoingHttpHeaders } from 'node:http';
import { cutText } from 'roster-prediction/text';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { METHOD_NOT_FOUND } from '../../api/reply/json-rpc.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import { ToolError } from '../tools/tool.js';
import type { McpServerSettings } from './settings.js';
import { McpTransport, type Message, type Reply, type TransportLimits } from './transport.js';
import { encodeHeader, HEADER_MISMATCH, META, STATELESS, UNKNOWN_REVISION, WITH_INITIALIZE } from './wire.js';

/** A request to a server. */
export interface McpRequest {
  readonly method: 'tools/list' | 'tools/call';
  readonly params: JsonRecord;
  /** Headers beside those that the protocol always has. */
  readonly headers?: OutgoingHttpHeaders;
  /** True if the words of the server may stand in an error. */
  readonly mayQuote: boolean;
}

/** A refused request. */
export class McpRefusal extends ToolError {
  constructor(
    message: string,
    /** The code of JSON-RPC; undefined if the server gave none. */
    readonly code: number | undefined,
  ) {
    super(message);
  }
}

/** A session, of one owner: what a server keeps of one is nobody else's. */
interface Session {
  /** The identifier that the server gave it; undefined if the server keeps none. */
  readonly id: string | undefined;
  readonly revision: string;
}

/** A session that is being opened, for all callers of its owner. */
interface Opening {
  readonly session: Promise<Session>;
  readonly over: AbortController;
}

/** The longest time in which a session is opened, in milliseconds. */
const OPEN_MS = 60_000;

/** The most sessions with one server; the oldest is ended then. */
const MAX_SESSIONS = 1000;

/** The longest wait for what needs no answer, in milliseconds. */
const ASIDE_MS = 1_000;

/** The most requests of the server that are answered in one exchange. */
const MAX_REQUESTS = 10;

/** The most characters of a server's words in an error. */
const MAX_QUOTE = 1000;

/** The errors that only a server of the stateless revision has. */
const STATELESS_ERRORS: ReadonlySet<unknown> = new Set([HEADER_MISMATCH, -32021, UNKNOWN_REVISION]);

/**
 * Speaks to one MCP server in its revision: the stateless one, or an older one, which begins with `initialize`. The
 * first answer shows which one; the client asks anew when the server no longer understands.
 */
export class McpClient {
  readonly #transport: McpTransport;
  readonly #sessions = new Map<string, Session>();
  readonly #openings = new Map<string, Opening>();
  /** As the operator says; undefined if the server is asked. */
  readonly #knownStateless: boolean | undefined;
  /** Undefined until the server has answered. */
  #isStateless: boolean | undefined;
  #lastId = 0;

  /**
   * @param name the name of the server, for messages
   * @param version that of the service
   */
  constructor(
    private readonly name: string,
    settings: McpServerSettings,
    private readonly version: string,
    limits?: Partial<TransportLimits>,
  ) {
    this.#transport = new McpTransport(name, settings, limits);
    const { revision } = settings;
    this.#knownStateless = revision && revision === STATELESS;
    this.#isStateless = this.#knownStateless;
  }

  /**
   * Sends a request, and returns its result.
   * @param owner whose session it belongs to, where there are sessions
   * @throws {ToolError} with the reason, for a language model
   * @throws the reason of `signal` once it is aborted
   */
  async request(owner: string, request: McpRequest, signal: AbortSignal): Promise<JsonRecord> {
    if (this.#isStateless === false) return this.#askInSession(owner, request, signal);
    let reply = await this.#askStateless(request, signal);
    const { data } = reply.error ?? {};
    const { supported } = asRecord(data);
    if (isUnknownRevision(reply) && Array.isArray(supported) && supported.includes(STATELESS)) {
      reply = await this.#askStateless(request, signal);
    }
    if (!this.#maySpeakOlder(reply)) {
      if (reply.result) this.#isStateless = true;
      return this.#readResult(reply, request);
    }
    return this.#askInSession(owner, request, signal, reply);
  }

  /** Ends all sessions, as far as the server listens. */
  async close(): Promise<void> {
    const openings = [...this.#openings.values()];
    for (const { over } of openings) over.abort(new ToolError('The service is stopping; ask again in a moment.'));
    await Promise.allSettled(openings.map(({ session }) => session));
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => this.#end(session)));
  }

  #askStateless({ method, params, headers }: McpRequest, signal: AbortSignal): Promise<Reply> {
    const { name } = params;
    const _meta = {
      [`${META}protocolVersion`]: STATELESS,
      [`${META}clientInfo`]: this.#identify(),
      [`${META}clientCapabilities`]: {},
    };
    return this.#transport.send(
      { jsonrpc: '2.0', id: this.#nextId(), method, params: { ...params, _meta } },
      {
        signal,
        headers: {
          ...headers,
          'MCP-Protocol-Version': STATELESS,
          'Mcp-Method': method,
          ...(typeof name === 'string' && { 'Mcp-Name': encodeHeader(name) }),
        },
      },
    );
  }

  /** Returns whether a reply to a stateless request may come from a server that does not know such requests. */
  #maySpeakOlder({ status, error }: Reply): boolean {
    if (this.#knownStateless) return false;
    if (error && STATELESS_ERRORS.has(error['code'])) {
      const { supported } = asRecord(error['data']);
      return Array.isArray(supported) && WITH_INITIALIZE.some((one) => supported.includes(one));
    }
    // Some answer 200 with an error until they are initialized.
    if (status < 300) return error !== undefined && this.#isStateless === undefined;
    if (status === 404 && error?.['code'] === METHOD_NOT_FOUND) return false;
    if (this.#isStateless && error) return false;
    return status === 400 || (status >= 404 && status <= 406);
  }

  /** @param refused the reply to the same request without a session, if there was one */
  async #askInSession(owner: string, request: McpRequest, signal: AbortSignal, refused?: Reply) {
    const kept = this.#sessions.get(owner);
    const session = await this.#open(owner, signal).catch((error: unknown) => {
      // Its first answer says more, if it was one of the protocol.
      throw error instanceof ToolError && refused?.error ? this.#refusal(refused, request) : error;
    });
    let reply = await this.#askIn(session, request, signal);
    // The session has ended. The request was not looked at, so it may be sent again.
    if (session === kept && isOver(reply)) {
      if (this.#sessions.get(owner) === kept) this.#sessions.delete(owner);
      reply = await this.#askIn(await this.#open(owner, signal), request, signal);
    }
    if (reply.result) this.#isStateless = false;
    return this.#readResult(reply, request);
  }

  async #askIn(session: Session, request: McpRequest, signal: AbortSignal): Promise<Reply> {
    const { method, params } = request;
    const id = this.#nextId();
    const headers = { ...request.headers, ...sessionHeaders(session) };
    let requests = 0;
    const onRequest = (asked: JsonRecord) => {
      requests += 1;
      if (requests <= MAX_REQUESTS) this.#answer(session, asked);
    };
    try {
      const message = { jsonrpc: '2.0' as const, id, method, params };
      return await this.#transport.send(message, { signal, headers, onRequest });
    } catch (error) {
      // The end of a connection means nothing to such servers.
      if (signal.aborted) {
        this.#sendAside(session, { method: 'notifications/cancelled', params: { requestId: id } });
      }
      throw error;
    }
  }

  /**
   * Returns the session of an owner. Concurrent callers share its opening, which goes on if one of them leaves.
   * @throws {ToolError} if the server refuses, and then asks anew which revision it has
   */
  async #open(owner: string, signal: AbortSignal): Promise<Session> {
    const kept = this.#sessions.get(owner);
    if (kept) return kept;
    const { session } = this.#openings.get(owner) ?? this.#beginOpening(owner);
    return unlessAborted(session, signal);
  }

  #beginOpening(owner: string): Opening {
    const over = new AbortController();
    const late = `The MCP server ${JSON.stringify(this.name)} took longer than ${OPEN_MS / 1000} seconds to begin; try again later.`;
    const timer = setTimeout(() => over.abort(new ToolError(late)), OPEN_MS);
    const open = async () => {
      try {
        const session = await this.#initialize(over.signal);
        this.#sessions.set(owner, session);
        this.#endOldest();
        return session;
      } finally {
        clearTimeout(timer);
        this.#openings.delete(owner);
      }
    };
    const opening = { session: open(), over };
    this.#openings.set(owner, opening);
    return opening;
  }

  async #initialize(signal: AbortSignal): Promise<Session> {
    const [newest] = WITH_INITIALIZE;
    const reply = await this.#transport.send(
      {
        jsonrpc: '2.0',
        id: this.#nextId(),
        method: 'initialize',
        params: { protocolVersion: newest, capabilities: {}, clientInfo: this.#identify() },
      },
      { signal, onRequest: () => {} },
    );
    const session = this.#readSession(reply);
    try {
      const notification = { jsonrpc: '2.0' as const, method: 'notifications/initialized' };
      await this.#transport.send(notification, { signal, headers: sessionHeaders(session) });
    } catch (error) {
      void this.#end(session);
      throw error;
    }
    return session;
  }

  /** @throws {ToolError} if the server refuses, and then asks anew which revision it has */
  #readSession(reply: Reply): Session {
    this.#isStateless = this.#knownStateless;
    const { protocolVersion } = this.#readResult(reply, { method: 'initialize', mayQuote: false });
    const revision = [...WITH_INITIALIZE, '2025-03-26'].find((one) => one === protocolVersion);
    if (revision === undefined) {
      throw new ToolError(
        `The MCP server ${JSON.stringify(this.name)} speaks no revision of the protocol that is known here.`,
      );
    }
    this.#isStateless = false;
    const id = reply.headers['mcp-session-id'];
    return { id: typeof id === 'string' ? id : undefined, revision };
  }

  #endOldest(): void {
    for (const [owner, session] of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) return;
      this.#sessions.delete(owner);
      void this.#end(session);
    }
  }

  async #end(session: Session): Promise<void> {
    if (session.id === undefined) return;
    const signal = AbortSignal.timeout(ASIDE_MS);
    await this.#transport.end(sessionHeaders(session), signal).catch(() => {});
  }

  /** Answers a request of the server: it may ask whether somebody is there, and for nothing else. */
  #answer(session: Session, { id, method }: JsonRecord): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const error = { code: METHOD_NOT_FOUND, message: 'There is no such method.' };
    this.#sendAside(session, { id, ...(method === 'ping' ? { result: {} } : { error }) });
  }

  /** Sends a message that needs no answer, and does not wait for it. */
  #sendAside(session: Session, members: Omit<Message, 'jsonrpc'>): void {
    const options = { signal: AbortSignal.timeout(ASIDE_MS), headers: sessionHeaders(session) };
    this.#transport.send({ jsonrpc: '2.0', ...members }, options).catch(() => {});
  }

  /** @throws {ToolError} if the reply is a refusal */
  #readResult(reply: Reply, request: Pick<McpRequest, 'mayQuote'> & { method: string }): JsonRecord {
    if (reply.status < 300 && reply.result) return reply.result;
    throw this.#refusal(reply, request);
  }

  #refusal(
    { status, error }: Reply,
    { method, mayQuote }: Pick<McpRequest, 'mayQuote'> & { method: string },
  ): McpRefusal {
    const server = `The MCP server ${JSON.stringify(this.name)}`;
    const { code: sent, message } = error ?? {};
    const code = typeof sent === 'number' ? sent : undefined;
    const words = mayQuote && typeof message === 'string' ? ` It says: ${cutText(message, MAX_QUOTE)}` : '';
    return new McpRefusal(`${server} ${explain(status, method, code)}${words}`, code);
  }

  #identify() {
    return { name: 'roster', version: this.version };
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function isUnknownRevision({ error }: Reply): boolean {
  return error?.['code'] === UNKNOWN_REVISION;
}

/** Returns whether a session has ended; servers that answer 400 have their own codes for it. */
function isOver({ status, error }: Reply): boolean {
  const code = error?.['code'];
  const isOfRequest = typeof code === 'number' && code <= -32600;
  return status === 404 || (status === 400 && !isOfRequest);
}

function sessionHeaders({ id, revision }: Session): OutgoingHttpHeaders {
  return { 'MCP-Protocol-Version': revision, ...(id !== undefined && { 'MCP-Session-Id': id }) };
}

function explain(status: number, method: string, code: number | undefined): string {
  if (status === 401 || status === 403) {
    return `did not accept the headers of this service (${status}); those who run it can correct them in MCP_SERVERS.`;
  }
  if (status === 429) return 'is asked too often (429); try again later.';
  if (status >= 300 && status < 400) {
    return `redirects to another address (${status}), which is not followed; those who run the service can set the final one in MCP_SERVERS.`;
  }
  if (code !== undefined) return `refused ${method} (error ${code}).`;
  if (status >= 500) return `failed (${status}); try again later.`;
  if (status < 300) return `answered ${method} without a result.`;
  return `refused ${method} (${status}); those who run the service can check its url in MCP_SERVERS.`;
}

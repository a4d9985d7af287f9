import type { components } from 'roster-client';
import { type ServerProcess, startServer } from '../service/server-process.js';
import { type OwnStore, ownStore } from '../store/own-store.js';
import { type ChatScript, openScriptedChatServer, type ScriptedChatServer } from './scripted-chat-server.js';

type Schemas = components['schemas'];

/** The settings of a service whose chatbots converse. */
interface ConversingOptions {
  /** The store of the tests' target; the service gets another one of the same kind. */
  readonly databaseUrl: string | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly env?: NodeJS.ProcessEnv;
}

/** A service with a scripted chat server. */
export class ChatService {
  protected constructor(
    readonly chat: ScriptedChatServer,
    public server: ServerProcess,
    private readonly fetch: (request: Request) => Promise<Response>,
    /** The API key of the requests; undefined if the service has none. */
    readonly key?: string,
  ) {}

  send(method: string, path: string, body?: object, init: RequestInit = {}): Promise<Response> {
    const request = new Request(`${this.server.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      ...init,
      headers: {
        'Content-Type': 'application/json',
        ...(this.key !== undefined && { Authorization: `Bearer ${this.key}` }),
        ...init.headers,
      },
    });
    return this.fetch(request);
  }

  /** Sends a request that must succeed, and returns the text of its response. */
  async text(method: string, path: string, body?: object, init?: RequestInit): Promise<string> {
    const response = await this.send(method, path, body, init);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  /** Sends a request that must succeed, and returns the JSON of its response. */
  async json<T>(method: string, path: string, body?: object, init?: RequestInit): Promise<T> {
    return JSON.parse(await this.text(method, path, body, init));
  }

  async close(): Promise<void> {
    await this.server.kill();
    await this.chat.close();
  }
}

/** A service with its own store and a scripted chat server. */
export class ConversingService extends ChatService {
  #names = 0;
  #begun = 0;

  private constructor(
    chat: ScriptedChatServer,
    readonly store: OwnStore,
    private readonly options: ConversingOptions,
    server: ServerProcess,
  ) {
    super(chat, server, options.fetch);
  }

  static async open(options: ConversingOptions): Promise<ConversingService> {
    const store = await ownStore(options.databaseUrl);
    const chat = await openScriptedChatServer([]);
    const server = await startServer({ env: environment(chat, store, options) });
    return new ConversingService(chat, store, options, server);
  }

  /** Starts the service again on the same store, after a test has ended it. */
  async startAgain(): Promise<void> {
    this.server = await startServer({ env: environment(this.chat, this.store, this.options) });
  }

  override async close(): Promise<void> {
    await super.close();
    await this.store.remove();
  }

  /** Replaces the script of the chat server. */
  play(script: ChatScript): void {
    this.#begun = this.chat.requests.length;
    this.chat.play(script);
  }

  /** Returns the messages of each request to the chat server since the script began. */
  sent() {
    return this.chat.requests.slice(this.#begun).map(({ body }) => body.messages);
  }

  /** Creates a chatbot, and returns its address. */
  async chatbot(fields: object = {}): Promise<string> {
    this.#names += 1;
    const name = `chatbot_${this.#names}`;
    await this.json('POST', '/projects/default/chatbots', { chatbot: { name, ...fields } });
    return `/projects/default/chatbots/${name}`;
  }

  /** Begins a conversation, and returns its address. */
  async conversation(chatbot?: string, init?: RequestInit): Promise<string> {
    const at = `${chatbot ?? (await this.chatbot())}/conversations`;
    const body = { conversation: {} };
    const { id } = await this.json<Schemas['Conversation']>('POST', at, body, init);
    return `${at}/${id}`;
  }

  say(conversation: string, content: string, init?: RequestInit): Promise<Response> {
    return this.send('POST', `${conversation}/messages`, { message: { content } }, init);
  }

  /** Sends a message that must be answered. */
  talk(conversation: string, content: string, init?: RequestInit): Promise<Schemas['Reply']> {
    return this.json('POST', `${conversation}/messages`, { message: { content } }, init);
  }

  messages(conversation: string): Promise<Schemas['Message'][]> {
    return this.json('GET', `${conversation}/messages`);
  }
}

function environment(
  chat: ScriptedChatServer,
  { databaseUrl }: OwnStore,
  { env }: ConversingOptions,
): NodeJS.ProcessEnv {
  return { CHAT_URL: chat.url, CHAT_MODEL: 'scripted', DATABASE_URL: databaseUrl, ...env };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRosterClient } from 'roster-client';
import { eventsIn } from '../../contract/event-data.js';
import type { components } from '../../generated/openapi.js';
import { ChatService } from '../../testkit/chat/conversing-service.js';
import { openScriptedChatServer, type ScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { createSales } from '../../testkit/databases/sales.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { trainPrices, untilReadyAt } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { checkedFetch } from '../checked-fetch.js';

export type Completion = components['schemas']['Completion'];
export type AgentEvent = components['schemas']['AgentEvent'];

/** The key of the chat server, which must appear nowhere. */
export const CHAT_KEY = 'chat-secret-4711';

interface SkillFields {
  readonly type: string;
  readonly params?: Record<string, unknown>;
}

interface AgentFields {
  readonly skills?: readonly SkillFields[];
  readonly [field: string]: unknown;
}

/** A question, or the whole body of a request. */
type Asked = string | object;

/** A service with a scripted chat server and a database of sales; each response is checked against the contract. */
export class AgentService extends ChatService {
  #names = 0;

  private constructor(
    chat: ScriptedChatServer,
    server: ServerProcess,
    private readonly folder: string,
    /** The key with every scope. */
    override readonly key: string,
  ) {
    super(chat, server, checkedFetch, key);
  }

  /** @param env variables beside those that agents need */
  static async open(env: NodeJS.ProcessEnv = {}): Promise<AgentService> {
    const folder = await mkdtemp(join(tmpdir(), 'roster-agents-'));
    const chat = await openScriptedChatServer([]);
    const sales = createSales(folder);
    const databaseFile = join(folder, 'roster.db');
    const key = await makeKey(`file:${databaseFile}`, { name: 'own' });
    const server = await startServer({
      databaseFile,
      env: {
        CHAT_URL: chat.url,
        CHAT_MODEL: 'scripted',
        CHAT_KEY,
        DATABASES: JSON.stringify({ sales: `file:${sales}`, foreign: { url: `file:${sales}`, owners: ['acme'] } }),
        ...env,
      },
    });
    return new AgentService(chat, server, folder, key);
  }

  async trainPrices(): Promise<void> {
    const roster = createRosterClient({ baseUrl: this.server.url, apiKey: this.key });
    await trainPrices(roster, { projectName: 'default', modelName: 'prices' });
  }

  /**
   * Trains a model on rows, and waits for it.
   * @param model its name and the parameters, such as `prices?target=price&effort=fast`
   * @returns the path of the model
   */
  async train(model: string, rows: readonly object[], project = 'default'): Promise<string> {
    const path = `/api/projects/${project}/models/${model}`;
    await this.text('PUT', path, rows);
    const [address = ''] = path.split('?');
    await untilReadyAt(`${this.server.url}${address}`, { Authorization: `Bearer ${this.key}` });
    return address;
  }

  /** Creates a key with other rights. */
  createKey(options: Omit<Parameters<typeof makeKey>[1], 'name'>): Promise<string> {
    return makeKey(`file:${join(this.folder, 'roster.db')}`, { name: 'other', ...options });
  }

  /** Creates an agent with new skills. Returns its name. */
  async agent({ skills = [], ...fields }: AgentFields = {}): Promise<string> {
    this.#names += 1;
    const name = `agent_${this.#names}`;
    const used: string[] = [];
    for (const [index, skill] of skills.entries()) {
      const skillName = `${skill.type}_${this.#names}_${index}`;
      await this.create('skill', { name: skillName, ...skill });
      used.push(skillName);
    }
    await this.create('agent', { name, skills: used, ...fields });
    return name;
  }

  create(kind: 'skill' | 'agent' | 'chatbot', fields: object): Promise<{ id: string }> {
    return this.json('POST', `/projects/default/${kind}s`, { [kind]: fields });
  }

  async sendText(path: string, body: string): Promise<void> {
    await this.text('PUT', path, undefined, { body, headers: { 'Content-Type': 'text/markdown' } });
  }

  async remove(path: string): Promise<void> {
    await this.text('DELETE', path);
  }

  ask(agent: string, asked: Asked, init?: RequestInit): Promise<Response> {
    return this.send('POST', completions(agent), makeBody(asked), init);
  }

  answer(agent: string, asked: Asked, init?: RequestInit): Promise<Completion> {
    return this.json('POST', completions(agent), makeBody(asked), init);
  }

  /** Asks an agent, and returns the events of its answer. */
  async events(agent: string, asked: Asked, init?: RequestInit): Promise<AgentEvent[]> {
    return eventsIn(await this.text('POST', `${completions(agent)}/stream`, makeBody(asked), init));
  }

  override async close(): Promise<void> {
    await super.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function completions(agent: string): string {
  return `/projects/default/agents/${agent}/completions`;
}

function makeBody(asked: Asked): object {
  return typeof asked === 'string' ? { messages: [{ question: asked, answer: null }] } : asked;
}

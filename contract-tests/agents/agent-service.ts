import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRosterClient } from 'roster-client';
import type { components } from '../../generated/openapi.js';
import {
  openScriptedChatServer,
  type ScriptedChatServer,
} from '../../testkit/chat/scripted-chat-server.js';
import { createSales } from '../../testkit/databases/sales.js';
import { eventsIn } from '../../testkit/http/event-data.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
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

/** A service with a scripted chat server and a database of sales. */
export class AgentService {
  #names = 0;

  private constructor(
    readonly chat: ScriptedChatServer,
    readonly server: ServerProcess,
    private readonly folder: string,
    /** The key with every scope. */
    readonly key: string,
  ) {}

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
        ...{ CHAT_URL: chat.url, CHAT_MODEL: 'scripted', CHAT_KEY },
        DATABASES: JSON.stringify({
          sales: `file:${sales}`,
          foreign: { url: `file:${sales}`, owners: ['acme'] },
        }),
        ...env,
      },
    });
    return new AgentService(chat, server, folder, key);
  }

  async trainPrices(): Promise<void> {
    const roster = createRosterClient({ baseUrl: this.server.url, apiKey: this.key });
    await trainPrices(roster, { projectName: 'default', modelName: 'prices' });
  }

  /** Creates a key with other rights. */
  keyOf(options: Omit<Parameters<typeof makeKey>[1], 'name'>): Promise<string> {
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

  async create(kind: 'skill' | 'agent' | 'chatbot', fields: object): Promise<{ id: string }> {
    const created = this.send('POST', `/projects/default/${kind}s`, { [kind]: fields });
    return JSON.parse(await accepted(created));
  }

  /** Sends JSON, and checks the response against the contract. */
  send(method: string, path: string, body?: object, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' };
    const request = new Request(`${this.server.url}${path}`, {
      ...{ method, ...(body && { body: JSON.stringify(body) }) },
      ...init,
      headers: { ...headers, ...init.headers },
    });
    return checkedFetch(request);
  }

  async sendText(path: string, body: string): Promise<void> {
    const init = { body, headers: { 'Content-Type': 'text/markdown' } };
    await accepted(this.send('PUT', path, undefined, init));
  }

  async remove(path: string): Promise<void> {
    await accepted(this.send('DELETE', path));
  }

  ask(agent: string, asked: Asked, init?: RequestInit): Promise<Response> {
    return this.send('POST', completions(agent), bodyOf(asked), init);
  }

  async answer(agent: string, asked: Asked, init?: RequestInit): Promise<Completion> {
    return JSON.parse(await accepted(this.ask(agent, asked, init)));
  }

  /** Asks an agent, and returns the events of its answer. */
  async events(agent: string, asked: Asked, init?: RequestInit): Promise<AgentEvent[]> {
    const stream = `${completions(agent)}/stream`;
    return eventsIn(await accepted(this.send('POST', stream, bodyOf(asked), init)));
  }

  async close(): Promise<void> {
    await this.server.kill();
    await this.chat.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function completions(agent: string): string {
  return `/projects/default/agents/${agent}/completions`;
}

function bodyOf(asked: Asked): object {
  return typeof asked === 'string' ? { messages: [{ question: asked, answer: null }] } : asked;
}

/** @throws if it is refused */
async function accepted(request: Promise<Response>): Promise<string> {
  const response = await request;
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

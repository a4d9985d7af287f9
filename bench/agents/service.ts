import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answered, createRosterClient } from 'roster-client';
import { diamonds } from '../../testkit/data/diamonds.js';
import { arrayOf } from '../../testkit/json.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { ENVIRONMENT, pin, separateCores } from '../http/servers.js';
import { withService } from '../services.js';
import { ofChatServer, ofService, timedAnswer, type Way } from './timed-answer.js';

const CHAT_SERVER = fileURLToPath(new URL('./chat-server.js', import.meta.url));

/** With keys, an owner gets half of them. */
const MAX_ANSWERS = '512';

const projectName = 'default';

/** The model and the skill that agents use. */
const NAME = 'prices';

/** The agents, by what they can do. */
export type AgentName = 'without_skills' | 'with_model';

/** The cores of this machine: one for the service, and one for the load and the chat server. */
export const cores = separateCores();

/** The service with two agents, and the chat server that it asks. */
export class Agents {
  private constructor(
    readonly service: Service,
    private readonly chat: Service,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /**
   * Runs the service on an empty store, with a key, without effective limits, and with a core of its own
   * if there are two.
   */
  static async with<T>(folder: string, use: (agents: Agents) => Promise<T>): Promise<T> {
    pin(process.pid, cores?.load);
    const databaseUrl = `file:${join(folder, 'roster.db')}`;
    const key = await makeKey(databaseUrl, { name: 'bench' });
    const run = async (service: Service, chat: Service) => {
      pin(service.pid, cores?.servers);
      await createAgents(service.url, key);
      return use(new Agents(service, chat, { Authorization: `Bearer ${key}` }));
    };
    const askingChat = (chat: Service) => {
      const env = { ...ENVIRONMENT, MAX_ANSWERS, CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
      return withService(folder, (service) => run(service, chat), { databaseUrl, env });
    };
    return withService(folder, askingChat, { main: CHAT_SERVER });
  }

  /** Returns the way to an answer through the service. */
  through(agent: AgentName, question: string): Way {
    return {
      url: `${this.service.url}/projects/${projectName}/agents/${agent}/completions/stream`,
      headers: this.headers,
      bodies: [JSON.stringify({ messages: [{ question, answer: null }] })],
      reader: ofService,
    };
  }

  /** Returns the way to the same answer from the chat server, with the requests that the service sends. */
  async direct(agent: AgentName, question: string): Promise<Way> {
    await this.chat.ask('bodies');
    await timedAnswer(this.through(agent, question));
    const bodies = arrayOf(await this.chat.ask('bodies')).map((body) => JSON.stringify(body));
    const url = `${this.chat.url}/chat/completions`;
    return { url, headers: {}, bodies, reader: () => ofChatServer };
  }

  /** The path of predictions of the model. */
  readonly predict = `/api/projects/${projectName}/models/${NAME}/predict`;

  readonly skill = `/projects/${projectName}/skills/${NAME}`;
}

async function createAgents(baseUrl: string, apiKey: string): Promise<void> {
  const roster = createRosterClient({ baseUrl, apiKey });
  await trainPrices(roster, { projectName, modelName: NAME }, diamonds);
  const params = { path: { project_name: projectName } };
  const skill = { name: NAME, type: 'model', params: { model: NAME } };
  await answered(roster.POST('/projects/{project_name}/skills', { params, body: { skill } }));
  const agents: { name: AgentName; skills: string[] }[] = [
    { name: 'without_skills', skills: [] },
    { name: 'with_model', skills: [NAME] },
  ];
  for (const agent of agents) {
    await answered(roster.POST('/projects/{project_name}/agents', { params, body: { agent } }));
  }
}

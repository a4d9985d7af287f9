import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asArray } from '../../contract/json-record.js';
import { diamonds, diamondTable } from '../../testkit/data/diamonds.js';
import { ask, type Headers } from '../../testkit/http/client.js';
import { wire } from '../../testkit/http/load.js';
import { NO_NGINX, nginxOfThisMachine, startNginx } from '../../testkit/nginx.js';
import { median, quantile } from '../../testkit/numbers.js';
import { processorTime, residentMemory, type Service } from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import { compareRates, measureRate, repeatedly } from '../load.js';
import { type Finding, runScenarios, type Scenario } from '../scenarios.js';
import { ENVIRONMENT, pin, separateCores, train, withService } from '../services.js';
import {
  ofChatServer,
  ofService,
  openStreams,
  QUESTIONS,
  type TimedAnswer,
  TOKENS,
  TOKENS_A_SECOND,
  timedAnswer,
  type Way,
  withKeptStreams,
} from './timed-answer.js';

const CHAT_SERVER = fileURLToPath(new URL('./chat-server.js', import.meta.url));

/** With keys, an owner gets half of them. */
const MAX_ANSWERS = '512';

/** The agents, by what they can do. */
type AgentName = 'without_skills' | 'with_model';

/** The cores of this machine: one for the service, and one for the load and the chat server. */
const cores = separateCores();

const STREAMS = 200;

/** The time in which the streams begin, which is shorter than an answer, in milliseconds. */
const BEGINNING_MS = 1000;

/** The longest time that the service may add to the first token at p50, in milliseconds. */
const MAX_OVERHEAD_MS = 5;

const CASES: readonly { what: string; agent: AgentName; question: string }[] = [
  { what: 'an agent without skills', agent: 'without_skills', question: QUESTIONS.short },
  { what: 'an agent with a model, not asked', agent: 'with_model', question: QUESTIONS.short },
  { what: 'an agent that asks its model first', agent: 'with_model', question: QUESTIONS.tool },
];

/** The time until the first token, through the service and from the chat server itself, in turns. */
async function firstToken(agents: Agents, pairs: number): Promise<Finding[]> {
  const { pid } = agents.service;
  const found: Finding[] = [];
  for (const { what, agent, question } of CASES) {
    const direct = await agents.direct(agent, question);
    const through = agents.through(agent, question);
    const times = { direct: [] as number[], through: [] as number[], added: [] as number[] };
    let before = 0;
    // Two thirds are not counted: it takes hundreds of answers until the frequent code is compiled.
    for (let pair = -2 * pairs; pair < pairs; pair += 1) {
      if (pair === 0) before = processorTime(pid);
      const alone = (await timedAnswer(direct)).first;
      const served = (await timedAnswer(through)).first;
      if (pair < 0) continue;
      times.direct.push(alone);
      times.through.push(served);
      times.added.push(served - alone);
    }
    const cost = (processorTime(pid) - before) / pairs;
    found.push({
      asked: `${what}: the first token at most ${MAX_OVERHEAD_MS} ms later at p50 than from the chat server itself`,
      measured: `${inWords(times.added)} later: ${inWords(times.through)} against ${inWords(times.direct)}, of ${pairs} each; the whole answer takes the service ${cost.toFixed(1)} ms of processor`,
      passed: median(times.added) <= MAX_OVERHEAD_MS,
    });
  }
  return found;
}

/** The longest time until the first token through two proxies at p99, in milliseconds: people see a delay above it. */
const MAX_PROXIED_MS = 250;

/** The time until the first token through two nginx with the file of `examples/nginx/`, and from the service itself. */
async function proxies(agents: Agents, pairs: number): Promise<Finding[]> {
  const asked = `the first token of a stream at most ${MAX_PROXIED_MS} ms after the request at p99, through two nginx`;
  const program = nginxOfThisMachine();
  if (program === undefined) return [{ asked, measured: NO_NGINX }];
  const before = async (url: string) => {
    const port = Number(new URL(url).port);
    return startNginx(program, [port, port, port], '4s');
  };
  const inner = await before(agents.service.url);
  const outer = await before(inner.url);
  try {
    const alone = agents.through('without_skills', QUESTIONS.long);
    const through = { ...alone, url: alone.url.replace(agents.service.url, outer.url) };
    const answers = { alone: [] as TimedAnswer[], through: [] as TimedAnswer[] };
    for (let pair = -pairs; pair < pairs; pair += 1) {
      const both = [await timedAnswer(alone), await timedAnswer(through)] as const;
      if (pair < 0) continue;
      answers.alone.push(both[0]);
      answers.through.push(both[1]);
    }
    const firstOf = (some: readonly TimedAnswer[]) => some.map(({ first }) => first);
    const delaysOf = (some: readonly TimedAnswer[]) => some.flatMap(({ delays }) => delays);
    const compare = (of: typeof firstOf) =>
      `${inWords(of(answers.through))} against ${inWords(of(answers.alone))} without them, of ${pairs} answers each`;
    const isShort = (times: readonly number[]) => quantile(times, 0.99) <= MAX_PROXIED_MS;
    return [
      { asked, measured: compare(firstOf), passed: isShort(firstOf(answers.through)) },
      {
        asked: `each of its ${TOKENS} tokens at most ${MAX_PROXIED_MS} ms after the chat server has sent it at p99`,
        measured: compare(delaysOf),
        passed: isShort(delaysOf(answers.through)),
      },
    ];
  } finally {
    await outer.stop();
    await inner.stop();
  }
}

/** Many streams at once, through the service and from the chat server itself, in turns. */
async function streams(agents: Agents, rounds: number): Promise<Finding[]> {
  const through = agents.through('without_skills', QUESTIONS.long);
  const direct = await agents.direct('without_skills', QUESTIONS.long);
  const { pid } = agents.service;
  await openStreams(through, STREAMS, BEGINNING_MS);
  const alone: TimedAnswer[] = [];
  const served: TimedAnswer[] = [];
  const costs: number[] = [];
  const grown: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await openStreams(direct, STREAMS, BEGINNING_MS)));
    const memory = residentMemory(pid);
    const time = processorTime(pid);
    const more = repeatedly(100, () => residentMemory(pid) - memory);
    served.push(...(await openStreams(through, STREAMS, BEGINNING_MS)));
    grown.push(...more());
    costs.push((processorTime(pid) - time) / STREAMS);
  }
  const complete = served.filter(({ delays }) => delays.length === TOKENS).length;
  const delaysOf = (answers: readonly TimedAnswer[]) => inWords(answers.flatMap(({ delays }) => delays));
  return [
    {
      asked: `${STREAMS} streams at once of ${TOKENS} tokens, ${TOKENS_A_SECOND} a second, begun within ${BEGINNING_MS / 1000} s: all are complete`,
      measured: `${complete} of ${served.length}, in ${rounds} rounds`,
      passed: complete === served.length,
    },
    {
      asked: 'the delay of a token, beside that from the chat server itself',
      measured: `${delaysOf(served)} against ${delaysOf(alone)}`,
    },
    {
      asked: 'what the service takes for a stream',
      measured: `${median(costs).toFixed(1)} ms of processor (median of ${rounds} rounds), ${((Math.max(...grown) * 1024) / STREAMS).toFixed(0)} KiB of memory at most`,
    },
  ];
}

/** Other requests while many streams are open, and without them, in turns. */
async function besideStreams(agents: Agents, rounds: number): Promise<Finding[]> {
  const { service, headers } = agents;
  const way = agents.through('without_skills', QUESTIONS.long);
  const [row] = diamondTable(1).rows;
  const predict = wire(service.url, 'POST', `${MODEL}/predict`, [row], headers);
  const read = wire(service.url, 'GET', `${PROJECT}/skills/prices`, undefined, headers);
  const compare = (what: string, least: number, request: Buffer) => {
    const alone = () => measureRate({ service, request, connections: 8, seconds: rounds > 1 ? 3 : 1 });
    return compareRates({
      asked: `${what} beside ${STREAMS} streams of ${TOKENS} tokens, ${TOKENS_A_SECOND} a second, where each that ends is followed by another: at least ${least} of the requests a second without them`,
      first: () => withKeptStreams(way, STREAMS, alone),
      second: alone,
      least,
      rounds,
    });
  };
  return [await compare('predictions of one row', 0.7, predict), await compare('reads of one skill', 0.8, read)];
}

function inWords(times: readonly number[]): string {
  return `p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
}

const MODEL = '/api/projects/default/models/prices';
const PROJECT = '/projects/default';

/** The service with two agents, and the chat server that it asks. */
class Agents {
  constructor(
    readonly service: Service,
    private readonly chat: Service,
    readonly headers: Headers,
  ) {}

  /** Returns the way to an answer through the service. */
  through(agent: AgentName, question: string): Way {
    return {
      url: `${this.service.url}${PROJECT}/agents/${agent}/completions/stream`,
      headers: this.headers,
      bodies: [JSON.stringify({ messages: [{ question, answer: null }] })],
      reader: ofService,
    };
  }

  /** Returns the way to the same answer from the chat server, with the requests that the service sends. */
  async direct(agent: AgentName, question: string): Promise<Way> {
    await this.chat.ask('bodies');
    await timedAnswer(this.through(agent, question));
    const bodies = asArray(await this.chat.ask('bodies')).map((body) => JSON.stringify(body));
    const url = `${this.chat.url}/chat/completions`;
    return { url, headers: {}, bodies, reader: () => ofChatServer };
  }

  /** Trains the model, and creates its skill and the agents. */
  async create(): Promise<void> {
    const { service, headers } = this;
    await train(`${service.url}${MODEL}?target=price`, diamonds, headers);
    const add = (list: string, body: object) => ask('POST', `${service.url}${PROJECT}/${list}`, body, headers);
    await add('skills', { skill: { name: 'prices', type: 'model', params: { model: 'prices' } } });
    await add('agents', { agent: { name: 'without_skills', skills: [] } });
    await add('agents', { agent: { name: 'with_model', skills: ['prices'] } });
  }
}

/**
 * Runs the service on an empty store, with a key, without effective limits, and with its own core
 * if there are two.
 */
async function withAgents<T>(folder: string, use: (agents: Agents) => Promise<T>): Promise<T> {
  pin(process.pid, cores?.load);
  const databaseUrl = `file:${join(folder, 'roster.db')}`;
  const headers = { Authorization: `Bearer ${await makeKey(databaseUrl, { name: 'bench' })}` };
  const askingChat = (chat: Service) => {
    const env = { ...ENVIRONMENT, MAX_ANSWERS, CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
    const run = async (service: Service) => {
      pin(service.pid, cores?.servers);
      const agents = new Agents(service, chat, headers);
      await agents.create();
      return use(agents);
    };
    return withService(folder, run, { databaseUrl, env });
  };
  return withService(folder, askingChat, { main: CHAT_SERVER });
}

function scenario(
  name: string,
  measure: (agents: Agents, rounds: number) => Promise<Finding[]>,
  rounds: { readonly long: number; readonly short: number },
): Scenario {
  return {
    name,
    hasShort: true,
    run: ({ folder, isShort }) => withAgents(folder, (agents) => measure(agents, isShort ? rounds.short : rounds.long)),
  };
}

await runScenarios({
  name: 'bench:agents',
  description:
    'Measure what the service adds to the time of a scripted chat server, and what streams of answers take from other requests.',
  file: 'agents',
  scenarios: [
    scenario('first-token', firstToken, { long: 300, short: 20 }),
    scenario('proxies', proxies, { long: 10, short: 2 }),
    scenario('streams', streams, { long: 5, short: 1 }),
    scenario('beside-streams', besideStreams, { long: 7, short: 1 }),
  ],
  placing: cores
    ? 'the service on a separate core, the load and the chat server on another'
    : 'the service, the load and the chat server on the same cores',
});

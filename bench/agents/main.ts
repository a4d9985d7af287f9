import { diamondTable } from '../../testkit/data/diamonds.js';
import { wire } from '../../testkit/http/load.js';
import { median, quantile } from '../../testkit/numbers.js';
import { processorTime, residentMemory } from '../../testkit/service/measured-service.js';
import { compareRates, measureRate } from '../rates.js';
import { type Finding, runScenarios, type Scenario } from '../scenarios.js';
import { type AgentName, Agents, cores } from './service.js';
import {
  openStreams,
  QUESTIONS,
  type TimedAnswer,
  TOKENS,
  TOKENS_A_SECOND,
  timedAnswer,
  withKeptStreams,
} from './timed-answer.js';

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
    const sampling = setInterval(() => grown.push(residentMemory(pid) - memory), 100);
    served.push(...(await openStreams(through, STREAMS, BEGINNING_MS)));
    clearInterval(sampling);
    costs.push((processorTime(pid) - time) / STREAMS);
  }
  const complete = served.filter(({ delays }) => delays.length === TOKENS).length;
  const delaysOf = (answers: readonly TimedAnswer[]) =>
    inWords(answers.flatMap(({ delays }) => delays));
  return [
    {
      asked: `${STREAMS} streams at once of ${TOKENS} tokens, ${TOKENS_A_SECOND} a second, begun within ${BEGINNING_MS / 1000} s: all are complete`,
      measured: `${complete} of ${served.length}, in ${rounds} rounds`,
      passed: complete === served.length,
    },
    {
      asked: 'the delay of a token, beside that from the chat server itself',
      measured: `${delaysOf(served)} against ${delaysOf(alone)}`,
      passed: undefined,
    },
    {
      asked: 'what the service takes for a stream',
      measured: `${median(costs).toFixed(1)} ms of processor (median of ${rounds} rounds), ${((Math.max(...grown) * 1024) / STREAMS).toFixed(0)} KiB of memory at most`,
      passed: undefined,
    },
  ];
}

/** Other requests while many streams are open, and without them, in turns. */
async function besideStreams(agents: Agents, rounds: number): Promise<Finding[]> {
  const { service, headers } = agents;
  const way = agents.through('without_skills', QUESTIONS.long);
  const [row] = diamondTable(1).rows;
  const predict = wire(service.url, 'POST', agents.predict, [row], headers);
  const read = wire(service.url, 'GET', agents.skill, undefined, headers);
  const compare = (what: string, least: number, request: Buffer) => {
    const alone = () =>
      measureRate({ service, request, connections: 8, seconds: rounds > 1 ? 3 : 1 });
    return compareRates({
      asked: `${what} beside ${STREAMS} streams of ${TOKENS} tokens, ${TOKENS_A_SECOND} a second, where each that ends is followed by another: at least ${least} of the requests a second without them`,
      first: () => withKeptStreams(way, STREAMS, alone),
      second: alone,
      ...{ least, rounds },
    });
  };
  return [
    await compare('predictions of one row', 0.7, predict),
    await compare('reads of one skill', 0.8, read),
  ];
}

function inWords(times: readonly number[]): string {
  return `p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
}

function scenario(
  name: string,
  measure: (agents: Agents, rounds: number) => Promise<Finding[]>,
  rounds: { readonly long: number; readonly short: number },
): Scenario {
  const run = (count: number) => (folder: string) =>
    Agents.with(folder, (agents) => measure(agents, count));
  return { name, run: run(rounds.long), runShort: run(rounds.short) };
}

await runScenarios({
  name: 'bench:agents',
  description:
    'Measure what the service adds to the time of a scripted chat server, and what streams of answers take from other requests.',
  file: 'agents',
  scenarios: [
    scenario('first-token', firstToken, { long: 300, short: 20 }),
    scenario('streams', streams, { long: 5, short: 1 }),
    scenario('beside-streams', besideStreams, { long: 7, short: 1 }),
  ],
  placing: cores
    ? 'the service on a core of its own, the load and the chat server on another'
    : 'the service, the load and the chat server on the same cores',
});

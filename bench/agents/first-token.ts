import { median, quantile } from '../../testkit/numbers.js';
import { processorTime } from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';
import { type AgentName, Agents } from './service.js';
import { QUESTIONS, timedAnswer } from './timed-answer.js';

const PAIRS = 300;
const SHORT_PAIRS = 20;

/** Answers that are not counted: it takes hundreds until the frequent code is compiled. */
const WARM_UP = 2;

/** The longest time that the service may add to the first token at p50, in milliseconds. */
const MAX_OVERHEAD_MS = 5;

const CASES: readonly { what: string; agent: AgentName; question: string }[] = [
  { what: 'an agent without skills', agent: 'without_skills', question: QUESTIONS.short },
  { what: 'an agent with a model, not asked', agent: 'with_model', question: QUESTIONS.short },
  { what: 'an agent that asks its model first', agent: 'with_model', question: QUESTIONS.tool },
];

/** The time until the first token, through the service and from the chat server itself, in turns. */
export const firstToken: Scenario = {
  name: 'first-token',
  run: (folder) => Agents.with(folder, (agents) => findings(agents, PAIRS)),
  runShort: (folder) => Agents.with(folder, (agents) => findings(agents, SHORT_PAIRS)),
};

async function findings(agents: Agents, pairs: number): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { what, agent, question } of CASES) {
    const direct = await agents.direct(agent, question);
    const through = agents.through(agent, question);
    const times = { direct: [] as number[], through: [] as number[], added: [] as number[] };
    let before = 0;
    for (let pair = -WARM_UP * pairs; pair < pairs; pair += 1) {
      if (pair === 0) before = processorTime(agents.service.pid);
      const alone = (await timedAnswer(direct)).first;
      const served = (await timedAnswer(through)).first;
      if (pair < 0) continue;
      times.direct.push(alone);
      times.through.push(served);
      times.added.push(served - alone);
    }
    const cost = (processorTime(agents.service.pid) - before) / pairs;
    found.push({
      asked: `${what}: the first token at most ${MAX_OVERHEAD_MS} ms later at p50 than from the chat server itself`,
      measured: `${figures(times.added)} later: ${figures(times.through)} against ${figures(times.direct)}, of ${pairs} each; the whole answer takes the service ${cost.toFixed(1)} ms of processor`,
      passed: median(times.added) <= MAX_OVERHEAD_MS,
    });
  }
  return found;
}

function figures(times: readonly number[]): string {
  return `${median(times).toFixed(1)} ms (p95 ${quantile(times, 0.95).toFixed(1)})`;
}

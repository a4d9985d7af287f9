import { median, quantile } from '../../testkit/numbers.js';
import { processorTime, residentMemory } from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';
import { Agents } from './service.js';
import {
  openStreams,
  QUESTIONS,
  type TimedAnswer,
  TOKENS,
  TOKENS_A_SECOND,
  type Way,
} from './timed-answer.js';

const STREAMS = 200;
const ROUNDS = 5;
const SHORT_ROUNDS = 1;

/** The time in which the streams begin, which is shorter than an answer, in milliseconds. */
const BEGINNING_MS = 1000;
const SAMPLE_MS = 100;

/** Many streams at once, through the service and from the chat server itself, in turns. */
export const streams: Scenario = {
  name: 'streams',
  run: (folder) => Agents.with(folder, (agents) => findings(agents, ROUNDS)),
  runShort: (folder) => Agents.with(folder, (agents) => findings(agents, SHORT_ROUNDS)),
};

async function findings(agents: Agents, rounds: number): Promise<Finding[]> {
  const through = agents.through('without_skills', QUESTIONS.long);
  const direct = await agents.direct('without_skills', QUESTIONS.long);
  const { pid } = agents.service;
  await openStreams(through, STREAMS, BEGINNING_MS);
  const alone: TimedAnswer[] = [];
  const served: TimedAnswer[] = [];
  const costs: number[] = [];
  const grown: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await open(direct)));
    const before = { memory: residentMemory(pid), time: processorTime(pid) };
    const memory = new PeakMemory(pid);
    served.push(...(await open(through)));
    grown.push(memory.end() - before.memory);
    costs.push((processorTime(pid) - before.time) / STREAMS);
  }
  const complete = served.filter(({ delays }) => delays.length === TOKENS).length;
  const cost = median(costs);
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
      asked: 'the processor time of the service',
      measured: `${cost.toFixed(1)} ms a stream, ${((cost * 1000) / TOKENS).toFixed(0)} µs a token with all that begins and ends a stream (median of ${rounds} rounds)`,
      passed: undefined,
    },
    {
      asked: 'the memory by which the service grows',
      measured: `${Math.max(...grown).toFixed(0)} MiB at most in a round, ${((Math.max(...grown) * 1024) / STREAMS).toFixed(0)} KiB a stream`,
      passed: undefined,
    },
  ];
}

function open(way: Way): Promise<TimedAnswer[]> {
  return openStreams(way, STREAMS, BEGINNING_MS);
}

/** Samples the memory of a process until it is ended. */
class PeakMemory {
  #peak = 0;
  readonly #sampling: NodeJS.Timeout;

  constructor(pid: number) {
    this.#sampling = setInterval(() => {
      this.#peak = Math.max(this.#peak, residentMemory(pid));
    }, SAMPLE_MS);
  }

  /** Returns the highest memory, in MiB. */
  end(): number {
    clearInterval(this.#sampling);
    return this.#peak;
  }
}

function delaysOf(answers: readonly TimedAnswer[]): string {
  const delays = answers.flatMap((answer) => answer.delays);
  return `p50 ${median(delays).toFixed(1)} ms, p99 ${quantile(delays, 0.99).toFixed(1)} ms`;
}

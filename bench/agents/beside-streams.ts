import { diamondTable } from '../../testkit/data/diamonds.js';
import { Crowd, wire } from '../../testkit/http/load.js';
import { median, percent } from '../../testkit/numbers.js';
import { processorTime } from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';
import { Agents } from './service.js';
import { KeptStreams, QUESTIONS, TOKENS, TOKENS_A_SECOND } from './timed-answer.js';

const STREAMS = 200;
const CONNECTIONS = 8;
const ROUNDS = { count: 7, seconds: 3 };
const SHORT_ROUNDS = { count: 1, seconds: 1 };

/** Other requests while many streams are open, and without them, in turns. */
export const besideStreams: Scenario = {
  name: 'beside-streams',
  run: (folder) => Agents.with(folder, (agents) => findings(agents, ROUNDS)),
  runShort: (folder) => Agents.with(folder, (agents) => findings(agents, SHORT_ROUNDS)),
};

interface Rate {
  /** Answered requests a second. */
  readonly requests: number;
  /** The share of its core that the service used. */
  readonly busy: number;
}

async function findings(agents: Agents, rounds: typeof ROUNDS): Promise<Finding[]> {
  const { url } = agents.service;
  const [row] = diamondTable(1).rows;
  const cases = [
    {
      what: 'predictions of one row',
      minShare: 0.7,
      request: wire(url, 'POST', agents.predict, [row], agents.headers),
    },
    {
      what: 'reads of one skill',
      minShare: 0.8,
      request: wire(url, 'GET', agents.skill, undefined, agents.headers),
    },
  ];
  const streams = agents.through('without_skills', QUESTIONS.long);
  const found: Finding[] = [];
  for (const { what, minShare, request } of cases) {
    const rate = () => rateOf(agents, request, rounds.seconds);
    await rate();
    const alone: Rate[] = [];
    const beside: Rate[] = [];
    for (let round = 0; round < rounds.count; round += 1) {
      alone.push(await rate());
      const open = await KeptStreams.open(streams, STREAMS);
      beside.push(await rate());
      await open.end();
    }
    const shares = beside.map(({ requests }, round) => requests / (alone[round]?.requests ?? 0));
    found.push({
      asked: `${what} beside ${STREAMS} streams of ${TOKENS} tokens, ${TOKENS_A_SECOND} a second, where each that ends is followed by another: at least ${percent(minShare)} of the requests a second without them`,
      measured: `${percent(median(shares))} (median of ${rounds.count} rounds): ${figures(beside)} against ${figures(alone)}`,
      passed: median(shares) >= minShare,
    });
  }
  return found;
}

async function rateOf({ service }: Agents, request: Buffer, seconds: number): Promise<Rate> {
  const crowd = new Crowd(service.url, () => request);
  const before = processorTime(service.pid);
  const load = await crowd.closedLoop(CONNECTIONS, seconds);
  const busy = (processorTime(service.pid) - before) / (load.seconds * 1000);
  crowd.close();
  if (load.others.length > 0) throw new Error(load.others[0]);
  return { requests: load.served / load.seconds, busy };
}

function figures(rates: readonly Rate[]): string {
  const requests = median(rates.map(({ requests }) => requests));
  const busy = median(rates.map(({ busy }) => busy));
  return `${requests.toFixed(0)}/s with the service at ${percent(busy)} of a core`;
}

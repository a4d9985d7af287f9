import { Crowd } from '../../testkit/http/load.js';
import { median } from '../../testkit/numbers.js';
import { processorTime, type Service } from '../../testkit/service/measured-service.js';

/** A request that is sent again and again, and the connections that send it at once. */
export interface Repeated {
  readonly service: Pick<Service, 'url' | 'pid'>;
  readonly request: Buffer;
  readonly connections?: number;
}

/** The figures of one round. */
export interface Rate {
  readonly perSecond: number;
  /** The processor time of a request, in milliseconds. */
  readonly cost: number;
}

/** The rates of two requests, measured in turn. */
export interface Compared {
  readonly first: readonly Rate[];
  readonly second: readonly Rate[];
}

/** @throws if an answer is not 2xx */
export async function rateOf(
  { service, request, connections = 1 }: Repeated,
  seconds: number,
): Promise<Rate> {
  const crowd = new Crowd(service.url, () => request);
  const before = processorTime(service.pid);
  const load = await crowd.closedLoop(connections, seconds);
  const worked = processorTime(service.pid) - before;
  crowd.close();
  if (load.others.length > 0) throw new Error(load.others[0]);
  return { perSecond: load.served / load.seconds, cost: worked / load.served };
}

/** Measures two requests in turn, round by round, after a round that does not count. */
export async function compare(
  first: () => Promise<Rate>,
  second: () => Promise<Rate>,
  rounds: number,
): Promise<Compared> {
  const compared = { first: [] as Rate[], second: [] as Rate[] };
  for (let round = 0; round <= rounds; round++) {
    const rates = [await first(), await second()] as const;
    if (round === 0) continue;
    compared.first.push(rates[0]);
    compared.second.push(rates[1]);
  }
  return compared;
}

/** Returns the median over the rounds of what the first has for each of the second. */
export function ratio({ first, second }: Compared, what: keyof Rate): number {
  return median(first.map((rate, round) => rate[what] / (second[round]?.[what] ?? 0)));
}

/** Returns the median of a figure of rates. */
export function middle(rates: readonly Rate[], what: keyof Rate): number {
  return median(rates.map((rate) => rate[what]));
}

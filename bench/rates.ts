import { Crowd, type Requests } from '../testkit/http/load.js';
import { median } from '../testkit/numbers.js';
import { processorTime, type Service } from '../testkit/service/measured-service.js';
import type { Finding } from './scenarios.js';

/** A request that is sent again and again. */
export interface Repeated {
  readonly service: Pick<Service, 'url' | 'pid'>;
  readonly request: Buffer | Requests;
  /** The connections that send it at once; 1 by default. */
  readonly connections?: number;
  readonly seconds: number;
  /** True if answers other than 2xx are left out; they are an error otherwise. */
  readonly mayRefuse?: boolean;
}

/** The figures of a round. One that was not measured is NaN. */
export interface Rate {
  /** The number of 2xx answers. */
  readonly perSecond: number;
  /** The processor time of one, in milliseconds. */
  readonly cost: number;
}

/** Measures a request in one round. @throws if an answer is not 2xx, unless it may be refused */
export async function measureRate(repeated: Repeated): Promise<Rate> {
  const { service, request, connections = 1, seconds, mayRefuse = false } = repeated;
  const requests = typeof request === 'function' ? request : () => request;
  const crowd = new Crowd(service.url, requests);
  const before = processorTime(service.pid);
  const load = await crowd.closedLoop(connections, seconds);
  const worked = processorTime(service.pid) - before;
  crowd.close();
  const [other = load.refusing.length > 0 ? '503' : undefined] = load.others;
  if (other !== undefined && !mayRefuse) throw new Error(`a request was answered with ${other}`);
  return { perSecond: load.served / load.seconds, cost: worked / load.served };
}

/** Two works that are measured in turn, and the bound of the first figure divided by the second. */
export interface Comparison {
  readonly asked: string;
  readonly first: () => Promise<Rate>;
  readonly second: () => Promise<Rate>;
  /** The compared figure; the answers a second by default. */
  readonly what?: keyof Rate;
  readonly least?: number;
  readonly most?: number;
  readonly rounds: number;
  /** The rounds that do not count; 1 by default. */
  readonly warmUps?: number;
}

/** Measures two works in turn, round by round, so that other load on the machine affects both alike. */
export async function compareRates(comparison: Comparison): Promise<Finding> {
  const { asked, first, second, what = 'perSecond', rounds, warmUps = 1 } = comparison;
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = comparison;
  const rates = { first: [] as Rate[], second: [] as Rate[] };
  for (let round = -warmUps; round < rounds; round++) {
    const [one, other] = [await first(), await second()];
    if (round < 0) continue;
    rates.first.push(one);
    rates.second.push(other);
  }
  const ratios = rates.first.map((rate, round) => rate[what] / (rates.second[round]?.[what] ?? 0));
  const ratio = median(ratios);
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return {
    asked,
    measured: `${ratio.toFixed(2)} (median of ${rounds}, ${range}): ${describeRates(rates.first)} against ${describeRates(rates.second)}`,
    passed: ratio >= least && ratio <= most,
  };
}

function describeRates(rates: readonly Rate[]): string {
  const perSecond = median(rates.map((rate) => rate.perSecond));
  const cost = median(rates.map((rate) => rate.cost));
  const figures = [
    Number.isNaN(perSecond) ? '' : `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s`,
    Number.isNaN(cost) ? '' : `${cost.toFixed(cost < 10 ? 3 : 0)} ms`,
  ];
  return figures.filter((figure) => figure !== '').join(', ');
}

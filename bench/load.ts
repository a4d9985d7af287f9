import { NoAnswer } from '../testkit/http/client.js';
import { Crowd, type Requests } from '../testkit/http/load.js';
import { median } from '../testkit/numbers.js';
import { processorTime, type Service, treeTime } from '../testkit/service/measured-service.js';
import type { Finding } from './scenarios.js';

export interface Repeated {
  readonly service: Pick<Service, 'url' | 'pid'>;
  readonly request: Buffer | Requests;
  /** The connections that send it at once; 1 by default. */
  readonly connections?: number;
  readonly seconds: number;
  /** The number of requests to send, instead of a duration. */
  readonly count?: number | undefined;
  /** The statuses that answers may have; only 2xx by default. */
  readonly statuses?: readonly number[];
  /** True if answers other than 2xx are left out; they are an error otherwise. */
  readonly mayRefuse?: boolean;
}

/** The figures of a round. One that was not measured is NaN. */
export interface Rate {
  /** The number of answers. */
  readonly perSecond: number;
  /** The processor time of one, in milliseconds. */
  readonly cost: number;
  /** That in all processes of the service. */
  readonly allCost: number;
}

/** Those of requests that were sent. */
export interface AnswerRate extends Rate {
  readonly answers: number;
}

/** Measures a request in one round. @throws if an answer has none of its statuses, unless it may be refused */
export async function measureRate(repeated: Repeated): Promise<AnswerRate> {
  const { service, request, connections = 1, seconds, count } = repeated;
  const { statuses = [200], mayRefuse = false } = repeated;
  const crowd = new Crowd(service.url, typeof request === 'function' ? request : () => request);
  const before = { own: processorTime(service.pid), all: treeTime(service.pid) };
  const { served, refusing, others, ...load } =
    count === undefined ? await crowd.closedLoop(connections, seconds) : await crowd.fixedCount(connections, count);
  const worked = processorTime(service.pid) - before.own;
  const allWorked = treeTime(service.pid) - before.all;
  crowd.close();
  const wrong = others.filter((other) => !statuses.includes(Number(other)));
  if (refusing.length > others.length) wrong.push('503');
  if (served > 0 && !statuses.some((status) => status < 300)) wrong.push('2xx');
  if (wrong.length > 0 && !mayRefuse) throw new Error(`a request was answered with ${wrong[0]}`);
  const answers = mayRefuse ? served : served + refusing.length;
  const costs = { cost: worked / answers, allCost: allWorked / answers };
  return { answers, perSecond: answers / load.seconds, ...costs };
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

export async function compareRates(comparison: Comparison): Promise<Finding> {
  const { asked, first, second, what = 'perSecond', rounds, warmUps = 1 } = comparison;
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = comparison;
  const both = await measureInTurn([first, second], (work) => work(), { rounds, warmUps });
  const [one = [], other = []] = both.map((measured) => measured.rounds);
  const { ratio, range } = compareRounds(one, other, what);
  return {
    asked,
    measured: `${ratio.toFixed(2)} (median of ${rounds}, ${range}): ${describeRates(one)} against ${describeRates(other)}`,
    passed: ratio >= least && ratio <= most,
  };
}

/**
 * Measures works in turn, round by round. Each round begins with another, so that other load on the machine affects
 * all of them alike. The first rounds warm up, and do not count.
 */
export async function measureInTurn<T, R extends Rate>(
  works: readonly T[],
  measure: (work: T) => Promise<R>,
  { rounds: count, warmUps }: Required<Pick<Comparison, 'rounds' | 'warmUps'>>,
) {
  const all = works.map((work) => ({ work, rounds: [] as R[] }));
  for (let round = 0; round < warmUps + count; round++) {
    const first = round % works.length;
    for (const { work, rounds } of [...all.slice(first), ...all.slice(0, first)]) {
      const rate = await measure(work);
      if (round >= warmUps) rounds.push(rate);
    }
  }
  return all;
}

/** Returns the median of the ratios of two works in their rounds, and the range of these. */
export function compareRounds(one: readonly Rate[], other: readonly Rate[], what: keyof Rate) {
  const ratios = one.map((rate, round) => rate[what] / (other[round]?.[what] ?? 0));
  const range = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  return { ratio: median(ratios), range: range.join(' to ') };
}

function describeRates(rates: readonly Rate[]): string {
  const perSecond = median(rates.map((rate) => rate.perSecond));
  const cost = median(rates.map((rate) => rate.cost));
  const allCost = median(rates.map((rate) => rate.allCost));
  const inMs = (time: number) => `${time.toFixed(time < 10 ? 3 : 0)} ms`;
  const figures = [
    Number.isNaN(perSecond) ? '' : `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s`,
    Number.isNaN(cost) ? '' : inMs(cost),
    Number.isNaN(allCost) ? '' : `${inMs(allCost)} with its workers`,
  ];
  return figures.filter((figure) => figure !== '').join(', ');
}

/** Does something again and again. @returns what stops it, and returns the results so far */
export function repeatedly<T>(everyMs: number, work: (number: number) => T): () => readonly T[] {
  const results: T[] = [];
  const timer = setInterval(() => results.push(work(results.length)), everyMs);
  return () => {
    clearInterval(timer);
    return results;
  };
}

/** Does something a number of times. @returns the median of its times, in milliseconds */
export async function timeWork(times: number, work: () => Promise<unknown>): Promise<number> {
  const measured: number[] = [];
  for (let round = 0; round < times; round++) {
    const begun = performance.now();
    await work();
    measured.push(performance.now() - begun);
  }
  return median(measured);
}

/** The status of an answer, and its time in milliseconds: infinite, and without a status, if none came in time. */
export interface Timed {
  readonly status: number | undefined;
  readonly milliseconds: number;
}

export async function timeAnswer(ask: () => Promise<{ readonly status: number }>): Promise<Timed> {
  const begun = performance.now();
  try {
    const { status } = await ask();
    return { status, milliseconds: performance.now() - begun };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { status: undefined, milliseconds: Number.POSITIVE_INFINITY };
  }
}

/** Returns the time of an answer with one of the statuses; infinite for others. */
export async function timeStatus(
  statuses: readonly number[],
  ask: () => Promise<{ readonly status: number }>,
): Promise<number> {
  const { status, milliseconds } = await timeAnswer(ask);
  return statuses.includes(status ?? 0) ? milliseconds : Number.POSITIVE_INFINITY;
}

/** Formats a time; `late` says what an infinite one means. */
export function timeInWords(milliseconds: number, late: string): string {
  return Number.isFinite(milliseconds) ? `${milliseconds.toFixed(0)} ms` : late;
}

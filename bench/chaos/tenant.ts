import { diamondTable } from '../../testkit/data/diamonds.js';
import { ask, Client, type Headers, NoAnswer, send } from '../../testkit/http/client.js';
import { percent, quantile } from '../../testkit/numbers.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import type { Finding } from '../scenarios.js';

/** The rates of an ordinary owner, in requests a second. */
const RATES = { reads: 20, writes: 5, predictions: 10, uploads: 0.5 };
type Kind = keyof typeof RATES;
const KINDS: readonly Kind[] = ['reads', 'writes', 'predictions', 'uploads'];

const SKILLS = 20;
/** Every second prediction has so many rows, the others have one. */
const ROWS_TO_PREDICT = 20;
const ROWS_OF_MODEL = 300;
const ROWS_TO_UPLOAD = 60;

/** The timeout of the owner's requests, in milliseconds. */
const DEADLINE = 3000;

const SERVED = 0.95;
/** The limit of the p99, in milliseconds. */
const P99 = 1000;

type Outcome = Timed & { readonly kind: Kind };

type Request = (number: number) => readonly [method: string, path: string, body?: unknown];

/** An owner who works at a modest, steady rate. */
export class Tenant {
  readonly #client = new Client({ connections: Number.POSITIVE_INFINITY, deadline: DEADLINE });
  #outcomes: Promise<Outcome>[] = [];
  #timers: NodeJS.Timeout[] = [];

  private constructor(
    private readonly url: string,
    private readonly headers: Headers,
    private readonly requests: Readonly<Record<Kind, Request>>,
  ) {}

  /** Creates a project with skills and a trained model for the owner of a key. */
  static async settle(url: string, headers: Headers): Promise<Tenant> {
    const table = diamondTable(ROWS_OF_MODEL);
    const small = diamondTable(ROWS_TO_UPLOAD).csv;
    const skills = '/projects/home/skills';
    const models = '/api/projects/home/models';
    await ask('POST', `${url}/projects`, { project: { name: 'home' } }, headers);
    for (let number = 0; number < SKILLS; number += 1) {
      const skill = { name: `skill_${number}`, type: 'lookup', params: { tables: ['orders'] } };
      await ask('POST', url + skills, { skill }, headers);
    }
    await ask('PUT', `${url + models}/prices?target=price`, table.csv, headers);
    await untilReadyAt(`${url + models}/prices`, headers);
    // The first refusal of a process loads the code that words it; every real service has done so in its first
    // minute.
    await send('POST', url + skills, {}, headers);
    return new Tenant(url, headers, {
      reads: (number) => ['GET', number % 2 ? skills : `${skills}/skill_${number % SKILLS}`],
      writes: (number) => [
        'PUT',
        `${skills}/skill_${number % SKILLS}`,
        { skill: { params: { limit: number } } },
      ],
      predictions: (number) => [
        'POST',
        `${models}/prices/predict`,
        table.rows.slice(0, number % 2 ? 1 : ROWS_TO_PREDICT),
      ],
      uploads: (number) => ['PUT', `${models}/upload_${number}?target=price`, small],
    });
  }

  start(): void {
    this.#outcomes = [];
    for (const kind of KINDS) {
      let number = 0;
      const send = () => this.#outcomes.push(this.#send(kind, number++));
      this.#timers.push(setInterval(send, 1000 / RATES[kind]));
    }
  }

  /** Stops sending, and waits for the pending answers. */
  async stop(): Promise<readonly Outcome[]> {
    this.#clearTimers();
    return Promise.all(this.#outcomes);
  }

  #clearTimers(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  close(): void {
    this.#clearTimers();
    this.#client.close();
  }

  async #send(kind: Kind, number: number): Promise<Outcome> {
    const [method, path, body] = this.requests[kind](number);
    const url = this.url + path;
    const outcome = await timeAnswer(() => this.#client.send(method, url, body, this.headers));
    return { kind, ...outcome };
  }
}

/** Returns whether the owner was served as required, with the share and the times of each kind of request. */
export function servedFinding(outcomes: readonly Outcome[]): Finding {
  const kinds = KINDS.map((kind) => judgeKind(kind, outcomes));
  const sent = outcomes.length;
  return {
    asked: `another owner gets ≥ ${percent(SERVED)} of its reads, writes, predictions and uploads served, p99 ≤ ${P99} ms`,
    measured: `${kinds.map(({ words }) => words).join('; ')}; of ${sent}`,
    passed: sent > 0 && kinds.every(({ passed }) => passed),
  };
}

function judgeKind(kind: Kind, outcomes: readonly Outcome[]) {
  const own = outcomes.filter((outcome) => outcome.kind === kind);
  const refused = own.filter(({ status }) => status === undefined || status >= 300);
  const share = own.length === 0 ? 1 : 1 - refused.length / own.length;
  const p99 = own.length === 0 ? 0 : p99Of(own);
  const time = timeInWords(p99, `more than ${DEADLINE} ms`);
  const answers = [...new Set(refused.map(({ status }) => status ?? 'no answer'))].join(', ');
  const why = refused.length > 0 ? ` (${answers})` : '';
  return {
    words: `${kind} ${percent(share)}${why}, p99 ${time}`,
    passed: share >= SERVED && p99 <= P99,
  };
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
export async function timeOf(
  statuses: readonly number[],
  ask: () => Promise<{ readonly status: number }>,
): Promise<number> {
  const { status, milliseconds } = await timeAnswer(ask);
  return statuses.includes(status ?? 0) ? milliseconds : Number.POSITIVE_INFINITY;
}

function p99Of(answers: readonly Timed[]): number {
  const times = answers.map(({ milliseconds }) => milliseconds);
  return quantile(times, 0.99);
}

/** Formats a time; `late` says what an infinite one means. */
export function timeInWords(milliseconds: number, late: string): string {
  return Number.isFinite(milliseconds) ? `${milliseconds.toFixed(0)} ms` : late;
}

import fc from 'fast-check';
import { type Case, targetOf } from './case.js';
import { cases } from './cases.js';
import { type Exchange, faultsOfAnswer } from './expectations.js';
import { faultsAfter } from './follow-ups.js';
import { curlOf } from './http.js';
import { requestOf } from './requests.js';
import type { World } from './world.js';

/** Something that is not as the contract promises. */
export interface Finding {
  /** What is the same in each request that meets it. */
  what: string;
  /** All that was found at the smallest request that was found. */
  faults: readonly string[];
  /** The command that sends this request again. */
  curl: string;
  seed: number;
  /** Where fast-check finds it again, with this seed. */
  path: string;
}

/** How many requests are made from one seed: the more, the longer the path to a finding. */
const ROUND = 250;

/** How many smaller requests are tried once there is a finding. */
const SHRINKS = 300;

/** Goes on from seed to seed, and notes each finding once. */
export class Search {
  readonly findings: Finding[] = [];
  readonly #known = new Set<string>();

  constructor(private readonly world: World) {}

  /** Makes requests up from one seed until a finding or the end of the round. */
  async round(seed: number, path?: string): Promise<void> {
    let last: { exchange: Exchange; faults: readonly string[]; what: string } | undefined;
    let left = SHRINKS;
    const property = fc.asyncProperty(cases, async (made) => {
      if (last !== undefined && left-- <= 0) return;
      const exchange = await this.#exchange(made);
      const faults = [...(await faultsOfAnswer(exchange)), ...(await faultsAfter(exchange))];
      const what = `${made.operationId}: ${wordsOf(faults[0] ?? '')}`;
      if (faults.length === 0 || this.#known.has(what)) return;
      // Another finding on the way to a smaller request waits for its own turn.
      if (last !== undefined && last.what !== what) return;
      last = { exchange, faults, what };
      throw new Error(faults.join('\n'));
    });
    const details = await fc.check(property, {
      seed,
      numRuns: path === undefined ? ROUND : 1,
      ...(path === undefined ? {} : { path, endOnFailure: true }),
    });
    if (!details.failed) return;
    if (last === undefined) throw details.errorInstance;
    const { exchange, faults, what } = last;
    this.#known.add(what);
    const curl = curlOf(this.world.url, exchange.request);
    this.findings.push({ what, faults, curl, seed, path: details.counterexamplePath ?? '' });
  }

  async #exchange(made: Case): Promise<Exchange> {
    const { world } = this;
    const filled = await world.fill(made);
    const request = requestOf(made, filled);
    const key = request.headers['Idempotency-Key'];
    if (key !== undefined) {
      world.idempotencyKeys.set(key, (world.idempotencyKeys.get(key) ?? 0) + 1);
    }
    const answer = await world.send(request, targetOf(made).id);
    return { made, filled, request, answer, world };
  }
}

/** A fault without what differs from request to request. */
function wordsOf(fault: string): string {
  return fault
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\/\d+/g, '/…')
    .slice(0, 120);
}

/** What a finding is, and how to see it again. */
export function told({ faults, curl, seed, path, what }: Finding): string {
  return [
    what,
    ...faults.map((fault) => `  ${fault.slice(0, 1000)}`),
    `  ${curl.length > 2000 ? `${curl.slice(0, 2000)}… (${curl.length} characters)` : curl}`,
    `  npm run fuzz -- --seed ${seed} --path ${path}`,
  ].join('\n');
}

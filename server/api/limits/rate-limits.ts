import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { components } from '../../../generated/openapi.js';
import type { Caller } from '../../auth/caller.js';
import type { Throttle } from '../../edge/refusals.js';
import { ProblemError, problem } from '../../problems/problem.js';
import type { Store } from '../../store/index.js';
import { KEY_LIMITS, LIMIT_NAMES, type LimitName } from '../../store/key-limits.js';
import { returnSlice, type Slice, takeSlice } from '../../store/key-usage.js';

/** The limit of requests that the service sets for each key; each instance counts for itself. */
const OWN = 'key';
const OWN_SECONDS = 60;

type PolicyName = typeof OWN | LimitName;

const POLICIES: readonly PolicyName[] = [OWN, ...LIMIT_NAMES];

/**
 * The part of what is left of a shared limit that an instance takes at once. The parts become smaller towards the
 * end, and the last ones are what is needed.
 */
const PART = 1 / 16;

/**
 * The time after which a limit that is used up is looked at again, in milliseconds: an instance may have given back.
 */
const ASK_AGAIN_MS = 1000;

/** A period of a limit, as this instance knows it. */
interface Period {
  /** Its end, as given by `performance.now()`. */
  readonly end: number;
  /** The amount that this instance may still use up. */
  granted: number;
  /** The rest that no instance has, when the store was asked. */
  readonly left: number;
  /** The limit that this is of. Tokens of an identity may have different ones. */
  readonly max: number;
  readonly askedAt: number;
  /** As the store knows it. */
  readonly began: number;
}

type Quota = components['schemas']['Quota'];

/**
 * Limits what a key or an identity uses in a period: requests, by `RATE_LIMIT` of the service, and requests, rows
 * and tokens by its own limits, which all instances share. Reports the rest in the headers `RateLimit` and
 * `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). Without keys there is one local caller, who is not
 * limited.
 */
export class RateLimits {
  /** By the name of the limit, and then by the id of the caller, in the order of their ends. */
  readonly #periods = new Map<PolicyName, Map<string, Period>>();
  /** The slices that are being taken, by the name of the limit and the id of the caller. */
  readonly #asking = new Map<string, Promise<void>>();
  /** The header `RateLimit-Policy` of callers, which stays as long as a caller is remembered. */
  readonly #policies = new WeakMap<Caller, string>();

  /** @param max the most requests of a key to this instance in a minute; 0 for no limit */
  constructor(
    private readonly max: number,
    private readonly store: Store,
  ) {}

  /**
   * Counts a request, and reports what is left.
   * @returns undefined, or a promise if the store is asked
   * @throws {ProblemError} if the key has sent too many requests
   */
  admit(req: Request, res: Response, caller: Caller, throttle: Throttle): Promise<void> | undefined {
    const refuse = (refusal: unknown): never => {
      this.#report(res, caller);
      if (refusal instanceof ProblemError) throttle(req, res, caller);
      throw refusal;
    };
    try {
      const counted = this.spend(caller, OWN, 1) ?? this.spend(caller, 'requests', 1);
      if (counted) return counted.then(() => this.#report(res, caller), refuse);
    } catch (refusal) {
      refuse(refusal);
    }
    this.#report(res, caller);
    return undefined;
  }

  /**
   * Counts what a caller is about to get. An amount of 0 counts nothing, but is refused when the limit is used up.
   * @returns undefined, or a promise if the store is asked
   * @throws {ProblemError} if less is left; nothing is counted then
   */
  spend(caller: Caller, name: PolicyName, amount: number): Promise<void> | undefined {
    const { id } = caller;
    const max = name === OWN ? this.max : caller.limits?.[name];
    if (id === null || !max) return undefined;
    if (name === OWN && !this.#find(id, OWN)) this.#begin(id, OWN, beginOwn(max));
    const period = this.#find(id, name);
    const needed = Math.max(amount, 1);
    if (period && period.granted >= needed) {
      period.granted -= amount;
      return undefined;
    }
    if (name !== OWN && !isUsedUp(period, needed, max)) {
      return this.#spendShared(caller, name, max, amount);
    }
    throw refuse(caller, name, max, period);
  }

  /**
   * Gives back an amount that was counted for an answer which failed. If the period has ended meanwhile, nothing is
   * left to give back to.
   * @param begun when the answer began, as given by `performance.now()`
   */
  giveBack({ id, limits }: Caller, name: LimitName, amount: number, begun: number): void {
    const period = id !== null && limits?.[name] ? this.#find(id, name) : undefined;
    if (period && begun >= period.end - KEY_LIMITS[name].seconds * 1000) period.granted += amount;
  }

  /** Counts what a caller has had, though it may be more than was left. */
  async settle(caller: Caller, name: LimitName, amount: number): Promise<void> {
    const { id } = caller;
    const max = caller.limits?.[name];
    if (id === null || max === undefined || amount === 0) return;
    try {
      await this.spend(caller, name, amount);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.type !== TOO_MANY) throw error;
      await this.#ask(id, name, max, amount);
      const period = this.#find(id, name);
      if (period) period.granted = 0;
    }
  }

  /** Returns what is left of the limits of a caller, as the store knows it. */
  async list(caller: Caller): Promise<Quota[]> {
    const { id, limits = {} } = caller;
    if (id === null) return [];
    const quotas: Quota[] = [];
    for (const name of LIMIT_NAMES) {
      const limit = limits[name];
      if (limit === undefined) continue;
      await this.#ask(id, name, limit, 0);
      const period = this.#find(id, name);
      if (!period) continue;
      const { seconds } = KEY_LIMITS[name];
      const [left, reset_seconds] = [period.granted + period.left, countSeconds(period)];
      quotas.push({ name, limit, seconds, left, reset_seconds });
    }
    return quotas;
  }

  /** Gives back what this instance has taken and not used. */
  async stop(): Promise<void> {
    for (const name of LIMIT_NAMES) {
      for (const [keyId, { granted: unused, began }] of this.#periods.get(name) ?? []) {
        if (unused > 0) await returnSlice(this.store, keyId, name, { began, unused });
      }
    }
    this.#periods.clear();
  }

  async #spendShared(caller: Caller, name: LimitName, max: number, amount: number): Promise<void> {
    const keyId = caller.id ?? '';
    const needed = Math.max(amount, 1);
    for (;;) {
      const period = this.#find(keyId, name);
      if (period && period.granted >= needed) {
        period.granted -= amount;
        return;
      }
      if (isUsedUp(period, needed, max)) throw refuse(caller, name, max, period);
      const part = Math.ceil((period?.left ?? max) * PART);
      await this.#ask(keyId, name, max, Math.max(needed - (period?.granted ?? 0), part));
    }
  }

  /** Takes a slice. Concurrent callers share the request. */
  #ask(keyId: string, name: LimitName, max: number, wanted: number): Promise<void> {
    const id = `${name} ${keyId}`;
    const asking =
      this.#asking.get(id) ??
      takeSlice(this.store, keyId, name, { wanted, max })
        .then((slice) => this.#add(keyId, name, max, slice))
        .finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking;
  }

  #add(keyId: string, name: LimitName, max: number, slice: Slice): void {
    const { left, began, remainingMs } = slice;
    const known = this.#find(keyId, name);
    const kept = known?.began === began ? known.granted : 0;
    const askedAt = performance.now();
    const granted = kept + slice.granted;
    const period = { end: askedAt + remainingMs, granted, left, max, askedAt, began };
    this.#begin(keyId, name, period);
  }

  #find(keyId: string, name: PolicyName): Period | undefined {
    const period = this.#periods.get(name)?.get(keyId);
    return period && performance.now() < period.end ? period : undefined;
  }

  /** Begins a period, and forgets those that are over. */
  #begin(keyId: string, name: PolicyName, period: Period): void {
    const periods = this.#periods.get(name) ?? new Map<string, Period>();
    this.#periods.set(name, periods);
    const now = performance.now();
    for (const [id, { end }] of periods) {
      if (now < end) break;
      periods.delete(id);
    }
    periods.set(keyId, period);
  }

  #report(res: Response, caller: Caller): void {
    const { id } = caller;
    if (id === null) return;
    const policies = this.#policies.get(caller) ?? this.#describePolicies(id, caller);
    this.#policies.set(caller, policies);
    if (policies === '') return;
    const left: string[] = [];
    for (const name of POLICIES) {
      const period = this.#find(id, name);
      if (period) left.push(`"${name}"; r=${period.granted + period.left}; t=${countSeconds(period)}`);
    }
    if (left.length > 0) res.setHeader('RateLimit', left.join(', '));
    res.setHeader('RateLimit-Policy', policies);
  }

  #describePolicies(keyId: string, { limits = {} }: Caller): string {
    const policies: string[] = [];
    const add = (name: PolicyName, max: number | undefined, seconds: number, partition = '') => {
      if (max) policies.push(`"${name}"; q=${max}; w=${seconds}${partition}`);
    };
    add(OWN, this.max, OWN_SECONDS, formatPartition(keyId));
    for (const name of LIMIT_NAMES) add(name, limits[name], KEY_LIMITS[name].seconds);
    return policies.join(', ');
  }
}

function beginOwn(max: number): Period {
  const now = performance.now();
  return { end: now + OWN_SECONDS * 1000, granted: max, left: 0, max, askedAt: now, began: 0 };
}

/** Returns whether less is left of a limit than is needed, as the store has just said. */
function isUsedUp(period: Period | undefined, needed: number, max: number): boolean {
  return (
    period !== undefined &&
    period.max >= max &&
    performance.now() - period.askedAt < ASK_AGAIN_MS &&
    period.granted + period.left < needed
  );
}

/** Returns the seconds until the end of a period. */
function countSeconds({ end }: Period): number {
  return Math.max(1, Math.ceil((end - performance.now()) / 1000));
}

const TOO_MANY = '/problems/too-many-requests';

function refuse(caller: Caller, name: PolicyName, max: number, period?: Period): ProblemError {
  const seconds = period ? countSeconds(period) : 1;
  const left = period ? period.granted + period.left : 0;
  const headers = { 'Retry-After': String(seconds) };
  return problem(
    TOO_MANY,
    DETAILS[name]({ who: caller.identity ? 'identity' : 'key', max, left, seconds }),
    {},
    headers,
  );
}

interface Facts {
  readonly who: 'identity' | 'key';
  readonly max: number;
  readonly left: number;
  readonly seconds: number;
}

const DETAILS: Readonly<Record<PolicyName, (facts: Facts) => string>> = {
  key: ({ who, max, seconds }) =>
    `The ${who} has sent ${max} requests within ${OWN_SECONDS} seconds, the most that it may; try again in ${seconds} seconds.`,
  requests: ({ who, max, seconds }) =>
    `The ${who} has sent ${max} requests in this minute, its limit of requests; try again in ${seconds} seconds.`,
  rows: ({ who, max, left, seconds }) =>
    `The ${who} may predict ${max} rows a day, its limit of rows, and has ${left} left; predict fewer at once, or try again in ${seconds} seconds.`,
  tokens: ({ who, max, seconds }) =>
    `The agents have used the ${max} tokens a day that the ${who} has, its limit of tokens; try again in ${seconds} seconds.`,
};

/** The partition key identifies the key without disclosing it, as a byte sequence (RFC 8941, section 3.3.5). */
function formatPartition(keyId: string): string {
  const partition = Buffer.from(hash('sha256', keyId).slice(0, 12)).toString('base64');
  return `; pk=:${partition}:`;
}

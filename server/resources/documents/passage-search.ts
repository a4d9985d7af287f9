import { setTimeout as delay } from 'node:timers/promises';
import { FairGate } from '../../common/fair-gate.js';
import { RunningWork } from '../../common/running-work.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import { SearchError } from '../../store/errors.js';
import type { FoundPassage, PassageQuery } from './passage-index.js';
import { queryTerms } from './terms.js';

/** Finds passages in one database. */
export interface PassageFinder {
  /**
   * Returns the passages that match, the best first. If the signal aborts, the work ends too.
   * @throws the reason of `signal`
   */
  find(query: PassageQuery, signal: AbortSignal): Promise<FoundPassage[]>;

  /** Ends what it keeps open, apart from the database. */
  close(): Promise<void>;
}

export interface SearchLimits {
  /** The most searches that run at once; of one owner, one less. */
  readonly slots: number;
  /** The most searches of one owner that wait. */
  readonly maxWaiting: number;
  /** The longest wait, in milliseconds. */
  readonly maxWaitMs: number;
  /** The longest time of a search, its wait included, in milliseconds. */
  readonly timeoutMs: number;
}

const LIMITS: SearchLimits = { slots: 3, maxWaiting: 512, maxWaitMs: 5_000, timeoutMs: 10_000 };

/** The longest wait for searches that end at the close, in milliseconds. */
const MAX_CLOSE_MS = 1_000;

/** A search in the documents of a skill. */
export interface Search {
  readonly owner: string;
  readonly skillId: string;
  readonly query: string;
  /** The most passages. */
  readonly limit: number;
}

/**
 * Finds passages in the documents of skills. Owners take turns, since one search of common words in
 * many documents takes seconds.
 */
export class PassageSearch {
  readonly #limits: SearchLimits;
  readonly #gate: FairGate;
  readonly #running = new RunningWork({ late: tooSlow, stopped: stopping });
  /** The searches that have not ended, whether or not somebody waits for them. */
  readonly #pending = new Set<Promise<unknown>>();

  constructor(
    private readonly finder: PassageFinder,
    limits: Partial<SearchLimits> = {},
  ) {
    this.#limits = { ...LIMITS, ...limits };
    this.#gate = new FairGate({ ...this.#limits, busy: tooMany });
  }

  /**
   * Finds the passages of a skill that have words of a query, the best first. Nothing in a query is an
   * operator. Finds what is committed, whatever transaction is open.
   * @throws {SearchError} whose message tells a language model what to do instead
   * @throws the reason of `signal`, as soon as it aborts
   */
  async search(
    { owner, skillId, query, limit }: Search,
    signal: AbortSignal,
  ): Promise<FoundPassage[]> {
    const terms = queryTerms(query);
    if (terms.length === 0) return [];
    const running = this.#running.begin(signal, this.#limits.timeoutMs);
    try {
      const found = this.#gate.run(owner, running.signal, () =>
        this.finder.find({ skillId, terms, limit }, running.signal),
      );
      this.#pending.add(found);
      const end = () => this.#pending.delete(found);
      found.then(end, end);
      // A search keeps its slot until its work has ended, but nobody waits for a database that is silent.
      return await unlessAborted(found, running.signal);
    } finally {
      running.abort();
    }
  }

  /**
   * Ends the searches that run, and refuses others; resolves when all have ended, or when a database
   * that is silent has kept them for a second.
   */
  async close(): Promise<void> {
    this.#running.stop();
    const closed = new AbortController();
    const late = delay(MAX_CLOSE_MS, undefined, closed).catch(() => {});
    await Promise.race([Promise.allSettled(this.#pending), late]);
    closed.abort();
    await this.finder.close();
  }
}

function tooSlow(timeoutMs: number): SearchError {
  return new SearchError(
    `The search took longer than ${timeoutMs / 1000} seconds and was ended; search for fewer and rarer words.`,
  );
}

function tooMany(): SearchError {
  return new SearchError(
    'Too many searches wait for their turn; search again for fewer and rarer words, or answer without the documents.',
  );
}

function stopping(): SearchError {
  return new SearchError('The service is stopping; search again in a moment.');
}

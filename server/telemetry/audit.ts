import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { describeAct } from '../api/handle-request.js';
import type { Handlers } from '../api/handlers.js';
import { listPage } from '../api/list-page.js';
import type { RequestContext } from '../api/request-context.js';
import type { Caller } from '../auth/caller.js';
import type { Callers } from '../auth/callers.js';
import { keyHeader } from '../auth/identify-caller.js';
import type { Act } from '../store/audit.js';
import { listEvents } from '../store/audit-trail.js';
import type { Store } from '../store/index.js';

export function auditOperations(store: Store): Pick<Handlers, 'listAudit'> {
  return {
    listAudit: async ({ query, base, responseClosed, reply }) => {
      const page = await listPage(
        `${base}/audit`,
        query,
        (part) => listEvents(store, query, part, responseClosed),
        (event) => event,
      );
      return reply({ status: 200, ...page });
    },
  };
}

/** An unknown caller. */
const UNKNOWN: Caller = { id: null, owner: '', scopes: [], key: null };

/** The time for which equal refusals are counted together, in milliseconds. */
const WINDOW_MS = 60_000;

/** The most kinds of refusals that are distinguished in that time; the others are counted as one. */
const MAX_KINDS = 100;

/**
 * Writes requests that were refused for lack of rights into the audit log: the first of a kind at once, and its repeats
 * when their minute is over, in one event. So nobody fills the store with them.
 */
export class Refusals {
  /** The first of each kind, with the number of its repeats. */
  readonly #kinds = new Map<string, { readonly act: Act; repeats: number }>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly callers: Pick<Callers, 'recall'>,
    private readonly log: Logger,
  ) {}

  /** @param problem the type of the problem with which a request was refused */
  note(problem: string, req: IncomingMessage, locals: RequestContext): void {
    const caller = locals.caller ?? this.callers.recall(keyHeader(req.headers)) ?? UNKNOWN;
    const isNew = this.#kinds.size < MAX_KINDS;
    const act = { ...describeAct(caller, req, locals), problem };
    const { owner, operation, key, subject, address } = act;
    const kind = JSON.stringify([problem, owner, operation, key, subject, address]);
    const known = this.#kinds.get(kind) ?? (isNew ? undefined : this.#kinds.get(''));
    if (known) {
      known.repeats += 1;
      return;
    }
    this.#timer ??= setTimeout(() => this.#writeRepeats(), WINDOW_MS).unref();
    if (!isNew) {
      const others = { ...describeAct(UNKNOWN, req, {}), resource: '', address: null };
      this.#kinds.set('', { act: { ...others, userAgent: null, problem }, repeats: 1 });
      return;
    }
    this.#kinds.set(kind, { act, repeats: 0 });
    this.#write(act);
  }

  /** Writes the repeats that were counted, and waits until all refusals are stored. */
  stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#writeRepeats();
    return this.#writing;
  }

  #writeRepeats(): void {
    this.#timer = undefined;
    const kinds = [...this.#kinds.values()];
    this.#kinds.clear();
    for (const { act, repeats: count } of kinds) {
      if (count > 0) this.#write({ ...act, count, isRecorded: false });
    }
  }

  /** One after the other: where the store keeps them waiting, they keep nobody else waiting. */
  #write(act: Act): void {
    const { owner } = act;
    this.#writing = this.#writing.then(async () => {
      try {
        await this.store.transaction(async () => {}, { owner, act });
      } catch (error) {
        this.log.warn({ err: error, key: act.key }, 'a refusal is not in the audit log');
      }
    });
  }
}

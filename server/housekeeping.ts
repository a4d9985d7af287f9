import type { Logger } from 'pino';
import { sweepConversations } from './agents/conversations/conversation-rows.js';
import { IDEMPOTENCY_TTL_MS } from './api/idempotency.js';
import type { Sweep } from './common/sweeps.js';
import type { Config } from './config.js';
import { PROMISES } from './models/record/promise-rows.js';
import { reportAlarms } from './models/record/report-alarms.js';
import { TABLES } from './models/training/table-rows.js';
import { RESPONSES, sweepOrphans } from './openai/response-rows.js';
import { TEXTS } from './resources/documents/documents.js';
import { EVENTS } from './store/audit-trail.js';
import { ClockWatch, DAY_MS } from './store/clock-watch.js';
import { forgetOld, type KeptRows, sweepUntaken } from './store/forget-rows.js';
import { ENDED_GRANTS, forgetSeeds } from './store/grants.js';
import { KEPT_ANSWERS } from './store/idempotent-replies.js';
import type { Store } from './store/index.js';
import { USAGE } from './store/key-usage.js';
import { RUNNING_CALLS } from './store/running-calls.js';

type Days = Pick<Config, 'promiseDays' | 'auditDays'>;

/** Returns the sweeps of the service. One watch of the clock is for all: a jump that one sees stops the others. */
export function listSweeps(
  store: Store,
  config: Days & Pick<Config, 'alarms'>,
  log: Logger,
  stopping: AbortSignal,
): Sweep[] {
  return [
    ...forgetByAge(store, listAges(config), new ClockWatch()),
    sweepConversations(store),
    sweepOrphans(store),
    forgetSeeds(store),
    reportAlarms(store, log, config.alarms, stopping),
  ];
}

/** Returns what is kept for a time, and for how long, in milliseconds. */
export function listAges({ promiseDays, auditDays }: Days): [KeptRows, ageMs: number][] {
  return [
    [RESPONSES, 30 * DAY_MS],
    [PROMISES, promiseDays * DAY_MS],
    [EVENTS, auditDays * DAY_MS],
    [KEPT_ANSWERS, IDEMPOTENCY_TTL_MS],
    [ENDED_GRANTS, 0],
    // No period is as long.
    [USAGE, 2 * DAY_MS],
    // No call takes as long: what is left is of an instance that was killed.
    [RUNNING_CALLS, DAY_MS],
  ];
}

/** Returns the sweeps that delete by age: nothing while the clock is not trusted. */
export function forgetByAge(store: Store, ages: ReturnType<typeof listAges>, clock: ClockWatch): Sweep[] {
  return [
    ...ages.map(([rows, ageMs]) => forgetOld(store, rows, ageMs, clock)),
    {
      // One after the other: each uses one of the few connections for such work.
      failure: 'unused tables and texts are not deleted yet',
      everyMs: 500,
      step: async () => {
        // While the clock is not trusted, only those go that were released: they wait until 0.
        const now = (await clock.read(store.work)) ?? 1;
        return (await sweepUntaken(store, TABLES, now)) || (await sweepUntaken(store, TEXTS, now));
      },
    },
  ];
}

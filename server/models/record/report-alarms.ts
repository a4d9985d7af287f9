import { createHmac } from 'node:crypto';
import type { RequestOptions } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { type RunningRecord, summarize } from 'roster-prediction/recording';
import { ExchangeError, type ExchangeLimits, exchange, explainExchange } from '../../common/http-exchange.js';
import type { Sweep } from '../../common/sweeps.js';
import { getDialect, inTransaction } from '../../store/database/dialect.js';
import type { Database } from '../../store/database/schema.js';
import type { Store } from '../../store/index.js';
import { isUnleased, leaseEnd } from '../../store/lease.js';

/** The address that alarms are sent to. */
interface AlarmTarget {
  readonly url: string;
  /** Returns the secret that signs them, which a file may change. */
  readonly readSecret: () => string | undefined;
}

const LIMITS: ExchangeLimits = { firstByteMs: 10_000, silenceMs: 5000, endMs: 1000, maxReceivedBytes: 64 * 1024 };

/** The first wait for another try, which is longer than one may take, and the longest. */
const WAIT_MS = { first: 60_000, longest: 60 * 60_000 };

/**
 * Reports raised alarms to the operator: in the log, and at the address of the settings if there is one. The instance
 * that reports an alarm has a lease of it. A report that failed, or whose instance ended meanwhile, is repeated until it
 * succeeds: after a minute, and then after twice as long each time, up to an hour.
 */
export function reportAlarms(store: Store, log: Logger, config: AlarmTarget | undefined, stopping: AbortSignal): Sweep {
  return {
    failure: 'alarms of models are not reported yet',
    everyMs: 1000,
    step: async () => {
      const alarm = await claimAlarm(store);
      if (!alarm) return false;
      const { data } = alarm;
      if (alarm.tries === 1) {
        log.warn(data, 'a model keeps fewer promises than it makes: its alarm is raised');
      }
      const fault = config && (await send(config, alarm, stopping));
      if (fault === undefined) await markReported(store, alarm);
      else log.warn({ model: data.model, tries: alarm.tries }, `the alarm was not reported: ${fault}`);
      return true;
    },
  };
}

/** An alarm to be reported, of which this instance has the lease. */
interface ClaimedAlarm {
  readonly modelId: string;
  readonly version: number;
  readonly tries: number;
  readonly data: AlarmData;
}

interface AlarmData {
  readonly owner: string;
  readonly project: string;
  readonly model: string;
  readonly version: number;
  readonly raised_at: string;
  readonly raised_after: number | null;
  readonly evidence: number;
  readonly truths: number;
  readonly kept: number;
  readonly coverage: number | null;
  readonly promised: number | null;
  readonly error: number | null;
}

function selectUnreported(db: Kysely<Database>) {
  return db
    .selectFrom('records')
    .where('alarm_at', 'is not', null)
    .where('alarm_told_at', 'is', null)
    .where(isUnleased(db, 'claimed_until'));
}

async function claimAlarm({ work }: Store): Promise<ClaimedAlarm | undefined> {
  // Most of the time there is none, which takes no lock.
  const any = await selectUnreported(work).select('model_id').limit(1).executeTakeFirst();
  if (!any) return undefined;
  return inTransaction(work, async (db) => {
    const row = await selectUnreported(db)
      .select(['model_id', 'version', 'state', 'alarm_at', 'alarm_tries'])
      .limit(1)
      .$if(getDialect(db).locksRows, (query) => query.forUpdate().skipLocked())
      .executeTakeFirst();
    if (!row) return undefined;
    const { model_id: modelId, version } = row;
    const wait = Math.min(WAIT_MS.first * 2 ** Math.min(row.alarm_tries, 20), WAIT_MS.longest);
    await db
      .updateTable('records')
      .set({ claimed_until: leaseEnd(db, wait), alarm_tries: row.alarm_tries + 1 })
      .where('model_id', '=', modelId)
      .where('version', '=', version)
      .execute();
    const names = await db
      .selectFrom('models')
      .innerJoin('projects', 'projects.id', 'models.project_id')
      .select(['projects.owner', 'projects.name as project', 'models.name as model'])
      .where('models.id', '=', modelId)
      .executeTakeFirstOrThrow();
    const state: RunningRecord = JSON.parse(row.state);
    const { truths, kept, coverage, promised, error } = summarize({ ...state, promises: 0 });
    const raised_at = new Date(Number(row.alarm_at)).toISOString();
    const { raised_at: raised_after, evidence } = state.alarm;
    const alarm = { ...names, version, raised_at, raised_after, evidence };
    const data = { ...alarm, truths, kept, coverage, promised, error };
    return { modelId, version, tries: row.alarm_tries + 1, data };
  });
}

async function markReported({ work }: Store, { modelId, version }: ClaimedAlarm): Promise<void> {
  await work
    .updateTable('records')
    .set({ alarm_told_at: getDialect(work).now })
    .where('model_id', '=', modelId)
    .where('version', '=', version)
    .execute();
}

/**
 * Sends an alarm, signed as Standard Webhooks 1.0.0 says (https://www.standardwebhooks.com).
 *
 * @returns why it was not taken; undefined if it was
 */
async function send(
  { url, readSecret }: AlarmTarget,
  { modelId, version, data }: ClaimedAlarm,
  stopping: AbortSignal,
): Promise<string | undefined> {
  const id = `alarm_${modelId}_${version}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = JSON.stringify({ type: 'model.alarm', timestamp: data.raised_at, data });
  const signature = createHmac('sha256', decodeSecret(readSecret() ?? ''))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  const target: RequestOptions = {
    ...urlToHttpOptions(new URL(url)),
    method: 'POST',
    headers: {
      'user-agent': 'roster',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
  };
  const late = AbortSignal.timeout(WAIT_MS.first / 2);
  try {
    const response = await exchange(target, body, LIMITS, AbortSignal.any([stopping, late]));
    const { status } = response;
    response.cancel();
    return status < 300 ? undefined : `ALARM_URL answered with status ${status}.`;
  } catch (error) {
    if (error instanceof ExchangeError) return explainExchange(error, LIMITS, WORDS);
    if (stopping.aborted) return 'The service stops.';
    return 'The server of ALARM_URL took too long.';
  }
}

const WORDS = { server: 'The server of alarms', setting: 'ALARM_URL', patience: 'It is asked again later.' };

/** A secret that begins with `whsec_` is base64, as Standard Webhooks has it; another is used as it is. */
function decodeSecret(secret: string): Buffer {
  const [, encoded] = /^whsec_(.+)$/.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}

/** Counts the models whose serving version has raised its alarm. */
export async function countAlarms({ reads }: Store): Promise<number> {
  const { alarms } = await reads
    .selectFrom('records')
    .innerJoin('models', 'models.id', 'records.model_id')
    .select(({ fn }) => fn.countAll().as('alarms'))
    .where('alarm_at', 'is not', null)
    .whereRef('models.serving_version', '=', 'records.version')
    .executeTakeFirstOrThrow();
  return Number(alarms);
}

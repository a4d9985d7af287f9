import { columnName, csvField, type PromiseSubject } from 'roster-prediction/predicting';
import { type Drift, type RunningRecord, startRecord, summarize } from 'roster-prediction/recording';
import type { components } from '../../../generated/openapi.js';
import type { Handlers } from '../../api/handlers.js';
import { ByteStream, type StreamPiece } from '../../api/reply/send.js';
import { FairGate } from '../../common/fair-gate.js';
import { CSV_TYPE } from '../../edge/request.js';
import { invalidRequest, unavailable } from '../../problems/problem.js';
import { findProject } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { modelNotFound } from '../model-problems.js';
import { findModel, type Model, requireModel } from '../model-rows.js';
import type { Tables } from '../training/tables.js';
import { type Group, type Grouping, groupPromises, type RecordAddress, readDriftRows } from './group-promises.js';

type ModelRecord = components['schemas']['ModelRecord'];
type GroupBy = NonNullable<ModelRecord['by']>;

/** The most groups of an answer, those of the latest days or weeks. */
const MAX_GROUPS = 10_000;

/** Records that are grouped at once, and requests that wait: each reads all promises of a version. */
const LIMITS = { slots: 2, slotsPerOwner: 1, maxWaiting: 32, maxWaitingInAll: 128 };

export function recordOperations(store: Store, tables: Tables): Pick<Handlers, 'getRecord'> {
  const gate = new FairGate({
    ...LIMITS,
    busy: () => unavailable('The service groups as many records as it does at once; try again later.'),
  });
  return {
    getRecord: async ({ caller, params, query, answerType, responseClosed, reply }) => {
      const project = await findProject(store, caller, params.projectName);
      const model = await requireModel(store, project, params.modelName);
      const version = query.version ?? model.serving_version ?? model.version;
      const own = await findModel(store, project.id, model.name, version);
      const stored = await findRecord(store, { modelId: model.id, version });
      // The record of a version that is gone stays.
      if (!own && !stored) throw modelNotFound(model.name, project.name, version);
      const isTable = answerType === CSV_TYPE;
      const by = query.by ?? (query.column !== undefined ? 'column' : isTable ? 'day' : null);
      const grouping = by && chooseGrouping(by, query.column, stored?.subject);
      const address = { modelId: model.id, version };
      const groups =
        grouping && stored
          ? await gate.run(caller.owner, responseClosed, () =>
              groupPromises(store, address, stored.subject, grouping, responseClosed),
            )
          : [];
      const latest = groups.slice(-MAX_GROUPS);
      if (isTable) {
        const options = { isStream: false, areLines: false };
        const type = `${CSV_TYPE}; charset=utf-8`;
        return reply({ status: 200, body: new ByteStream(type, writeCsv(latest), options) });
      }
      const counts = await countPromises(store, address);
      const body = describeRecord(model, version, own, stored, counts);
      const times = query.drift && stored && (await readDriftRows(store, address, stored.subject, responseClosed));
      const found = times ? await tables.findDrift(caller.owner, times.rows, responseClosed) : null;
      const drift = times && found ? { ...nameColumns(found, body.columns), since: times.since } : null;
      return reply({ status: 200, body: { ...body, drift, by, groups: latest } });
    },
  };
}

/** @throws {ProblemError} if it is a column whose values are not known */
function chooseGrouping(by: GroupBy, name: string | undefined, subject: PromiseSubject | undefined): Grouping {
  if (by !== 'column') return by;
  const wanted = name && columnName(name);
  const column = subject?.columns.findIndex((each) => each.name === wanted) ?? 0;
  if (wanted !== undefined && column >= 0) return { column };
  const known = subject?.columns.map((each) => `"${each.name}"`).join(', ');
  const what = 'a column whose values are kept with promises';
  const message = known ? `must be ${what}: ${known}` : `must name ${what}; there are none yet`;
  throw invalidRequest([{ pointer: '/query/column', message }]);
}

function nameColumns({ columns, ...drift }: Drift, names: readonly string[]) {
  const named = columns.map(({ column, share }) => ({ column: names[column] ?? '', share }));
  return { ...drift, columns: named };
}

interface StoredRecord {
  readonly state: RunningRecord;
  readonly subject: PromiseSubject;
  readonly alarm_at: number | null;
}

async function findRecord({ reads }: Store, { modelId, version }: RecordAddress): Promise<StoredRecord | undefined> {
  const row = await reads
    .selectFrom('records')
    .select(['state', 'subject', 'alarm_at'])
    .where('model_id', '=', modelId)
    .where('version', '=', version)
    .executeTakeFirst();
  if (!row) return undefined;
  const alarm_at = row.alarm_at === null ? null : Number(row.alarm_at);
  return { state: JSON.parse(row.state), subject: JSON.parse(row.subject), alarm_at };
}

/** Counts the promises of a version that are still kept, and those of them whose truth has come. */
async function countPromises({ reads }: Store, { modelId, version }: RecordAddress) {
  const row = await reads
    .selectFrom('promises')
    .select(({ fn }) => [
      fn.sum<number | string | null>('row_count').as('promises'),
      fn.sum<number | string | null>('truth_count').as('truths'),
    ])
    .where('model_id', '=', modelId)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  const promises = Number(row.promises ?? 0);
  return { promises, missing: promises - Number(row.truths ?? 0) };
}

function describeRecord(
  { name, task: newestTask, adapt }: Model,
  version: number,
  own: Model | undefined,
  stored: StoredRecord | undefined,
  counts: { promises: number; missing: number },
): Omit<ModelRecord, 'by' | 'groups' | 'drift'> {
  const state = stored?.state ?? startRecord({ classes: [], calibration: null, calibrated_rows: 0 });
  const { promises: _, ...totals } = summarize({ ...state, promises: 0 });
  const { evidence, highest_evidence, raised_at } = state.alarm;
  const calibration = adapt && state.truths > 0 && state.adapted ? 'adapted' : 'trained';
  return {
    model: name,
    version,
    task: stored?.subject.task ?? own?.task ?? newestTask,
    calibration,
    ...counts,
    ...totals,
    trained_error: own ? findTrainedError(own) : null,
    alarm: {
      raised: raised_at !== null,
      raised_at: stored?.alarm_at ? new Date(stored.alarm_at).toISOString() : null,
      raised_after: raised_at,
      evidence,
      highest_evidence,
    },
    columns: stored?.subject.columns.map((column) => column.name) ?? [],
  };
}

/** Returns the mean absolute error, or the share of wrong classes, on rows that were held out of the training. */
function findTrainedError({ metrics }: Model): number | null {
  if (metrics === null) return null;
  if ('mae' in metrics) return metrics.mae;
  return 'accuracy' in metrics ? 1 - metrics.accuracy : metrics.errors.mae;
}

const CSV_COLUMNS = 'group,promises,truths,kept,coverage,coverage_low,coverage_high,promised,error' as const;

async function* writeCsv(groups: readonly Group[]): AsyncGenerator<StreamPiece> {
  const lines = groups.map(({ group, promises, truths, kept, coverage, coverage_band, promised, error }) =>
    [
      csvField(group, false),
      ...[promises, truths, kept, coverage, ...(coverage_band ?? [null, null]), promised, error],
    ].join(','),
  );
  yield Buffer.from([CSV_COLUMNS, ...lines, ''].join('\r\n'));
}

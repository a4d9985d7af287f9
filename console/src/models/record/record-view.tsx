import { useState } from 'preact/hooks';
import { answered, type Model } from 'roster-client';
import type { components } from '../../../../generated/openapi.js';
import { Bars } from '../../plots/bars.js';
import { roster } from '../../session/roster.js';
import { useLoaded } from '../../session/use-loaded.js';
import { count, date, finePercent, percent, rounded, time, whole } from '../../ui/format.js';
import { Loading } from '../../ui/loading.js';
import { Select } from '../../ui/select.js';
import { targetUnit } from '../../ui/units.js';
import { ModelFrame } from '../model-frame.js';
import { CoverageOfGroups, CoverageOverTime, type ModelRecord } from './coverage.js';
import { TruthsFile } from './truths-file.js';

/** A choice of groups: `day`, `week`, `width`, or `column:` with the name of one. */
type Grouping = string;

const GROUPINGS: readonly (readonly [Grouping, string])[] = [
  ['day', 'Day of the prediction'],
  ['week', 'Week of the prediction'],
  ['width', 'How wide the promise is'],
];

const COLUMN = 'column:';

/** The promises of a model, and what came true. */
export function RecordView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="record">
      {(shown) => <RecordOfVersion project={project} model={shown} />}
    </ModelFrame>
  );
}

function RecordOfVersion({ project, model }: { project: string; model: Model }) {
  const { name, version } = model;
  const [grouping, setGrouping] = useState<Grouping>('day');
  const [isCompared, setCompared] = useState(false);
  // The plot keeps the words of the groups that it shows until the next ones are there.
  const { loaded, reload } = useLoaded(
    async (signal) => ({ record: await readRecord(project, name, version, { grouping }, signal), grouping }),
    [project, name, version, grouping],
  );
  return (
    <Loading loaded={loaded} what="the record" retry={reload}>
      {({ record, grouping: shown }) => (
        <>
          {record.promises === 0 ? <NoPromises model={model} /> : <Facts record={record} model={model} />}
          {record.truths > 0 && (
            <>
              <h2>Promises kept</h2>
              <Groups record={record} shown={shown} wanted={grouping} onChoose={setGrouping} />
            </>
          )}
          {record.promises > 0 && model.task !== 'forecast' && (
            <>
              <h2>Columns that moved</h2>
              {isCompared ? (
                <MovedColumns project={project} model={model} promises={record.promises} />
              ) : (
                <button type="button" onClick={() => setCompared(true)}>
                  Compare the latest rows with the training
                </button>
              )}
            </>
          )}
          <h2>Add true values</h2>
          <TruthsFile project={project} model={model} onAdded={reload} />
        </>
      )}
    </Loading>
  );
}

function NoPromises({ model }: { model: Model }) {
  return (
    <p>
      Version {model.version} has no promises yet. Predictions are remembered if you choose so when you predict a file,
      or if a program asks for it with <code>remember=true</code>. Once the true values of {model.target} are known and
      added here, this page says whether as many predictions came true as were promised.
    </p>
  );
}

function Facts({ record, model }: { record: ModelRecord; model: Model }) {
  const { promises, truths, missing, kept, coverage, promised, error, trained_error } = record;
  const band = record.coverage_band;
  const unit = record.task === 'classification' ? undefined : targetUnit(model);
  const write = (value: number) => (record.task === 'classification' ? finePercent(value) : rounded(value, unit));
  return (
    <>
      {record.alarm.raised && <RaisedAlarm record={record} />}
      {coverage !== null && band !== null && promised !== null ? (
        <p class="summary">
          Of {count(truths, 'prediction')} whose true value has come, {whole(kept)} kept their promise:{' '}
          <strong>{finePercent(coverage)}</strong>, with a margin of error from {band.map(finePercent).join(' to ')}.{' '}
          {finePercent(promised)} was promised.
        </p>
      ) : (
        <p>No true value has come yet.</p>
      )}
      <p class="faint">
        {count(promises, 'prediction')} {promises === 1 ? 'is' : 'are'} remembered;{' '}
        {missing === 0 ? 'none' : whole(missing)} of them {missing > 1 ? 'lack' : 'lacks'} a true value.
        {record.calibration === 'adapted' && ' Intervals are moved by the true values (adapt).'}
        {error !== null &&
          ` ${record.task === 'classification' ? 'Wrong classes' : 'Off by, on average'}: ${write(error)}${
            trained_error === null ? '' : `; on rows held out of the training ${write(trained_error)}`
          }.`}
        {!record.alarm.raised &&
          truths > 0 &&
          ` No alarm: the evidence against the promises is ${rounded(record.alarm.evidence)}, and an alarm is raised at ${whole(1000)}.`}
      </p>
    </>
  );
}

function RaisedAlarm({ record: { alarm } }: { record: ModelRecord }) {
  const { raised_at, raised_after } = alarm;
  return (
    <p class="notice warning" role="alert">
      <strong>Promises are kept less often than promised.</strong> The alarm was raised
      {raised_at !== null && ` on ${time(raised_at)}`}
      {raised_after !== null && `, after ${count(raised_after, 'true value')}`}. Train a new version with newer rows. At
      most one in {whole(1000)} versions raises a false alarm.
    </p>
  );
}

function Groups({
  record,
  shown,
  wanted,
  onChoose,
}: {
  record: ModelRecord;
  /** The grouping of the record. */
  shown: Grouping;
  wanted: Grouping;
  onChoose: (grouping: Grouping) => void;
}) {
  const isTime = shown === 'day' || shown === 'week';
  // Two points are no line.
  const isLine = isTime && record.groups.length > 2;
  return (
    <>
      <label class="compare-choice">
        Group by{' '}
        <Select
          value={wanted}
          options={[...GROUPINGS, ...record.columns.map((name) => [COLUMN + name, name] as const)]}
          onChoose={onChoose}
        />
      </label>
      <div class="figures spaced">
        {isLine ? (
          <CoverageOverTime record={record} />
        ) : (
          <CoverageOfGroups record={record} nameOf={isTime ? (day) => date(Date.parse(day)) : String} />
        )}
      </div>
    </>
  );
}

function readRecord(
  project: string,
  name: string,
  version: number,
  { grouping, drift = false }: { grouping: Grouping; drift?: boolean },
  signal: AbortSignal,
): Promise<ModelRecord> {
  const by = GROUPINGS.some(([id]) => id === grouping)
    ? { by: grouping as 'day' }
    : { by: 'column' as const, column: grouping.slice(COLUMN.length) };
  return answered(
    roster.GET('/api/projects/{projectName}/models/{modelName}/record', {
      params: { path: { projectName: project, modelName: name }, query: { version, ...by, ...(drift && { drift }) } },
      signal,
    }),
  );
}

type Drift = components['schemas']['RecordDrift'];

/** The columns whose values moved since the training, or since the earliest promises, which takes a moment to find. */
function MovedColumns({ project, model, promises }: { project: string; model: Model; promises: number }) {
  const { name, version } = model;
  const { loaded, reload } = useLoaded(
    (signal) => readRecord(project, name, version, { grouping: 'day', drift: true }, signal),
    [project, name, version, promises],
  );
  return (
    <Loading loaded={loaded} what="the comparison" retry={reload}>
      {({ drift }) => <Moves drift={drift} />}
    </Loading>
  );
}

function Moves({ drift }: { drift: Drift }) {
  if (drift === null) {
    return <p>There are too few rows to compare: it takes 100 of each time.</p>;
  }
  const others = drift.since === 'training' ? 'those of the training' : 'the earliest promises';
  if (drift.columns.length === 0) {
    return (
      <p>
        The {count(drift.rows, 'latest row')} are like {others}: chance explains the difference.
      </p>
    );
  }
  return (
    <>
      <p>
        Of the {count(drift.rows, 'latest row')}, at least {percent(drift.moved)} are unlike {others}. The columns that
        moved, by the share of the change that each explains:
      </p>
      <Bars rows={drift.columns.map(({ column, share }) => ({ name: column, share, text: percent(share) }))} />
    </>
  );
}

import { useMemo, useRef, useState } from 'preact/hooks';
import { answered, type Model, ProblemError } from 'roster-client';
import { nameIndex } from 'roster-prediction/browser';
import { href } from '../router/route.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { type ColumnProfile, profileColumns } from '../tables/column-profile.js';
import { FileLine } from '../tables/file-line.js';
import { HeaderLineField } from '../tables/header-line-field.js';
import type { Preview } from '../tables/preview.js';
import { isCsv, type TableHead } from '../tables/table-head.js';
import { TablePreview } from '../tables/table-preview.js';
import { usePlace } from '../tables/use-place.js';
import { WorkbookFields } from '../tables/workbook-fields.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { TextField } from '../ui/field.js';
import { bytes, count, whole } from '../ui/format.js';
import { describeUses, findDecimals, findUses, toParameters } from './column-uses.js';
import { EffortField } from './effort-field.js';
import { ForecastFields, guessSeries, type Series } from './forecast-fields.js';
import { MissingWords } from './missing-words.js';
import { isName, nameFromFile } from './model-name.js';
import { NamedParts } from './named-parts.js';
import { ReadingFields } from './reading-fields.js';
import { SendingProgress } from './sending-progress.js';
import { findEffort, type Settings, tableQuery, validationQuery } from './settings.js';
import { TableLook } from './table-look.js';
import { guessTarget, TargetFields, type Task } from './target-fields.js';
import { UseChoice } from './use-choice.js';
import { useExistingModel } from './use-existing-model.js';
import { usePreview } from './use-preview.js';
import { useTraining } from './use-training.js';
import { ValidationFields } from './validation-fields.js';

/**
 * The form that trains with a chosen table: what to predict, how the table is read, what looks odd in it, and the name
 * of the model. A changed choice is previewed by the service again.
 */
export function TrainForm({
  project,
  model,
  head,
  initial,
  newest,
  onHead,
  forget,
}: {
  project: string;
  model: string | null;
  head: TableHead;
  /** The settings to begin with. */
  initial: Settings;
  /** The newest version of the model, if one is given. */
  newest: Model | undefined;
  /** Called with the table as it is read with another line as its header. */
  onHead: (head: TableHead) => void;
  forget: () => void;
}) {
  const [name, setName] = useState(() => model ?? nameFromFile(head.file.name));
  const existing = useExistingModel(project, name, newest);
  const [settings, setSettings] = useState(initial);
  const [chosenTarget, setChosen] = useState<string>();
  // The rows alone show which column is likely to be predicted.
  const guess = useMemo(() => guessTarget(profileColumns(head)), [head]);
  const decimals = findDecimals(head.columns, settings.uses, existing);
  const inTable = (column: string | undefined) =>
    column !== undefined && nameIndex(head.columns).includes(column) ? column : undefined;
  const chosen = inTable(chosenTarget);
  const known = inTable(existing?.target);
  const target = chosen ?? known ?? guess;
  const preview = usePreview(project, head, { ...tableQuery(settings), ...decimals, ...(target && { target }) });
  const profiles = useMemo(() => profileColumns(head, preview.preview), [head, preview.preview]);
  const [chosenTask, setTask] = useState<Task>();
  const [chosenSeries, setSeries] = useState<Series>();
  const chosenPlace = usePlace(project, head, onHead);
  const { state, isSending, start, cancel } = useTraining();
  const nameInput = useRef<HTMLInputElement>(null);
  const targetSelect = useRef<HTMLSelectElement>(null);

  const uses = findUses(profiles, settings.uses, existing);
  const profile = profiles.find((column) => column.name === target);
  const before = target === known ? existing : undefined;
  const forecaster = before?.task === 'forecast' ? before : undefined;
  const task = chosenTask ?? before?.task ?? profile?.task ?? 'regression';
  const takesOver = existing?.promotion === 'always' || existing?.serving_version === null;
  const effort = findEffort(settings, existing);
  const series = chosenSeries ?? guessSeries(profiles, target, forecaster);
  const roles = [target, ...(task === 'forecast' ? [series.order_by, ...series.group_by, ...series.known] : [])];
  // The target may be stated to be numbers, so that its other texts are missing.
  const areNumbers = task === 'regression' && settings.uses.get(target) === 'number';
  const unstated = areNumbers ? roles.slice(1) : roles;
  const nameError = isName(name)
    ? undefined
    : 'Use letters A to Z, digits, _ . and -, at most 100. Begin with a letter, a digit or _.';
  const maxSize = useMaxTableSize();
  const isTooLarge = head.file.size > maxSize;
  const refusal = state.step === 'failed' ? state.error : null;
  const [faults, others] = sortFaults(refusal);
  const hasInput =
    task === 'forecast' || profiles.some(({ name: of }, index) => !roles.includes(of) && uses[index]?.use !== 'unused');
  const effective = new Map(profiles.map(({ name: of }, index) => [of, uses[index]?.use ?? 'found']));

  const cannotTrain = isSending || chosenPlace.isReading || isTooLarge || !hasInput;
  const submit = () => {
    if (cannotTrain) return;
    if (nameError !== undefined) return nameInput.current?.focus();
    void start({
      project,
      name,
      target,
      task: !profile || task === profile.task || task === 'forecast' ? undefined : task,
      series: task === 'forecast' ? series : undefined,
      settings: {
        ...tableQuery(settings),
        // A forecast has no effort to choose, and is measured by the ends of its series.
        ...(task !== 'forecast' && { ...(effort !== 'standard' && { effort }), ...validationQuery(settings) }),
        ...toParameters(profiles, uses, unstated),
      },
      table: head.file,
      type: head.type,
      place: head.workbook?.place,
      format: isCsv(head) ? head.format : undefined,
    });
  };
  return (
    <>
      <FileLine head={head} forget={forget} isBusy={isSending} />
      {isTooLarge && (
        <p class="notice error" role="alert">
          <strong>This table is too large.</strong> The service takes at most {bytes(maxSize)}. Leave out columns that
          do not help to predict, or some of the rows.
        </p>
      )}
      {isCsv(head) && head.format.encoding !== 'utf-8' && (
        <p class="notice">This file is not in UTF-8. It is sent in UTF-8. Your file is not changed.</p>
      )}
      <fieldset class="train" disabled={isSending}>
        <div class="train-fields">
          <TargetFields
            profiles={profiles}
            target={target}
            isGuess={target !== '' && chosen === undefined && known === undefined}
            fault={faults.get(target)}
            task={task}
            element={targetSelect}
            onTarget={(column) => {
              setChosen(column);
              setTask(undefined);
              setSeries(undefined);
            }}
            onTask={setTask}
          />
          {isCsv(head) && <HeaderLineField head={head} chosen={chosenPlace} isBusy={isSending} />}
          <WorkbookFields head={head} chosen={chosenPlace} isBusy={isSending} />
          {task === 'forecast' ? (
            <ForecastFields profiles={profiles} target={target} series={series} onSeries={setSeries} />
          ) : (
            <>
              <ValidationFields
                columns={profiles.map((column) => column.name)}
                settings={settings}
                onSettings={setSettings}
              />
              <EffortField effort={effort} onSettings={setSettings} />
            </>
          )}
        </div>
        <details
          class="reading"
          open={settings.table.length > 0 || profiles.some(({ reading }) => reading?.kind === 'undecided')}
        >
          <summary>How texts are read</summary>
          <div class="train-fields">
            <ReadingFields settings={settings} onSettings={setSettings} />
            <MissingWords columns={profiles.map((column) => column.name)} onSettings={setSettings} />
            <NamedParts settings={settings} onSettings={setSettings} />
          </div>
        </details>
        <TableLook
          key={head.columns.join('\n')}
          state={{ ...preview, isReading: preview.isReading || chosenPlace.isReading }}
          profiles={profiles}
          faults={findFaults(profiles, preview.preview, head)}
          settings={{ ...settings, uses: effective }}
          onSettings={setSettings}
        />
      </fieldset>
      <h2>Columns</h2>
      <button type="button" class="skip" onClick={() => nameInput.current?.focus()}>
        Skip the columns
      </button>
      <TablePreview
        profiles={profiles}
        rows={head.rows}
        target={target}
        faults={faults}
        control={(column) => {
          const { name: of = '', kind = 'empty', reading = null, alternatives = [] } = profiles[column] ?? {};
          const used = uses[column] ?? { use: 'found' };
          const control = roles.includes(of) ? null : (
            <UseChoice
              column={of}
              kind={kind}
              hasMarks={reading?.kind === 'number'}
              alternatives={alternatives}
              used={used}
              isBusy={isSending}
              onUse={(use) => setSettings((before) => ({ ...before, uses: new Map(before.uses).set(of, use) }))}
            />
          );
          return { control, isLeftOut: control !== null && used.use === 'unused' };
        }}
      />
      {hasInput ? (
        <p class="hint">{describeUses(profiles, uses, unstated)}</p>
      ) : (
        <p class="field-error" role="alert">
          {target && `All columns are left out. Use at least one to predict ${target} from.`}
        </p>
      )}
      {!head.isWhole && (
        <p class="hint">This describes the first {count(head.rows.length, 'row')}. The model is trained on all rows.</p>
      )}
      <form class="train" noValidate onSubmit={() => submit()}>
        <fieldset disabled={isSending}>
          <TextField
            label="Name of the model"
            hint={
              existing &&
              `This model exists. The table trains its version ${existing.version + 1}${takesOver ? ', which answers predictions as soon as it is ready' : ''}.`
            }
            error={nameError}
            element={nameInput}
            readOnly={model !== null}
            value={name}
            onValue={setName}
          />
        </fieldset>
        {refusal !== null && (
          <>
            <ErrorNotice error={others} scrollTo />
            {isTraining(refusal) && (
              <p>
                <a href={href(['projects', project, 'models', name])}>See the training</a>
              </p>
            )}
          </>
        )}
        {/* Not disabled, which would take the focus away. */}
        <button type="submit" class="primary" aria-disabled={cannotTrain}>
          {refusal === null ? 'Train' : 'Try again'}
        </button>
        <SendingProgress state={state} cancel={cancel} />
      </form>
    </>
  );
}

/** Lists what a training would refuse or leave out, as far as the beginning of the table shows it. */
function findFaults(profiles: readonly ColumnProfile[], preview: Preview | undefined, head: TableHead): string[] {
  const names = profiles.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => name !== '' && names.indexOf(name) !== index));
  const unnamed = profiles.filter(({ name }) => name === '');
  const left = preview?.unnamedColumns ?? 0;
  // The fault of a sheet is shown at the choice of its row.
  const fault = head.workbook ? null : (preview?.fault ?? null);
  return [
    ...[...repeated].map((name) => `More than one column is named “${name}”. Rename all but one.`),
    ...unnamed.map(({ index }) => `Column ${whole(index + 1)} has values, but no name. Give it one.`),
    ...(left > 0 ? [`${count(left, 'column')} without a name and without values will be left out.`] : []),
    ...(fault === null ? [] : [fault]),
  ];
}

/** Divides the faults of a table into those of columns, which are shown there, and all others. */
function sortFaults(error: unknown): [ReadonlyMap<string, string>, unknown] {
  if (!(error instanceof ProblemError) || error.problem.type !== '/problems/unusable-table') {
    return [new Map(), error];
  }
  const { problem, response } = error;
  const ofColumns = new Map<string, string>();
  const errors = problem.errors.filter(({ column, line, message }) => {
    if (column === undefined) return true;
    ofColumns.set(column, line === undefined ? message : `Line ${whole(line)}: ${message}`);
    return false;
  });
  return [ofColumns, new ProblemError({ ...problem, errors }, response)];
}

function isTraining(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.type === '/problems/training-in-progress';
}

/** Returns how many bytes a table can have; while that is not known, the service itself refuses larger ones. */
function useMaxTableSize(): number {
  const { loaded } = useLoaded((signal) => answered(roster.GET('/me', { signal })), []);
  return loaded.state === 'ready' ? loaded.value.limits.max_table : Number.POSITIVE_INFINITY;
}

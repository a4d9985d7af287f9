import { useMemo, useRef, useState } from 'preact/hooks';
import { answered, ProblemError } from 'roster-client';
import { href } from '../router/route.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { type ColumnProfile, profileColumns } from '../tables/column-profile.js';
import { nameValues } from '../tables/column-words.js';
import { FileLine } from '../tables/file-line.js';
import { HeaderLineField } from '../tables/header-line-field.js';
import { isCsv, type TableHead } from '../tables/table-head.js';
import { TablePreview } from '../tables/table-preview.js';
import { WorkbookFields } from '../tables/workbook-fields.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { TextField } from '../ui/field.js';
import { bytes, count, number, whole } from '../ui/format.js';
import { SelectField } from '../ui/select.js';
import { type ChosenUses, describeUses, findUses, toParameters } from './column-uses.js';
import { ForecastFields, guessSeries, type Series } from './forecast-fields.js';
import { isName, nameFromFile } from './model-name.js';
import { SendingProgress } from './sending-progress.js';
import { UseChoice } from './use-choice.js';
import { useExistingModel } from './use-existing-model.js';
import { useTraining } from './use-training.js';

type Task = ColumnProfile['task'] | 'forecast';

/** The form that trains with a chosen table: the column to predict, the task, and the name of the model. */
export function TrainForm({
  project,
  model,
  head,
  onHead,
  forget,
}: {
  project: string;
  model: string | null;
  head: TableHead;
  /** Called with the table as it is read with another line as its header. */
  onHead: (head: TableHead) => void;
  forget: () => void;
}) {
  const profiles = useMemo(() => profileColumns(head), [head]);
  const [name, setName] = useState(() => model ?? nameFromFile(head.file.name));
  const [chosenTarget, setChosen] = useState<string>();
  const [chosenUses, setUses] = useState<ChosenUses>(new Map());
  const [chosenTask, setTask] = useState<Task>();
  const [chosenSeries, setSeries] = useState<Series>();
  const existing = useExistingModel(project, name);
  const { state, isSending, start, cancel } = useTraining();
  const nameInput = useRef<HTMLInputElement>(null);
  const targetSelect = useRef<HTMLSelectElement>(null);

  const names = profiles.map((column) => column.name);
  const inTable = (column: string) => (names.includes(column) ? column : undefined);
  const chosen = chosenTarget === undefined ? undefined : inTable(chosenTarget);
  const known = existing && inTable(existing.target);
  const target = chosen ?? known ?? guessTarget(profiles);
  const uses = findUses(profiles, chosenUses, existing);
  const profile = profiles.find((column) => column.name === target);
  const forecaster = target === known && existing?.task === 'forecast' ? existing : undefined;
  const task = chosenTask ?? forecaster?.task ?? profile?.task ?? 'regression';
  const series = chosenSeries ?? guessSeries(profiles, target, forecaster);
  const roles = [target, ...(task === 'forecast' ? [series.order_by, ...series.group_by, ...series.known] : [])];
  const nameError = isName(name)
    ? undefined
    : 'Use letters A to Z, digits, _ . and -, at most 100. Begin with a letter, a digit or _.';
  const maxSize = useMaxTableSize();
  const isTooLarge = head.file.size > maxSize;
  const refusal = state.step === 'failed' ? state.error : null;
  const [faults, others] = sortFaults(refusal);
  const hasInput =
    task === 'forecast' || profiles.some(({ name: of }, index) => !roles.includes(of) && uses[index]?.use !== 'unused');
  const targetFault = faults.get(target);

  const submit = () => {
    if (isSending || isTooLarge || !hasInput) return;
    if (nameError !== undefined) return nameInput.current?.focus();
    void start({
      project,
      name,
      target,
      task: !profile || task === profile.task || task === 'forecast' ? undefined : task,
      series: task === 'forecast' ? series : undefined,
      uses: toParameters(profiles, uses, roles),
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
      {isCsv(head) && (
        <>
          {head.format.encoding !== 'utf-8' && (
            <p class="notice">This file is not in UTF-8. It is sent in UTF-8. Your file is not changed.</p>
          )}
          <HeaderLineField head={head} onHead={onHead} isBusy={isSending} />
        </>
      )}
      <WorkbookFields project={project} head={head} onHead={onHead} isBusy={isSending} />
      <button type="button" class="skip" onClick={() => targetSelect.current?.focus()}>
        Skip the columns
      </button>
      <TablePreview
        profiles={profiles}
        rows={head.rows}
        target={target}
        faults={faults}
        control={(column) => {
          const { name: of = '', kind = 'empty' } = profiles[column] ?? {};
          const used = uses[column] ?? { use: 'found' };
          const control = roles.includes(of) ? null : (
            <UseChoice
              column={of}
              kind={kind}
              used={used}
              isBusy={isSending}
              onUse={(use) => setUses(new Map(chosenUses).set(of, use))}
            />
          );
          return { control, isLeftOut: control !== null && used.use === 'unused' };
        }}
      />
      {hasInput ? (
        <p class="hint">{describeUses(profiles, uses, roles)}</p>
      ) : (
        <p class="field-error" role="alert">
          All columns are left out. Use at least one to predict {target} from.
        </p>
      )}
      {!head.isWhole && (
        <p class="hint">This describes the first {count(head.rows.length, 'row')}. The model is trained on all rows.</p>
      )}
      <form class="train" noValidate onSubmit={() => submit()}>
        <fieldset disabled={isSending}>
          <SelectField
            label="Column to predict"
            hint={
              chosen === undefined && known === undefined
                ? 'This is a guess. Choose the column that you want to predict.'
                : undefined
            }
            error={targetFault}
            element={targetSelect}
            value={target}
            options={[...new Set(names)].map((name) => [name, name || '(no name)'])}
            onChoose={(name) => {
              setChosen(name);
              setTask(undefined);
              setSeries(undefined);
            }}
          />
          {profile && <TaskField profile={profile} task={task} setTask={setTask} />}
          {task === 'forecast' && (
            <ForecastFields profiles={profiles} target={target} series={series} onSeries={setSeries} />
          )}
          <TextField
            label="Name of the model"
            hint={
              existing &&
              `This model exists. The table trains its version ${existing.version + 1}, which answers predictions as soon as it is ready.`
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
        <button type="submit" class="primary" aria-disabled={isSending || isTooLarge || !hasInput}>
          {refusal === null ? 'Train' : 'Try again'}
        </button>
        <SendingProgress state={state} cancel={cancel} />
      </form>
    </>
  );
}

function TaskField({ profile, task, setTask }: { profile: ColumnProfile; task: Task; setTask: (task: Task) => void }) {
  const { values, range } = profile;
  return (
    <SelectField
      label="Predict it as"
      hint={describeTask(profile, task)}
      value={task}
      options={[
        ['regression', range ? `A number (${number(range[0])} to ${number(range[1])})` : 'A number'],
        ['classification', `One of ${count(values.length, 'class', 'classes')}`],
        ['forecast', 'A number over time, forecast from its past values'],
      ]}
      onChoose={setTask}
    />
  );
}

const FEW = 10;

function describeTask(profile: ColumnProfile, task: Task): string {
  const { values } = profile;
  if (task === 'classification') {
    return `Predicts one of ${nameValues(profile)}, with its probability. A class needs at least 10 rows; rarer classes are merged.`;
  }
  if (task === 'forecast' && profile.task === 'regression') {
    return 'Forecasts the next values of one or many series, with intervals.';
  }
  if (profile.task === 'classification') return 'Most values of this column are not numbers.';
  return values.length <= FEW
    ? `Predicts a number, with an interval. The column has only ${whole(values.length)} different values: if they are codes or grades, predict classes.`
    : 'Predicts a number, with an interval.';
}

/** Guesses the column to predict: the last one whose values vary and repeat, or are numbers. */
function guessTarget(profiles: readonly ColumnProfile[]): string {
  const isLikely = ({ kind, values }: ColumnProfile) =>
    values.length > 1 && (kind === 'number' || (kind === 'category' && values.length <= 100));
  return (profiles.findLast(isLikely) ?? profiles.at(-1))?.name ?? '';
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

import type { RefObject } from 'preact';
import type { ColumnProfile } from '../tables/column-profile.js';
import { nameValues } from '../tables/column-words.js';
import { count, number, whole } from '../ui/format.js';
import { SelectField } from '../ui/select.js';

export type Task = ColumnProfile['task'] | 'forecast';

/** The choice of the column to predict, and of the task. */
export function TargetFields({
  profiles,
  target,
  isGuess,
  fault,
  task,
  element,
  onTarget,
  onTask,
}: {
  profiles: readonly ColumnProfile[];
  target: string;
  /** True if nobody has chosen it. */
  isGuess: boolean;
  /** The fault of the column. */
  fault: string | undefined;
  task: Task;
  element: RefObject<HTMLSelectElement | null>;
  onTarget: (name: string) => void;
  onTask: (task: Task) => void;
}) {
  const names = [...new Set(profiles.map(({ name }) => name))];
  const profile = profiles.find(({ name }) => name === target);
  return (
    <>
      <SelectField
        label="Column to predict"
        hint={isGuess ? 'This is a guess. Choose the column that you want to predict.' : undefined}
        error={fault}
        element={element}
        value={target}
        options={names.map((name) => [name, name || '(no name)'])}
        onChoose={onTarget}
      />
      {profile && (
        <SelectField
          label="Predict it as"
          hint={describeTask(profile, task)}
          value={task}
          options={[
            ['regression', describeNumber(profile)],
            ['classification', `One of ${count(profile.values.length, 'class', 'classes')}`],
            ['forecast', 'A number over time, forecast from its past values'],
          ]}
          onChoose={onTask}
        />
      )}
    </>
  );
}

function describeNumber({ kind, range }: ColumnProfile): string {
  return kind === 'number' && range ? `A number (${number(range[0])} to ${number(range[1])})` : 'A number';
}

const FEW = 10;

function describeTask(profile: ColumnProfile, task: Task): string {
  const { values } = profile;
  if (task === 'classification') {
    return `Predicts one of ${nameValues(profile)}, with its probability. Two classes need 10 rows each, others 5. Rarer ones are merged.`;
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
export function guessTarget(profiles: readonly ColumnProfile[]): string {
  const isLikely = ({ kind, values, isIndex }: ColumnProfile) =>
    !isIndex && values.length > 1 && (kind === 'number' || (kind === 'category' && values.length <= 100));
  return (profiles.findLast(isLikely) ?? profiles.at(-1))?.name ?? '';
}

import { useEffect } from 'preact/hooks';
import type { Model } from 'roster-client';
import { extent, linearScale } from '../plots/scale.js';
import { Words } from '../plots/words.js';
import { useQueryParameter } from '../router/query-parameter.js';
import { href } from '../router/route.js';
import { deleted } from '../session/deletions.js';
import { readList } from '../session/read-list.js';
import { roster } from '../session/roster.js';
import { useSignal } from '../session/signal.js';
import { useLoaded } from '../session/use-loaded.js';
import { FindField } from '../ui/find-field.js';
import { count, day, finePercent, percent, rounded, whole } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { Select } from '../ui/select.js';
import { targetUnit } from '../ui/units.js';
import { View } from '../ui/view.js';
import { FirstModel } from './first-model.js';
import { hasLearned, readVerdict } from './quality/verdict.js';

const LOAD_AGAIN_EVERY_MS = 1_500;

/** With more models, there are fields to find and to sort them. */
const MAX_WITHOUT_FILTER = 2;

/** The models of a project; without any, the ways to get the first one. */
export function ModelList({ project }: { project: string }) {
  const { loaded, reload } = useLoaded((signal) => listModels(project, signal), [project]);
  const models = loaded.state === 'ready' ? loaded.value : [];
  const isTraining = models.some(({ status }) => status === 'training');
  useEffect(() => {
    if (!isTraining) return;
    const timer = setTimeout(reload, LOAD_AGAIN_EVERY_MS);
    return () => clearTimeout(timer);
  }, [loaded]);
  if (loaded.state === 'ready' && models.length === 0) return <FirstModel project={project} />;
  const train = href(['projects', project, 'models', '~new']);
  return (
    <View
      title="Models"
      actions={
        <a class="button primary" href={train}>
          Train a model
        </a>
      }
    >
      <Loading loaded={loaded} what="the models" retry={reload}>
        {(value) => <Cards project={project} models={value} />}
      </Loading>
    </View>
  );
}

/** The orders of the list. A model that is being trained comes first in each. */
const ORDERS = {
  newest: ['Newest first', (one: Model, other: Model) => other.updated_at.localeCompare(one.updated_at)],
  name: ['By name', (one: Model, other: Model) => one.name.localeCompare(other.name, undefined, { numeric: true })],
  target: ['By what they predict', (one: Model, other: Model) => one.target.localeCompare(other.target)],
  best: ['Best first', (one: Model, other: Model) => gain(other) - gain(one)],
} as const;

const TASKS = [
  ['', 'All models'],
  ['regression', 'Numbers'],
  ['classification', 'Classes'],
  ['forecast', 'Forecasts'],
  ['poor', 'No better than the simplest answer'],
] as const;

function Cards({ project, models: all }: { project: string; models: readonly Model[] }) {
  const [sought, setSought] = useQueryParameter('find');
  const [order, setOrder] = useQueryParameter('order');
  const [task, setTask] = useQueryParameter('task');
  const gone = useSignal(deleted);
  const models = all.filter(({ id }) => !gone.has(id));
  const text = sought.toLowerCase();
  const [, compare] = ORDERS[isOrder(order) ? order : 'newest'];
  const found = models
    .filter((model) => `${model.name}\n${model.target}\n${model.description ?? ''}`.toLowerCase().includes(text))
    .filter((model) => task === '' || (task === 'poor' ? !hasLearned(model) : model.task === task))
    .sort((one, other) => byState(one, other) || compare(one, other));
  return (
    <>
      {models.length > MAX_WITHOUT_FILTER && (
        <div class="list-choices">
          <FindField label="Find models" value={sought} onValue={setSought}>
            {found.length < models.length && `${whole(found.length)} of `}
            {count(models.length, 'model')}
          </FindField>
          <Select aria-label="Show" value={task} options={TASKS} onChoose={setTask} />
          <Select
            aria-label="Order"
            value={isOrder(order) ? order : 'newest'}
            options={Object.entries(ORDERS).map(([id, [words]]) => [id, words] as const)}
            onChoose={setOrder}
          />
        </div>
      )}
      <ul class="cards models">
        {found.map((model) => (
          <li key={model.id} class={hasLearned(model) ? 'card' : 'card of-no-use'}>
            <ModelCard project={project} model={model} />
          </li>
        ))}
      </ul>
    </>
  );
}

const PREDICTS = {
  regression: ['Predicts', 'a number'],
  classification: ['Predicts', 'a class'],
  forecast: ['Forecasts', 'a number over time'],
} as const;

function ModelCard({ project, model }: { project: string; model: Model }) {
  const { name, description, status, progress, failure, serving_version: serving } = model;
  return (
    <>
      <h2>
        <a href={href(['projects', project, 'models', name])}>
          <Words name={name} />
        </a>
      </h2>
      <p class="faint">
        {PREDICTS[model.task][0]} <Words name={model.target} />, {PREDICTS[model.task][1]}
      </p>
      {description && <p class="content">{description}</p>}
      {status === 'ready' && (
        <div class="quality">
          <p>
            {!hasLearned(model) && <strong class="poor">{readVerdict(model)} </strong>}
            {describeQuality(model)}
          </p>
          {hasLearned(model) && <ModelSpark model={model} />}
        </div>
      )}
      {status === 'training' && (
        <div class="progress">
          <p>
            Training version {model.version}: {percent(progress)}
          </p>
          <progress value={progress} max={1} aria-label={`Training of ${name}`} />
        </div>
      )}
      {status === 'failed' && (
        <p class="failure">
          <strong>The training of version {model.version} failed.</strong> {failure}
        </p>
      )}
      {status !== 'ready' && serving !== null && <p class="hint">Version {serving} answers predictions.</p>}
      {status === 'ready' && <p class="hint card-facts">{describeFacts(model)}</p>}
    </>
  );
}

/** Says on what a version was trained, and when. */
function describeFacts({ version, row_count, columns, source, updated_at }: Model): string {
  return [
    `Version ${version}`,
    `${count(row_count, 'row')}${source ? ` of ${source.database}` : ''}`,
    count(columns?.length ?? 0, 'column'),
    day(updated_at),
  ].join(' · ');
}

/** The quality of a model in one figure. */
function describeQuality(model: Model) {
  if (model.metrics === null) return null;
  if (model.task === 'classification') {
    return (
      <>
        Right in <strong>{finePercent(model.metrics.accuracy)}</strong>, always “{model.classes?.[0]?.name}” in{' '}
        {finePercent(model.metrics.baseline_accuracy)}
      </>
    );
  }
  const [mae, baseline, other] =
    model.task === 'regression'
      ? [model.metrics.mae, model.metrics.baseline_mae, 'the mean alone']
      : [model.metrics.errors.mae, model.metrics.baseline_errors.mae, 'repeating alone'];
  const amount = (value: number) => rounded(value, targetUnit(model));
  return (
    <>
      Off by <strong>{amount(mae)}</strong> on average; {other} by {amount(baseline)}
    </>
  );
}

async function listModels(project: string, signal: AbortSignal): Promise<Model[]> {
  const path = { projectName: project };
  const models = await readList((query) =>
    roster.GET('/api/projects/{projectName}/models', { params: { path, query }, signal }),
  );
  return [...models];
}

function byState(one: Model, other: Model): number {
  const isTraining = ({ status }: Model) => (status === 'training' ? 1 : 0);
  return isTraining(other) - isTraining(one);
}

const isOrder = (text: string): text is keyof typeof ORDERS => Object.hasOwn(ORDERS, text);

/** Returns the share of the error of a constant answer that a model takes away; less than 0 for a worse one. */
function gain(model: Model): number {
  if (model.metrics === null) return Number.NEGATIVE_INFINITY;
  const [own, base] =
    model.task === 'classification'
      ? [1 - model.metrics.accuracy, 1 - model.metrics.baseline_accuracy]
      : model.task === 'regression'
        ? [model.metrics.mae, model.metrics.baseline_mae]
        : [model.metrics.errors.mae, model.metrics.baseline_errors.mae];
  return 1 - own / (base || 1);
}

const WIDTH = 104;
const HEIGHT = 44;
const INSET = 4;

type Points = readonly (readonly [number, number])[];

/**
 * The quality of a model at a glance: predicted and actual values, or probability and accuracy, around the dashed
 * line of a perfect model; or of a forecast the error by step below that of repeating the last season.
 */
function ModelSpark({ model }: { model: Model }) {
  const drawn = placePoints(model);
  if (!drawn || drawn.points.length < 2) return null;
  const { points, title, deviations = [] } = drawn;
  const reference = drawn.reference ?? drawDiagonal(points);
  const edge = (sign: 1 | -1): Points =>
    points.map(([at, value], index) => [at, value + sign * (deviations[index] ?? 0)]);
  const band = [...edge(1), ...edge(-1).toReversed()];
  const all = [...band, ...reference];
  const x = linearScale(extent(all.map(([at]) => at)), [INSET, WIDTH - INSET]);
  const y = linearScale(extent(all.map(([, value]) => value)), [HEIGHT - INSET, INSET]);
  const line = (of: Points) => of.map(([at, value]) => `${x(at)},${y(value)}`).join(' ');
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} role="img" aria-label={title}>
      <polygon class="band" points={line(band)} />
      <polyline class="reference" fill="none" points={line(reference)} />
      <polyline class="stroke" points={line(points)} />
    </svg>
  );
}

function placePoints(
  model: Model,
): { title: string; points: Points; deviations?: number[]; reference?: Points } | undefined {
  if (model.metrics === null) return undefined;
  if (model.task === 'regression') {
    const groups = model.metrics.predicted_actual;
    const points = groups.map(({ predicted, actual }) => [predicted, actual] as const);
    const deviations = groups.map(({ deviation }) => deviation);
    return { title: 'Predicted and actual values', points, deviations };
  }
  if (model.task === 'classification') {
    const points = model.metrics.reliability.map(({ nominal, observed }) => [nominal, observed] as const);
    return { title: 'Probability and accuracy', points };
  }
  const byStep = (errors: readonly { mae: number }[]) => errors.map(({ mae }, step) => [step, mae] as const);
  return {
    title: 'Error by step, and that of repeating the last season',
    points: byStep(model.metrics.errors_by_step),
    reference: byStep(model.metrics.baseline_errors_by_step),
  };
}

function drawDiagonal(points: Points): Points {
  const [low, high] = extent(points.flat());
  return [
    [low, low],
    [high, high],
  ];
}

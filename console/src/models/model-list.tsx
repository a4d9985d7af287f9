import { useEffect, useState } from 'preact/hooks';
import { items, type Model } from 'roster-client';
import { href } from '../router/route.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { count, percent, rounded } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { View } from '../ui/view.js';
import { FirstModel } from './first-model.js';

const LOAD_AGAIN_EVERY_MS = 1_500;

/** From so many models on, there is a field to find one by its name. */
const MANY = 8;

/** The models of a project; without any, what one can do to get the first. */
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

function Cards({ project, models }: { project: string; models: readonly Model[] }) {
  const [sought, setSought] = useState('');
  const found = models.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()));
  return (
    <>
      {models.length > MANY && (
        <div class="find">
          <input
            type="search"
            aria-label="Find a model by its name"
            placeholder="Find a model by its name"
            value={sought}
            onInput={(event) => setSought(event.currentTarget.value)}
          />
          <p class="hint" role="status">
            {sought === ''
              ? count(models.length, 'model')
              : `${found.length} of ${count(models.length, 'model')}`}
          </p>
        </div>
      )}
      <ul class="cards models">
        {found.map((model) => (
          <li key={model.id} class="card">
            <ModelCard project={project} model={model} />
          </li>
        ))}
      </ul>
    </>
  );
}

function ModelCard({ project, model }: { project: string; model: Model }) {
  const { name, status, progress, failure, serving_version: serving } = model;
  return (
    <>
      <h2>
        <a href={href(['projects', project, 'models', name])}>{name}</a>
      </h2>
      <p class="faint">
        Predicts {model.target}, {model.task === 'regression' ? 'a number' : 'a class'}
      </p>
      {status === 'ready' && <p class="quality">{qualityOf(model)}</p>}
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
      {status !== 'ready' && serving !== null && (
        <p class="hint">Version {serving} answers predictions.</p>
      )}
    </>
  );
}

/** The quality of a model in one figure. */
function qualityOf(model: Model) {
  if (model.metrics === null) return null;
  return model.task === 'regression' ? (
    <>
      Off by <strong>{rounded(model.metrics.mae)}</strong> on average
    </>
  ) : (
    <>
      Right in <strong>{percent(model.metrics.accuracy)}</strong> of cases
    </>
  );
}

async function listModels(project: string, signal: AbortSignal): Promise<Model[]> {
  const models = new Map<string, Model>();
  const list = items(
    (query) =>
      roster.GET('/api/projects/{projectName}/models', {
        params: { path: { projectName: project }, query },
        signal,
      }),
    { limit: 1000 },
  );
  try {
    for await (const model of list) models.set(model.id, model);
  } catch (error) {
    // The mock repeats its one page without end: what was read is the list.
    if (models.size === 0 || signal.aborted) throw error;
  }
  return [...models.values()].sort(byState);
}

function byState(one: Model, other: Model): number {
  const isTraining = ({ status }: Model) => (status === 'training' ? 1 : 0);
  return isTraining(other) - isTraining(one) || other.updated_at.localeCompare(one.updated_at);
}

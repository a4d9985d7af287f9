import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { answered, type Model, ProblemError } from 'roster-client';
import { href, navigate, replaceView, useRoute } from '../router/route.js';
import { deleteLater } from '../session/deletions.js';
import { roster } from '../session/roster.js';
import { useAttempt } from '../session/use-attempt.js';
import { type Loaded, useLoaded } from '../session/use-loaded.js';
import { ConfirmDelete } from '../ui/confirm-delete.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Loading } from '../ui/loading.js';
import { Tabs } from '../ui/tabs.js';
import { View } from '../ui/view.js';
import { cancelTraining, deleteModel, type ModelPath, setServing } from './change-model.js';
import { ModelDetails } from './model-details.js';
import { TrainingState } from './training-state.js';
import { readVersions } from './versions/read-versions.js';

/** The views of a model, by the last segment of their addresses. */
const TABS = [
  ['quality', 'Quality'],
  ['try', 'Try a row'],
  ['predict', 'Predict a file'],
  ['record', 'Record'],
  ['versions', 'Versions'],
] as const;

export type ModelTab = (typeof TABS)[number][0];

/** A model as its newest version, and as the version that a view shows. */
interface Versions {
  readonly newest: Model;
  readonly shown: Model;
  /** The newest version that is ready, if it is newer than the serving one and needs an approval. */
  readonly waiting: Model | undefined;
}

/**
 * The frame of each view of a model: its name, its tabs, and a training that is running or has
 * failed. A view shows the version that serves. Quality shows another one with `?version=`.
 * @param children gets the version to show, a function that reads the model again, and the newest
 *   version
 * @param always whether there is something to show before a version is ready, as a list of versions
 */
export function ModelFrame({
  project,
  model: name,
  tab,
  always = false,
  children,
}: {
  project: string;
  model: string;
  tab: ModelTab;
  always?: boolean;
  children: (model: Model, reload: () => void, newest: Model) => ComponentChildren;
}) {
  const { segments, query } = useRoute();
  const asked = Number(query.get('version')) || 0;
  const path = { projectName: project, modelName: name };
  const { loaded, reload } = useLoaded<Versions>(
    (signal) => load(path, tab === 'quality' ? asked : 0, signal),
    [project, name, asked],
  );
  useEffect(() => {
    const follow = () => document.visibilityState === 'visible' && reload();
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, [reload]);

  const [error, setError] = useState<unknown>(null);
  const remove = async (id: string) => {
    deleteLater(`the model ${name}`, id, () => deleteModel(path));
    navigate(['projects', project, 'models']);
  };
  const cancel = async () => {
    if (newest) await cancelTraining(path, newest.version);
    reload();
  };
  const models = href(['projects', project, 'models']);
  const newest = loaded.state === 'ready' ? loaded.value.newest : undefined;
  const shown = loaded.state === 'ready' ? loaded.value.shown : undefined;
  const isForecast = shown?.task === 'forecast';
  // The report of a version has one segment more than its quality.
  const hasReport = tab === 'quality' && shown?.status === 'ready' && segments.length === 4;
  // A forecaster answers the rows of a series, and not those of a file.
  const tabs = TABS.filter(([id]) => !isForecast || id !== 'predict').map(([id, text]) => ({
    href: href(['projects', project, 'models', name, ...(id === 'quality' ? [] : [id])]),
    text: isForecast && id === 'try' ? 'Forecast' : text,
    isCurrent: id === tab,
  }));
  const actions = newest && (
    <>
      {hasReport && (
        <a
          class="button"
          href={href(['projects', project, 'models', name, 'report'], { version: String(shown.version) })}
        >
          Share or print
        </a>
      )}
      {newest.source && newest.status !== 'training' && (
        <TrainAgain
          path={path}
          onEnd={(reason) => {
            setError(reason);
            reload();
          }}
        />
      )}
      <a class="button" href={href(['projects', project, 'models', '~new'], { name })}>
        Train a new version
      </a>
      <ModelDetails
        project={project}
        model={newest}
        onChanged={(now) => {
          if (now.name === name) reload();
          else replaceView(['projects', project, 'models', now.name, ...segments.slice(4)]);
        }}
      />
      <ConfirmDelete
        what={`the model ${name}`}
        consequences="All its versions are deleted, and a running training is cancelled. Programs that request predictions from it will get an error. You can undo this for ten seconds."
        remove={() => remove(newest.id)}
      />
    </>
  );
  return (
    <View
      title={name}
      part={tabs.find(({ isCurrent }) => isCurrent)?.text}
      up={{ href: models, text: 'Models' }}
      actions={actions}
    >
      {isGone(loaded) ? (
        <p class="notice warning" role="alert">
          <strong>This {asked ? 'version' : 'model'} does not exist.</strong> The address may be wrong, or someone has
          deleted it.{' '}
          <a href={asked ? href(['projects', project, 'models', name]) : models}>
            {asked ? 'See the version that answers predictions' : 'See all models'}
          </a>
        </p>
      ) : (
        <>
          {newest?.description && <p class="content lead">{newest.description}</p>}
          <Tabs label="Views of the model" tabs={tabs} />
          {error !== null && <ErrorNotice error={error} />}
          <Loading loaded={loaded} what="the model" retry={reload}>
            {({ newest, shown, waiting }) => (
              <>
                <TrainingState newest={newest} project={project} onChange={reload} onCancel={cancel} />
                {waiting && (
                  <WaitingVersion
                    waiting={waiting}
                    project={project}
                    isCompared={tab === 'versions'}
                    onServed={reload}
                  />
                )}
                {tab === 'quality' && <OtherVersion shown={shown} project={project} />}
                {(always || shown.status === 'ready') && children(shown, reload, newest)}
              </>
            )}
          </Loading>
        </>
      )}
    </View>
  );
}

/** Says that a version is shown that does not answer predictions. */
function OtherVersion({ shown, project }: { shown: Model; project: string }) {
  const { name, version, serving_version: serving } = shown;
  if (serving === null || version === serving) return null;
  return (
    <p class="notice">
      This is version {version}. Version {serving} answers predictions.{' '}
      <a href={href(['projects', project, 'models', name])}>Show version {serving}</a>
    </p>
  );
}

async function load(path: ModelPath, asked: number, signal: AbortSignal): Promise<Versions> {
  const read = (query: { version?: number }) =>
    answered(roster.GET('/api/projects/{projectName}/models/{modelName}', { params: { path, query }, signal }));
  const newest = await read({});
  const version = asked || (newest.serving_version ?? newest.version);
  const [shown, waiting] = await Promise.all([
    version === newest.version ? newest : read({ version }),
    findWaiting(path, newest, signal),
  ]);
  return { newest, shown, waiting };
}

/** Finds the version that needs an approval, which is an older one while the newest is trained or has failed. */
async function findWaiting(path: ModelPath, newest: Model, signal: AbortSignal) {
  const { version, status, serving_version: serving, promotion } = newest;
  if (promotion === 'always' || serving === null || serving === version) return undefined;
  if (status === 'ready') return newest;
  if (serving === version - 1) return undefined;
  const versions = await readVersions(path, signal);
  return versions.find((each) => each.status === 'ready' && each.version > serving);
}

function isGone(loaded: Loaded<Versions>): boolean {
  if (loaded.state !== 'failed' || !(loaded.error instanceof ProblemError)) return false;
  return loaded.error.problem.type === '/problems/model-not-found';
}

/**
 * A button that trains a model again from the query of its newest version.
 * @param onEnd called when the training has begun, or with the error that kept it from that
 */
function TrainAgain({ path, onEnd }: { path: ModelPath; onEnd: (error: unknown) => void }) {
  const [isReading, setReading] = useState(false);
  const train = async () => {
    setReading(true);
    try {
      const address = '/api/projects/{projectName}/models/{modelName}/retrain';
      await answered(roster.POST(address, { params: { path } }));
      onEnd(null);
    } catch (error) {
      onEnd(error);
    } finally {
      setReading(false);
    }
  };
  return (
    <button type="button" disabled={isReading} onClick={train}>
      {isReading ? 'Reading the rows…' : 'Train again'}
    </button>
  );
}

/** Says that a version of a model waits until somebody lets it answer predictions. */
function WaitingVersion({
  waiting,
  project,
  isCompared,
  onServed,
}: {
  waiting: Model;
  project: string;
  /** True if the view shows the comparison itself. */
  isCompared: boolean;
  onServed: () => void;
}) {
  const { error, attempt } = useAttempt();
  const { name, version, serving_version: serving, comparison } = waiting;
  const serve = async () => {
    await attempt(() => setServing({ projectName: project, modelName: name }, { version }));
    onServed();
  };
  return (
    <div class="notice">
      <p>
        <strong>Version {version} is ready, and waits for your approval.</strong> Version {serving} answers predictions
        until then.
      </p>
      {comparison && <p>{comparison.reason}</p>}
      <p class="actions">
        <button type="button" class="primary" onClick={serve}>
          Serve version {version}
        </button>
        {!isCompared && (
          <a href={href(['projects', project, 'models', name, 'versions'])}>Compare it with version {serving}</a>
        )}
      </p>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

import type { Model } from 'roster-client';
import { href } from '../router/route.js';
import { useAttempt } from '../session/use-attempt.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { setServing } from './change-model.js';

/** Says that a version of a model waits until somebody lets it answer predictions. */
export function WaitingVersion({
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
        <strong>Version {version} is ready, and waits for your approval.</strong> Version {serving}{' '}
        answers predictions until then.
      </p>
      {comparison && <p>{comparison.reason}</p>}
      <p class="actions">
        <button type="button" class="primary" onClick={serve}>
          Serve version {version}
        </button>
        {!isCompared && (
          <a href={href(['projects', project, 'models', name, 'versions'])}>
            Compare it with version {serving}
          </a>
        )}
      </p>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

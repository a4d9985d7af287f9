import { useEffect, useState } from 'preact/hooks';
import { type Model, TrainingFailedError, untilReady } from 'roster-client';
import { ConnectionError, connection } from '../session/connection.js';
import { roster } from '../session/roster.js';
import { useSignal } from '../session/signal.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Progress } from '../ui/progress.js';

/**
 * The training of a model's newest version: how far it is, or why it failed. Nothing once it is ready.
 * @param onChange called when the training has ended, or the model is gone
 * @param onCancel deletes the model, which cancels its training
 */
export function TrainingState({
  newest,
  project,
  onChange,
  onCancel,
}: {
  newest: Model;
  project: string;
  onChange: () => void;
  onCancel: () => Promise<void>;
}) {
  const { name, version, status, failure, serving_version: serving } = newest;
  const [progress, setProgress] = useState(newest.progress);
  const [error, setError] = useState<unknown>(null);
  const isLost = useSignal(connection).state === 'lost';
  // `onChange` is new at each render, and does not start the wait again.
  useEffect(() => {
    if (status !== 'training' || isLost) return;
    const aborter = new AbortController();
    setProgress(newest.progress);
    untilReady(
      roster,
      { projectName: project, modelName: name },
      {
        signal: aborter.signal,
        onProgress: (model) => !aborter.signal.aborted && setProgress(model.progress),
      },
    ).then(
      () => onChange(),
      (reason: unknown) => {
        // A connection that is lost or a model that is gone shows when the model is read again.
        if (aborter.signal.aborted || reason instanceof ConnectionError) return;
        if (!(reason instanceof TrainingFailedError)) setError(reason);
        onChange();
      },
    );
    return () => aborter.abort();
  }, [name, version, status, isLost]);

  const answers = serving !== null && ` Version ${serving} still answers predictions.`;
  if (status === 'failed')
    return (
      <div class="notice error">
        <p>
          <strong>The training of version {version} failed.</strong>
          {answers}
        </p>
        <p>{failure}</p>
      </div>
    );
  if (status !== 'training') return null;
  return (
    <div class="notice">
      <Progress label={`Training version ${version}`} share={progress} />
      {answers && <p>{answers}</p>}
      {serving === null && (
        <button type="button" onClick={() => onCancel().catch(setError)}>
          Cancel the training
        </button>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

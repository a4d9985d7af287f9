import { useEffect, useRef, useState } from 'preact/hooks';
import { type Model, TrainingFailedError, untilReady } from 'roster-client';
import { ConnectionError, connection } from '../session/connection.js';
import { roster } from '../session/roster.js';
import { useSignal } from '../session/signal.js';
import { useAttempt } from '../session/use-attempt.js';
import { announce } from '../ui/announce.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Progress } from '../ui/progress.js';

/**
 * The training of a model's newest version: how far it is, or why it failed. Nothing once it is ready.
 * @param onChange called when the training has ended, or the model is gone
 * @param onCancel cancels the training
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
  const [current, setCurrent] = useState(newest);
  // Until its training is asked about, the last one was that of another version.
  const { progress, seconds_left: secondsLeft } = current.version === version ? current : newest;
  const [error, setError] = useState<unknown>(null);
  const { isBusy: isCancelling, error: refusal, attempt } = useAttempt();
  const isLost = useSignal(connection).state === 'lost';
  const wasTraining = useRef(false);
  useEffect(() => {
    if (status === 'training') announce(`Training version ${version} has begun.`);
    else if (wasTraining.current) {
      announce(
        status === 'ready'
          ? `Version ${version} is ready.`
          : `The training of version ${version} ended without a model.`,
      );
    }
    wasTraining.current = status === 'training';
  }, [version, status]);
  // `onChange` is new at each render, and does not start the wait again.
  useEffect(() => {
    if (status !== 'training' || isLost) return;
    const aborter = new AbortController();
    setCurrent(newest);
    untilReady(
      roster,
      { projectName: project, modelName: name },
      { signal: aborter.signal, onProgress: (model) => !aborter.signal.aborted && setCurrent(model) },
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
      <div class="notice warning">
        <p>
          <strong>Version {version} was not trained.</strong>
          {answers}
        </p>
        <p>{failure}</p>
      </div>
    );
  if (status !== 'training') return null;
  return (
    <div class="notice">
      <Progress key={version} label={`Training version ${version}`} share={progress} secondsLeft={secondsLeft} />
      {answers && <p>{answers}</p>}
      <button type="button" aria-disabled={isCancelling} onClick={() => isCancelling || attempt(onCancel)}>
        Cancel the training
      </button>
      {(error ?? refusal) !== null && <ErrorNotice error={error ?? refusal} />}
    </div>
  );
}

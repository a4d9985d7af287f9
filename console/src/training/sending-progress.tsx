import { Progress } from '../ui/progress.js';
import type { SendingState } from './use-training.js';

/** The progress of sending a table, with a button that cancels. Shows nothing when none is sent. */
export function SendingProgress({ state, cancel }: { state: SendingState; cancel: () => void }) {
  if (state.step === 'none' || state.step === 'failed') return null;
  const { share } = state;
  return (
    <div class="notice">
      {share === 1 ? (
        <p class="waiting" role="status">
          The service is reading the table …
        </p>
      ) : (
        <Progress label="Sending the table" share={share} />
      )}
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

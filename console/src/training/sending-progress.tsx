import { Progress } from '../ui/progress.js';
import type { SendingState } from './use-training.js';

/** The progress of sending a table, with a button that cancels. Shows nothing when none is sent. */
export function SendingProgress({ state, cancel }: { state: SendingState; cancel: () => void }) {
  if (state.step === 'none' || state.step === 'failed') return null;
  const { step, share } = state;
  const isRead = step === 'sending' && share === 1;
  return (
    <div class="notice">
      {isRead ? (
        <p class="waiting" role="status">
          The service is reading the table …
        </p>
      ) : (
        <Progress
          key={step}
          label={step === 'sending' ? 'Sending the table' : 'Converting the table'}
          share={share}
        />
      )}
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

import { Progress } from '../ui/progress.js';
import type { SendingState } from './use-training.js';

/** How far a table is on its way, with the button that stops it. Shows nothing when none is sent. */
export function SendingProgress({ state, cancel }: { state: SendingState; cancel: () => void }) {
  if (state.step === 'none' || state.step === 'failed') return null;
  const { step, share } = state;
  const isRead = step === 'sending' && share === 1;
  return (
    <div class="notice">
      {isRead ? (
        <p class="waiting" role="status">
          The table has arrived. The service reads it …
        </p>
      ) : (
        <Progress
          key={step}
          label={step === 'sending' ? 'Sending the table' : 'Writing the table with commas'}
          share={share}
        />
      )}
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

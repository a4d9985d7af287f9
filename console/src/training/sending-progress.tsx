import { RunningNotice } from '../ui/progress.js';
import type { SendingState } from './use-training.js';

/** The progress of sending a table, with a button that cancels. Shows nothing when none is sent. */
export function SendingProgress({ state, cancel }: { state: SendingState; cancel: () => void }) {
  if (state.step === 'none' || state.step === 'failed') return null;
  const { share } = state;
  return share === 1 ? (
    <RunningNotice label="The service is reading the table" share={undefined} cancel={cancel} />
  ) : (
    <RunningNotice label="Sending the table" share={share} cancel={cancel} />
  );
}

import { deletion, undoDeletion } from '../session/deletions.js';
import { useSignal } from '../session/signal.js';
import { ErrorNotice } from './error-notice.js';
import { capitalized } from './format.js';

/** Says what is being deleted, with the button that takes it back, or why it was not deleted. */
export function UndoBar() {
  const current = useSignal(deletion);
  return (
    <div class="undo-place" role="status">
      {current !== null && (
        <div class="undo">
          {current.error === null ? (
            <>
              <p>{capitalized(current.what)} will be deleted in ten seconds.</p>
              <button type="button" onClick={undoDeletion}>
                Undo
              </button>
            </>
          ) : (
            <>
              <p>{capitalized(current.what)} was not deleted.</p>
              <ErrorNotice error={current.error} />
              <button type="button" onClick={() => deletion.set(null)}>
                Close
              </button>
            </>
          )}
        </div>
      )}
    </div>
  );
}

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useAttempt } from '../session/use-attempt.js';
import { Dialog } from './dialog.js';
import { ErrorNotice } from './error-notice.js';

/** A button that deletes, after a dialog that says what else is affected. */
export function ConfirmDelete({
  what,
  consequences,
  remove,
}: {
  /** The thing to delete, such as "the skill lookup". */
  what: string;
  consequences: ComponentChildren;
  remove: () => Promise<void>;
}) {
  const [isOpen, setOpen] = useState(false);
  const { isBusy, error, attempt } = useAttempt();
  const safe = useRef<HTMLButtonElement>(null);
  const confirm = () =>
    attempt(async () => {
      await remove();
      setOpen(false);
    });
  return (
    <>
      <button type="button" class="danger" aria-label={`Delete ${what}`} onClick={() => setOpen(true)}>
        Delete
      </button>
      {isOpen && (
        <Dialog title={`Delete ${what}?`} focus={safe} onClose={() => setOpen(false)}>
          <div>{consequences}</div>
          {error !== null && <ErrorNotice error={error} />}
          <div class="actions">
            <button type="button" class="danger" onClick={confirm} disabled={isBusy}>
              {isBusy ? 'Deleting …' : 'Delete'}
            </button>
            {/* The first press of Enter deletes nothing. */}
            <button type="button" ref={safe} onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from '../session/signal.js';
import { useLeaveWarning } from '../session/use-leave-warning.js';
import type { Thread } from './thread.js';

/** A field for the next message, with the buttons that send it and stop the answer. */
export function Composer({ thread, isAnswering }: { thread: Thread; isAnswering: boolean }) {
  const draft = useSignal(thread.draft);
  const field = useRef<HTMLTextAreaElement>(null);
  useLeaveWarning(draft !== '');
  useEffect(() => {
    // The button that had the focus is gone.
    if (document.activeElement === document.body) field.current?.focus();
  }, [isAnswering]);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        thread.send();
      }}
    >
      <label>
        <span class="visually-hidden">Message</span>
        <textarea
          ref={field}
          rows={2}
          placeholder="Write a message"
          value={draft}
          onInput={(event) => thread.draft.set(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Enter also takes what an input method offers.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            thread.send();
          }}
        />
      </label>
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={isAnswering || draft.trim() === ''}>
          Send
        </button>
        {isAnswering && (
          <button type="button" onClick={() => thread.stop()}>
            Stop
          </button>
        )}
        <span class="hint">Enter sends, Shift+Enter begins a line.</span>
      </div>
    </form>
  );
}

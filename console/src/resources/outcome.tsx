import { useState } from 'preact/hooks';

/** The message of the last view, for the view that it led to. */
let outcome = '';

/** Keeps what was done for the next view. */
export function setOutcome(text: string): void {
  outcome = text;
}

/**
 * Says once what the view before this one has done.
 * @param done what this one has done; left out where it does nothing
 */
export function Outcome({ done }: { done?: string }) {
  const [text] = useState(() => {
    const said = outcome;
    outcome = '';
    return said;
  });
  return (
    <>
      {text && (
        <p class="outcome" role="status">
          {text}
        </p>
      )}
      {done !== undefined && (
        <p role="status" class={done ? 'outcome' : undefined}>
          {done}
        </p>
      )}
    </>
  );
}

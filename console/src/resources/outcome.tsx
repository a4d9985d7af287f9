import { useState } from 'preact/hooks';

/** The message of the last view, for the view that it led to. */
let outcome = '';

/** Keeps what was done for the next view. */
export function setOutcome(text: string): void {
  outcome = text;
}

/** Says once what the view before this one has done. */
export function Outcome() {
  const [text] = useState(() => {
    const said = outcome;
    outcome = '';
    return said;
  });
  return (
    text && (
      <p class="outcome" role="status">
        {text}
      </p>
    )
  );
}

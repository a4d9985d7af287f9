import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { whole } from '../ui/format.js';
import type { Finding, Remedy } from './finding.js';

/** The findings that are shown at first: the service sends the most important first. */
const MOST = 10;

/** Findings about a table, each with what it may do and what mends it. */
export function FindingList({
  findings,
  control,
}: {
  findings: readonly Finding[];
  /** Shows what applies a remedy; nothing for one that this page cannot apply. */
  control: (remedy: Remedy, finding: Finding) => ComponentChildren;
}) {
  const [showsAll, setAll] = useState(false);
  const shown = showsAll ? findings : findings.slice(0, MOST);
  const hidden = findings.length - shown.length;
  return (
    <>
      <ul class="findings">
        {shown.map((finding) => (
          <li key={keyOf(finding)}>
            <p>{finding.message}</p>
            {finding.effect && <p class="effect">{finding.effect}</p>}
            <p class="actions">{finding.remedies.map((remedy) => control(remedy, finding))}</p>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" onClick={() => setAll(true)}>
          Show {whole(hidden)} more
        </button>
      )}
    </>
  );
}

/** Identifies a finding among those of a table. */
export function keyOf({ kind, column, message }: Finding): string {
  return JSON.stringify([kind, column, message]);
}

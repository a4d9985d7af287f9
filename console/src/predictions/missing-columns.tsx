import { percent } from '../ui/format.js';
import { ColumnNames } from './column-names.js';
import type { Comparison } from './compare-columns.js';

/** From this share of what a model learnt on, predictions without it are hardly predictions. */
const DECISIVE_SHARE = 0.25;

/** Warns of columns that a file lacks, the louder the more the model learnt from them. */
export function MissingColumns({
  target,
  comparison: { missing, missingShare, missingBest },
}: {
  target: string;
  comparison: Comparison;
}) {
  if (missing.length === 0) return null;
  const isDecisive = missingBest !== undefined || missingShare >= DECISIVE_SHARE;
  const them = missing.length === 1 ? 'it' : 'them';
  return (
    <div class={`notice ${isDecisive ? 'error' : 'warning'}`} role={isDecisive ? 'alert' : undefined}>
      <p>
        <strong>
          {missingBest === undefined ? (
            <>This file lacks columns of the model.</>
          ) : (
            <>
              <code>{target}</code> depends most on <code>{missingBest}</code>, which this file lacks.
            </>
          )}
        </strong>
      </p>
      <p>
        Missing: <ColumnNames names={missing} />. The model learnt {percent(missingShare)} of what it knows from {them},
        so that predictions without {them} are less certain
        {isDecisive && ', and may be of no use'}.
      </p>
    </div>
  );
}

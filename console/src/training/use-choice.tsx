import { useId } from 'preact/hooks';
import type { ColumnKind } from '../tables/table-head.js';
import { Select } from '../ui/select.js';
import type { ColumnUse, Use } from './column-uses.js';

const KINDS = { number: 'As numbers', date: 'As dates', category: 'As categories' };

/** The choice of a column's use, with the reason for a suggested one. */
export function UseChoice({
  column,
  kind,
  used: { use, reason },
  isBusy,
  onUse,
}: {
  column: string;
  kind: ColumnKind;
  used: ColumnUse;
  isBusy: boolean;
  onUse: (use: Use) => void;
}) {
  const id = useId();
  const options: [Use, string][] = [['found', 'Use']];
  for (const other of ['number', 'date', 'category'] as const) {
    if (other !== kind || use === other) options.push([other, KINDS[other]]);
  }
  options.push(['unused', 'Leave out']);
  return (
    <>
      <Select
        class="column-use"
        aria-label={`Use of ${column || 'the column without a name'}`}
        aria-describedby={reason && id}
        value={use}
        options={options}
        disabled={isBusy}
        onChoose={onUse}
      />
      {reason && (
        <span class="column-reason" id={id}>
          {reason}
        </span>
      )}
    </>
  );
}

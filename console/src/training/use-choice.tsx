import { useId } from 'preact/hooks';
import { describeRemedy } from '../findings/remedy-words.js';
import type { ColumnProfile } from '../tables/column-profile.js';
import type { ColumnKind } from '../tables/table-head.js';
import { Select } from '../ui/select.js';
import { type ColumnUse, PARAMETERS, type Use } from './column-uses.js';

const KINDS = { number: 'As numbers', date: 'As dates', category: 'As categories' };
const MARKS = { point: 'With decimal point', comma: 'With decimal comma' };

/** The choice of a column's use, with the reason for a suggested one. */
export function UseChoice({
  column,
  kind,
  hasMarks,
  alternatives,
  used: { use, reason },
  isBusy,
  onUse,
}: {
  column: string;
  kind: ColumnKind;
  /** True if its texts have marks that may be of thousands or decimals. */
  hasMarks: boolean;
  /** The value of an example under each decimal mark, where nothing shows the mark. */
  alternatives: ColumnProfile['alternatives'];
  used: ColumnUse;
  isBusy: boolean;
  onUse: (use: Use) => void;
}) {
  const id = useId();
  const options: [Use, string][] = [['found', 'Use']];
  for (const other of ['number', 'date', 'category'] as const) {
    if (other !== kind || use === other) options.push([other, KINDS[other]]);
  }
  for (const mark of ['point', 'comma'] as const) {
    const example = alternatives.find(({ parameter }) => parameter === PARAMETERS[mark]);
    const words = example ? describeRemedy(example, alternatives) : MARKS[mark];
    if (example || hasMarks || use === mark) options.push([mark, words]);
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

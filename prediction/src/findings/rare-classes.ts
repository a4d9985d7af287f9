import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedTable } from './looked-table.js';
import { showCount } from './words.js';

/** A class of fewer rows is rare, if it is also a small part of the table: five folds leave it fewer than five rows each. */
const FEW_ROWS = 25;
const SMALL_SHARE = 0.05;

const MAX_NAMED = 5;

/** Finds classes of so few rows that their probabilities are known badly. */
export function findRareClasses({ target, rowCount, isBeginning }: LookedTable): Finding[] {
  // The rows of the class may follow.
  if (isBeginning) return [];
  const rare = target?.classes?.filter(
    ({ rows, merged_count }) => merged_count === 0 && rows < FEW_ROWS && rows < SMALL_SHARE * rowCount,
  );
  if (!target || !rare || rare.length === 0) return [];
  const rows = rare.reduce((sum, each) => sum + each.rows, 0);
  const named = rare.slice(0, MAX_NAMED).map(({ name, rows: own }) => `${quote(name)} (${own})`);
  const more = rare.length > MAX_NAMED ? ` and ${showCount(rare.length - MAX_NAMED)} more` : '';
  return [
    {
      kind: 'rare_classes',
      column: target.name,
      rows,
      share: rows / rowCount,
      places: [],
      message: `Classes of the target ${quote(target.name)} have fewer than ${FEW_ROWS} rows: ${named.join(', ')}${more}.`,
      effect:
        'The model sees little of them, and what is measured of them is uncertain. Send more rows of them, or group them.',
      remedies: [],
    },
  ];
}

import type { Finding } from '../findings/finding.js';
import { describeColumn } from '../findings/words.js';
import { UNUSED } from '../table/column-profile.js';
import type { Table } from '../table/table.js';
import type { Model } from './models.js';

/**
 * Finds what only a training shows of its table.
 *
 * @param table that the model was trained on
 */
export function inspectModel(model: Model, _table: Table): Finding[] {
  return findUnused(model);
}

/** Columns that the model does not use, but for those that are not to be used. */
function findUnused({ columns }: Model): Finding[] {
  const chosen: readonly (string | null)[] = Object.values(UNUSED);
  return columns
    .filter(({ used, reason }) => !used && !chosen.includes(reason))
    .map(({ name, reason }) => ({
      kind: 'unused_column',
      column: name,
      rows: null,
      share: null,
      places: [],
      message: `${describeColumn(name)} is not used: ${reason}.`,
      effect: null,
      remedies: [],
    }));
}

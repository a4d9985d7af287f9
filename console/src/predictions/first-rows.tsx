import { Scrolling, Table } from '../plots/table.js';
import type { TableRecord } from '../tables/read-records.js';
import { truncate } from '../tables/table-preview.js';
import type { PredictedTable } from './table-prediction.js';

/** Some rows of a predicted file, with the added columns in front, which would be far to the right. */
export function FirstRows({
  result: { columns, addedCount },
  rows,
  label,
}: {
  result: PredictedTable;
  rows: readonly TableRecord[];
  label: string;
}) {
  const ownCount = columns.length - addedCount;
  const inFront = <T,>(cells: readonly T[]) => [...cells.slice(ownCount), ...cells.slice(0, ownCount)];
  return (
    <Scrolling isPreview label={label}>
      <Table
        head={inFront(columns).map((name) => <span class="column-name">{truncate(name)}</span>)}
        rows={rows.map((row) => inFront(row).map(truncate))}
        classOf={(index) => (index < addedCount ? 'chosen' : undefined)}
      />
    </Scrolling>
  );
}

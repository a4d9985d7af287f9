import { Scrolling } from '../plots/table.js';
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
  const isAdded = (index: number) => (index < addedCount ? 'chosen' : undefined);
  return (
    <Scrolling isPreview label={label}>
      <table>
        <thead>
          <tr>
            {inFront(columns).map((name, index) => (
              <th key={index} scope="col" class={isAdded(index)}>
                <span class="column-name">{truncate(name)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {inFront(row).map((cell, index) => (
                <td key={index} class={isAdded(index)}>
                  {truncate(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

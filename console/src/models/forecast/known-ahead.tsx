import type { ForecastModel } from 'roster-client';
import { Scrolling, Table } from '../../plots/table.js';
import type { AheadRow, Step } from './load-forecast.js';

const LABEL = 'Values known ahead';

/** Takes the values of the columns that are known ahead, for each step of a forecast. */
export function KnownAhead({
  model: { order_by, known },
  steps,
  rows,
  onRows,
}: {
  model: ForecastModel;
  steps: readonly Step[];
  /** A row for each step, or none. */
  rows: readonly AheadRow[];
  onRows: (rows: readonly AheadRow[]) => void;
}) {
  const change = (index: number, name: string, value: string) =>
    onRows(steps.map(({ order }, at) => ({ ...rows[at], [order_by]: order, ...(at === index && { [name]: value }) })));
  return (
    <details class="reading">
      <summary>{LABEL}</summary>
      <Scrolling isPreview label={LABEL}>
        <Table
          hasNames
          head={[order_by, ...known]}
          rows={steps.map(({ moment }, index) => [
            moment,
            ...known.map((name) => (
              <input
                aria-label={`${name}, ${moment}`}
                value={String(rows[index]?.[name] ?? '')}
                onInput={({ currentTarget: { value } }) => change(index, name, value)}
              />
            )),
          ])}
        />
      </Scrolling>
    </details>
  );
}

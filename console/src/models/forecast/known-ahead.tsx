import type { ForecastModel } from 'roster-client';
import { groupText } from 'roster-prediction/browser';
import { Scrolling, Table } from '../../plots/table.js';
import { useAttempt } from '../../session/use-attempt.js';
import { readRows } from '../../tables/read-records.js';
import { TableFileError } from '../../tables/table-file-error.js';
import { readCsvHead } from '../../tables/table-head.js';
import { ErrorNotice } from '../../ui/error-notice.js';
import type { AheadRow, Step } from './load-forecast.js';

const LABEL = 'Values known ahead';

/** Takes the values of the columns that are known ahead, for each step of a forecast: typed in, or from a file. */
export function KnownAhead({
  model,
  groups,
  steps,
  rows,
  onRows,
}: {
  model: ForecastModel;
  groups: readonly string[];
  steps: readonly Step[];
  /** A row for each step, or none. */
  rows: readonly AheadRow[];
  onRows: (rows: readonly AheadRow[]) => void;
}) {
  const { order_by, known } = model;
  const { error, attempt } = useAttempt();
  const change = (index: number, name: string, value: string) =>
    onRows(steps.map(({ order }, at) => ({ ...rows[at], [order_by]: order, ...(at === index && { [name]: value }) })));
  return (
    <details class="reading">
      <summary>{LABEL}</summary>
      {error !== null && <ErrorNotice error={error} />}
      <label>
        CSV of future rows{' '}
        <input
          type="file"
          accept=".csv,text/csv"
          onChange={({ currentTarget: { files } }) => {
            const file = files?.[0];
            if (file) void attempt(async () => onRows(await readAhead(file, model, groups, steps)));
          }}
        />
      </label>
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

/**
 * Reads the rows of a series at some moments.
 *
 * @throws {TableFileError} if the file cannot be read, or has none of them.
 */
async function readAhead(
  file: File,
  { order_by, group_by, known }: ForecastModel,
  groups: readonly string[],
  steps: readonly Step[],
): Promise<readonly AheadRow[]> {
  const { columns, format } = await readCsvHead(file);
  const found = new Map(steps.map(({ order }): [string, AheadRow] => [String(order), { [order_by]: order }]));
  const at = (name: string) => columns.indexOf(name);
  let isFound = false;
  for await (const { records } of readRows(file, format)) {
    for (const record of records) {
      const moment = record[at(order_by)] ?? '';
      const row = found.get(moment);
      const isOther = (name: string, index: number) => {
        return groupText(record[at(name)] ?? groups[index]) !== groupText(groups[index]);
      };
      if (!row || group_by.some(isOther)) continue;
      found.set(moment, {
        ...row,
        ...Object.fromEntries(known.flatMap((name) => (record[at(name)] ? [[name, record[at(name)]]] : []))),
      });
      isFound = true;
    }
  }
  if (!isFound)
    throw new TableFileError(`No row has a moment of this forecast in ${order_by}, such as ${[...found.keys()][0]}.`);
  return [...found.values()];
}

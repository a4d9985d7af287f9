import { useState } from 'preact/hooks';
import type { Model } from 'roster-client';
import { Scrolling, Table } from '../plots/table.js';
import { useAttempt } from '../session/use-attempt.js';
import { useLoaded } from '../session/use-loaded.js';
import { truncate } from '../tables/table-preview.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count, whole } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { saveFile } from '../ui/save-file.js';
import { SelectField } from '../ui/select.js';
import { useSettled } from '../ui/use-settled.js';
import type { ResultColumn, ResultRow, Role } from './result-columns.js';
import { type Arrangement, IN_FILE_ORDER, type Kept } from './result-rows.js';
import type { PredictedTable } from './table-prediction.js';
import { WhyDialog } from './why.js';

/** The most cells and rows of a page, so that a table of a thousand columns is as quick as one of ten. */
const [MAX_CELLS, MAX_ROWS, MIN_ROWS] = [3_000, 50, 5];

/** The most columns that are shown before someone asks for all. */
const MAX_COLUMNS = 40;

const ROLES: Partial<Record<Role, string>> = {
  truth: 'True value',
  prediction: 'Prediction',
  low: 'At least',
  high: 'At most',
  set: 'Possible classes',
};

/** The rows of a predicted file, which one can search, filter, sort, and download as they stand. */
export function ResultTable({ model, result, name }: { model: Model; result: PredictedTable; name: string }) {
  const [explained, explain] = useState<ResultRow>();
  const [wanted, setWanted] = useState(IN_FILE_ORDER);
  const [page, setPage] = useState(0);
  const [isWide, setWide] = useState(false);
  const sought = useSettled(wanted.sought);
  const arrangement = { ...wanted, sought };
  // Rows that are shown, and saved, keep the words of their own order until the next ones are there.
  const { loaded, reload } = useLoaded(
    async () => ({ ...(await result.arrange(arrangement)), arrangement }),
    [JSON.stringify(arrangement)],
  );
  const { columns } = result.table;
  const prediction = columns.find(({ role }) => role === 'prediction');
  const shown = isWide ? columns : columns.slice(0, MAX_COLUMNS);
  const perPage = Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(MAX_CELLS / shown.length)));
  const change = (next: Partial<Arrangement>) => {
    setWanted((last) => ({ ...last, ...next }));
    setPage(0);
  };
  // The first press of a column shows what people look for: large figures first, identifiers from their beginning.
  const sortBy = ({ id, isNumber, role }: ResultColumn) => {
    const isDescending = wanted.sortBy === id ? !wanted.isDescending : isNumber && role !== 'row' && role !== 'own';
    change({ sortBy: id, isDescending });
  };
  return (
    <>
      <h2>The rows</h2>
      <p class="hint">Press the number of a row to see why, and the name of a column to sort by it.</p>
      {explained && (
        <WhyDialog
          title={`Row ${whole(explained.place)}: ${model.target} ${prediction?.textOf(explained)}`}
          model={model}
          load={() => result.explain(explained)}
          onClose={() => explain(undefined)}
        />
      )}
      <Choices result={result} wanted={wanted} change={change} />
      <Loading loaded={loaded} what="the rows" retry={reload}>
        {({ rows, count: found, arrangement: { sortBy: sortedBy, isDescending } }) => {
          const first = page * perPage;
          const onPage = rows.slice(first, first + perPage);
          return (
            <>
              <Scrolling isPreview isWide label="The rows with their predictions">
                <Table
                  head={shown.map((column) => (
                    <SortButton
                      key={column.id}
                      column={column}
                      arrow={column.id !== sortedBy ? '' : isDescending ? ' ↓' : ' ↑'}
                      onSort={() => sortBy(column)}
                    />
                  ))}
                  rows={onPage.map((row) =>
                    shown.map((column) =>
                      column.role === 'row' ? (
                        <button
                          type="button"
                          class="why-row"
                          aria-label={`Why is row ${column.textOf(row)} predicted so?`}
                          onClick={() => explain(row)}
                        >
                          {column.textOf(row)}
                        </button>
                      ) : (
                        truncate(column.textOf(row))
                      ),
                    ),
                  )}
                  classOf={(index) => classOf(shown[index])}
                  sortOf={(index) =>
                    shown[index]?.id === sortedBy ? (isDescending ? 'descending' : 'ascending') : undefined
                  }
                />
              </Scrolling>
              <div class="actions pages">
                <button type="button" aria-disabled={page === 0} onClick={() => page > 0 && setPage(page - 1)}>
                  Previous rows
                </button>
                <button
                  type="button"
                  aria-disabled={first + perPage >= rows.length}
                  onClick={() => first + perPage < rows.length && setPage(page + 1)}
                >
                  Next rows
                </button>
                <p role="status" class="faint">
                  {onPage.length === 0
                    ? 'No row is like this.'
                    : `${whole(first + 1)} to ${whole(first + onPage.length)} of ${count(found, 'row')}`}
                </p>
                {columns.length > shown.length && (
                  <button type="button" onClick={() => setWide(true)}>
                    Show {count(columns.length - shown.length, 'more column')}
                  </button>
                )}
              </div>
              {(sortedBy !== '' || found < result.rows) && rows.length > 0 && (
                <button
                  type="button"
                  onClick={() => saveFile(result.write(rows.map(({ cells }) => cells)), `${name}-sorted.csv`)}
                >
                  Download these {count(rows.length, 'row')} in this order
                </button>
              )}
            </>
          );
        }}
      </Loading>
    </>
  );
}

function classOf(column: ResultColumn | undefined): string | undefined {
  const classes = [
    column?.role === 'prediction' || column?.role === 'truth' || column?.role === 'error' ? 'chosen' : undefined,
    column?.isNumber ? 'num' : undefined,
  ];
  return classes.filter(Boolean).join(' ') || undefined;
}

/** The name of a column, which sorts the rows when it is pressed. */
function SortButton({
  column: { name, role },
  arrow,
  onSort,
}: {
  column: ResultColumn;
  arrow: string;
  onSort: () => void;
}) {
  return (
    <>
      <button type="button" class="sort" onClick={onSort}>
        {truncate(name)}
        <span aria-hidden="true">{arrow}</span>
      </button>
      {ROLES[role] && <span class="column-kind">{ROLES[role]}</span>}
    </>
  );
}

/** Chooses rows and their order. */
function Choices({
  result: { table, warnedRows = 0 },
  wanted,
  change,
}: {
  result: PredictedTable;
  wanted: Arrangement;
  change: (next: Partial<Arrangement>) => void;
}) {
  const { columns, isMissed } = table;
  const isNumber = columns.some(({ role }) => role === 'low');
  const kept: (readonly [Kept, string])[] = [
    ['all', 'All rows'],
    ...(warnedRows > 0 ? [['warned', 'Rows with a warning'] as const] : []),
    ...(isMissed ? [['missed', isNumber ? 'True value outside its interval' : 'Wrong class'] as const] : []),
  ];
  const orders = columns.flatMap(({ id, name, role }): (readonly [string, string])[] => {
    if (role === 'probability') return [[`${id}\n1`, `${name}, highest first`]];
    if (role === 'error' && isNumber) return [[`${id}\n1`, 'Largest error first']];
    if (role === 'prediction' && isNumber) {
      return [
        [`${id}\n1`, 'Highest prediction first'],
        [`${id}\n`, 'Lowest prediction first'],
      ];
    }
    return role === 'confidence' ? [[`${id}\n`, 'Least confident first']] : [];
  });
  const order = wanted.sortBy && `${wanted.sortBy}\n${wanted.isDescending ? 1 : ''}`;
  const isOther = order !== '' && !orders.some(([value]) => value === order);
  const sorted = columns.find(({ id }) => id === wanted.sortBy)?.name;
  return (
    <div class="fields result-choices">
      <div class="field">
        <label for="find-rows">Find in the rows</label>
        <input
          id="find-rows"
          type="search"
          autocomplete="off"
          spellcheck={false}
          value={wanted.sought}
          onInput={({ currentTarget: { value } }) => change({ sought: value })}
        />
      </div>
      {kept.length > 1 && (
        <SelectField label="Show" value={wanted.kept} options={kept} onChoose={(next) => change({ kept: next })} />
      )}
      <SelectField
        label="Order"
        value={order}
        options={[
          ['', 'As in the file'],
          ...orders,
          ...(isOther ? [[order, `${sorted}, ${wanted.isDescending ? 'descending' : 'ascending'}`] as const] : []),
        ]}
        onChoose={(next) => {
          const [sortBy = '', isDescending = ''] = next.split('\n');
          change({ sortBy, isDescending: isDescending !== '' });
        }}
      />
    </div>
  );
}

/** Saves all rows as a workbook. */
export function WorkbookButton({ result, name }: { result: PredictedTable; name: string }) {
  const { isBusy, error, attempt } = useAttempt();
  if (!result.fitsWorkbook) return <p class="hint">The result is too large for a workbook: the CSV has all of it.</p>;
  const save = () =>
    attempt(async () => {
      const [{ writeWorkbook }, { rows }] = await Promise.all([
        import('./write-workbook.js'),
        result.arrange(IN_FILE_ORDER),
      ]);
      saveFile(await writeWorkbook(result.table.columns, rows), name);
    });
  return (
    <>
      <button type="button" aria-disabled={isBusy} onClick={() => !isBusy && save()}>
        Download {name}
      </button>
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}

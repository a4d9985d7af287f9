import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useQueryParameter } from '../router/query-parameter.js';
import type { ListState } from '../session/read-list.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { FindField } from '../ui/find-field.js';
import { count, whole } from '../ui/format.js';
import type { Column, Named } from './kind.js';

/** The rows to draw at first, and to add when asked. */
const ROWS_AT_A_TIME = 100;

/** A list with a field that filters it. */
export function List<Item extends Named>({
  list: { items, isComplete, error, reload },
  one,
  many,
  columns,
  empty,
  action,
}: {
  list: ListState<Item>;
  /** The noun for a row, such as "skill". */
  one: string;
  many: string;
  columns: readonly Column<Item>[];
  /** Shown in place of an empty list. */
  empty: ComponentChildren;
  action?: (item: Item) => ComponentChildren;
}) {
  const [find, setFind] = useQueryParameter('find');
  const [limit, setLimit] = useState(ROWS_AT_A_TIME);
  const texts = useMemo(() => items.map((item) => joinTexts(item, columns)), [items, columns]);
  const found = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return items;
    return items.filter((_, index) => words.every((word) => texts[index]?.includes(word)));
  }, [items, texts, find]);
  const table = useRef<HTMLTableElement>(null);
  const [firstNew, setFirstNew] = useState(0);
  useEffect(() => {
    // The button may be gone: the focus goes to the first row that it brought.
    const row = `tbody tr:nth-child(${firstNew + 1}) a`;
    if (firstNew > 0) table.current?.querySelector<HTMLAnchorElement>(row)?.focus();
  }, [firstNew]);

  const failure = error !== null && <ErrorNotice error={error} retry={reload} />;
  if (items.length === 0) {
    if (isComplete) return <>{empty}</>;
    return failure || <Waiting what={many} />;
  }
  return (
    <>
      {failure}
      <FindField
        label={`Find ${many}`}
        value={find}
        onValue={(value) => {
          setFind(value);
          setLimit(ROWS_AT_A_TIME);
          setFirstNew(0);
        }}
      >
        {find.trim() && `${whole(found.length)} of `}
        {count(items.length, one, many)}
        {!isComplete && error === null && ' so far …'}
      </FindField>
      {found.length === 0 ? (
        <p>
          No {one} matches “{find.trim()}”.{' '}
          <button type="button" onClick={() => setFind('')}>
            Show all {many}
          </button>
        </p>
      ) : (
        <table class="list" ref={table}>
          <thead>
            <tr>
              {columns.map(({ head, isMinor }) => (
                <th key={head} scope="col" class={isMinor ? 'minor' : undefined}>
                  {head}
                </th>
              ))}
              {action && (
                <th scope="col" class="action">
                  <span class="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, limit).map((item) => (
              <tr key={item.id}>
                {columns.map((column) => (
                  <td key={column.head} class={column.isMinor ? 'minor' : undefined}>
                    <Cell column={column} item={item} />
                  </td>
                ))}
                {action && <td class="action">{action(item)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > limit && (
        <p>
          <button
            type="button"
            onClick={() => {
              setFirstNew(limit);
              setLimit(limit + ROWS_AT_A_TIME);
            }}
          >
            Show {Math.min(ROWS_AT_A_TIME, found.length - limit)} more
          </button>
        </p>
      )}
    </>
  );
}

function Cell<Item>({ column, item }: { column: Column<Item>; item: Item }) {
  const address = column.href?.(item);
  const text = column.text(item);
  return <span class="cell">{address === undefined ? text : <a href={address}>{text}</a>}</span>;
}

function Waiting({ what }: { what: string }) {
  return (
    <p class="waiting" role="status">
      Loading the {what} …
    </p>
  );
}

/** Returns what the filter searches of a row. */
function joinTexts<Item>(item: Item, columns: readonly Column<Item>[]): string {
  const searched = columns.filter(({ isMinor }) => !isMinor);
  return searched
    .map(({ text }) => text(item))
    .join('\n')
    .toLowerCase();
}

import type { ComponentChildren, RefObject } from 'preact';

/** A region that scrolls where its table is wider than the page, also by keyboard. */
export function Scrolling({
  label,
  element,
  isPreview = false,
  isWide = false,
  children,
}: {
  label: string;
  element?: RefObject<HTMLElement | null>;
  /** True for the beginning of a table of many columns. */
  isPreview?: boolean;
  /** True if the table may be wider than the page where the window is. */
  isWide?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section
      {...(element && { ref: element })}
      class={`table-scroll${isPreview ? ' preview' : ''}${isWide ? ' wide' : ''}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus
      tabIndex={0}
      aria-label={label}
    >
      {children}
    </section>
  );
}

/** A table of as many cells a row as its head has. */
export function Table({
  head,
  rows,
  hasNames = false,
  isCompared = false,
  classOf,
  sortOf,
}: {
  head: readonly ComponentChildren[];
  rows: readonly (readonly ComponentChildren[])[];
  /** True if the first cell of a row is its name. */
  hasNames?: boolean;
  /** True if figures stand beside each other to be compared. */
  isCompared?: boolean;
  /** Returns the class of a column. */
  classOf?: (column: number) => string | undefined;
  /** Returns how the rows are sorted by a column; undefined if they are not. */
  sortOf?: (column: number) => 'ascending' | 'descending' | undefined;
}) {
  const classes = head.map((_, column) => {
    const isFigures =
      rows.some((cells) => isFigure(cells[column])) && rows.every((cells) => isFigureOrNone(cells[column]));
    return (
      [classOf?.(column), isFigures && !(hasNames && column === 0) && 'num'].filter(Boolean).join(' ') || undefined
    );
  });
  return (
    <table class={isCompared ? 'compared' : undefined}>
      <thead>
        <tr>
          {head.map((name, column) => (
            <th key={column} scope="col" class={classes[column]} aria-sort={sortOf?.(column)}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, column) =>
              hasNames && column === 0 ? (
                <th key={column} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={column} class={classes[column]}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A figure as it is shown, with a unit of a few letters: 1,234, +0.5 %, $12, 3 kg. */
const FIGURE = /^[^\p{L}\d]*\d[^\p{L}]*\p{L}{0,4}$/u;

/** Returns whether a cell is a figure or a range of two, which stand at the right so that their digits line up. */
function isFigure(cell: ComponentChildren): boolean {
  return typeof cell === 'string' && cell.split(' to ', 2).every((part) => FIGURE.test(part));
}

const isFigureOrNone = (cell: ComponentChildren) => cell === '' || cell === '–' || cell === undefined || isFigure(cell);

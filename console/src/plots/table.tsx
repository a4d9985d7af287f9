import type { ComponentChildren, RefObject } from 'preact';

/** A region that scrolls where its table is wider than the page, also by keyboard. */
export function Scrolling({
  label,
  element,
  isPreview = false,
  children,
}: {
  label: string;
  element?: RefObject<HTMLElement | null>;
  /** True for the beginning of a table of many columns. */
  isPreview?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section
      {...(element && { ref: element })}
      class={isPreview ? 'table-scroll preview' : 'table-scroll'}
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
}: {
  head: readonly ComponentChildren[];
  rows: readonly (readonly ComponentChildren[])[];
  /** True if the first cell of a row is its name. */
  hasNames?: boolean;
  /** True if figures stand beside each other to be compared. */
  isCompared?: boolean;
  /** Returns the class of a column. */
  classOf?: (column: number) => string | undefined;
}) {
  return (
    <table class={isCompared ? 'compared' : undefined}>
      <thead>
        <tr>
          {head.map((name, column) => (
            <th key={column} scope="col" class={classOf?.(column)}>
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
                <td key={column} class={classOf?.(column)}>
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

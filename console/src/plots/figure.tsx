import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** The figures that a plot draws, as they can be read. */
export interface FigureTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/**
 * A plot with its title, a sentence on what it shows, and its table beneath.
 * @param width the width of the drawing; it grows and shrinks with the page
 */
export function Figure({
  title,
  description,
  table,
  width,
  height,
  children,
}: {
  title: string;
  description: string;
  table: FigureTable;
  width: number;
  height: number;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <figure class="figure">
      <figcaption>
        <h3>{title}</h3>
        <p>{description}</p>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-description`}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-description`}>{description}</desc>
        {children}
      </svg>
      <details>
        <summary>Show the numbers</summary>
        {/* A table that is wider than the page scrolls, also by keyboard. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus */}
        <section class="table-scroll" tabIndex={0} aria-label={`${title}: numbers`}>
          <table>
            <thead>
              <tr>
                {table.head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row) => (
                <tr key={row.join('|')}>
                  {row.map((cell, index) => (
                    <td key={table.head[index]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}

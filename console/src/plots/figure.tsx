import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type Area, MARGIN } from './axes.js';
import { useWidth } from './use-width.js';

/** The figures that a plot draws, as they can be read. */
export interface FigureTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * A plot with its title, a sentence on what it shows, and its table beneath. It is drawn for the
 * width that it has, so that its text stays readable on a phone.
 * @param margin the room around the marks, where it differs from the usual one
 * @param children draws the plot: gets its width and the rectangle of its marks, in CSS pixels
 */
export function Figure({
  title,
  description,
  table,
  height = 280,
  margin,
  children,
}: {
  title: string;
  description: string;
  table: FigureTable;
  height?: number;
  margin?: Partial<typeof MARGIN>;
  children: (area: Area, width: number) => ComponentChildren;
}) {
  const id = useId();
  const [drawing, width] = useWidth<SVGSVGElement>();
  const { left, right, top, bottom } = { ...MARGIN, ...margin };
  const area = { left, right: width - right, top, bottom: height - bottom };
  return (
    <figure class="figure">
      <figcaption>
        <h3>{title}</h3>
        <p id={`${id}-description`}>{description}</p>
      </figcaption>
      <svg
        ref={drawing}
        height={height}
        role="img"
        aria-label={title}
        aria-describedby={`${id}-description`}
      >
        {width > 0 && children(area, width)}
      </svg>
      <Numbers title={title} table={table} />
    </figure>
  );
}

/** The table beneath a plot. */
export function Numbers({ title, table }: { title: string; table: FigureTable }) {
  return (
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
  );
}

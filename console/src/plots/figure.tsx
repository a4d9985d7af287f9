import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type Area, MARGIN } from './axes.js';
import { Scrolling, Table } from './table.js';
import { useWidth } from './use-width.js';

/** The figures that a plot draws, as they can be read. */
export interface FigureTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * A plot with its title, a sentence on what it shows, and its table beneath. It is drawn for the
 * width that it has, so that its text stays readable on a phone.
 * @param children draws the plot: gets its width and the rectangle of its marks, in CSS pixels
 */
export function Figure({
  title,
  description,
  table,
  height = 280,
  children,
}: {
  title: string;
  description: string;
  table: FigureTable;
  height?: number;
  children: (area: Area, width: number) => ComponentChildren;
}) {
  const id = useId();
  const [drawing, width] = useWidth<SVGSVGElement>();
  const { left, right, top, bottom } = MARGIN;
  const area = { left, right: width - right, top, bottom: height - bottom };
  return (
    <Captioned title={title} description={description} table={table} id={`${id}-description`}>
      <svg ref={drawing} height={height} role="img" aria-label={title} aria-describedby={`${id}-description`}>
        {width > 0 && children(area, width)}
      </svg>
    </Captioned>
  );
}

/**
 * A plot that needs no width, with its title, a sentence on what it shows, and its table beneath.
 * @param id the id of the sentence
 */
export function Captioned({
  title,
  description,
  table,
  id,
  children,
}: {
  title: string;
  description: ComponentChildren;
  table?: FigureTable;
  id?: string;
  children: ComponentChildren;
}) {
  return (
    <figure class="figure">
      <figcaption>
        <h3>{title}</h3>
        <p id={id}>{description}</p>
      </figcaption>
      {children}
      {table && <Numbers title={title} table={table} />}
    </figure>
  );
}

/** The table beneath a plot. */
function Numbers({ title, table }: { title: string; table: FigureTable }) {
  return (
    <details>
      <summary>Show the numbers</summary>
      <Scrolling label={`${title}: numbers`}>
        <Table {...table} />
      </Scrolling>
    </details>
  );
}

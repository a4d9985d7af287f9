import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { type Area, MARGIN } from './axes.js';
import { Scrolling, Table } from './table.js';
import { useWidth } from './use-width.js';
import { Words } from './words.js';

/** The figures that a plot draws, as they can be read. */
export interface FigureTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A place in a plot, in CSS pixels, and its values. */
interface Mark {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Returns the marks of a drawing that have values, in its order, and the one that is chosen. */
function useMarks(drawing: RefObject<SVGSVGElement | null>) {
  const [marks, setMarks] = useState<readonly Mark[]>([]);
  const [chosen, choose] = useState<Mark>();
  // After each drawing: its marks may have moved.
  useLayoutEffect(() => {
    const { left = 0, top = 0 } = drawing.current?.getBoundingClientRect() ?? {};
    const found = [...(drawing.current?.querySelectorAll('[data-values]') ?? [])].map((element): Mark => {
      const box = element.getBoundingClientRect();
      const y = element instanceof SVGRectElement ? box.top : box.top + box.height / 2;
      return { x: box.left + box.width / 2 - left, y: y - top, text: element.getAttribute('data-values') ?? '' };
    });
    if (JSON.stringify(found) === JSON.stringify(marks)) return;
    setMarks(found);
    choose(undefined);
  });
  return { marks, chosen, choose };
}

/** The weight of a distance in height beside one in width: lines are read from left to right. */
const HEIGHT_WEIGHT = 0.25;

function nearest(marks: readonly Mark[], x: number, y: number): Mark | undefined {
  const distance = (mark: Mark) => Math.hypot(mark.x - x, HEIGHT_WEIGHT * (mark.y - y));
  return marks.toSorted((one, other) => distance(one) - distance(other))[0];
}

/**
 * A plot with its title, a sentence on what it shows, and its table beneath. It is drawn for the
 * width that it has, so that its text stays readable on a phone.
 * @param children draws the plot: gets its width and the rectangle of its marks, in CSS pixels; the values of an element
 *   with `data-values` are shown where one points at it, or chooses it by keyboard
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
  const { marks, chosen, choose } = useMarks(drawing);
  const { left, right, top, bottom } = MARGIN;
  const area = { left, right: width - right, top, bottom: height - bottom };
  return (
    <Captioned title={title} description={description} table={table} id={`${id}-description`}>
      <svg
        ref={drawing}
        height={height}
        role="img"
        aria-label={title}
        aria-describedby={`${id}-description`}
        onPointerMove={({ clientX, clientY, currentTarget }) => {
          const { left, top } = currentTarget.getBoundingClientRect();
          choose(nearest(marks, clientX - left, clientY - top));
        }}
        onPointerLeave={() => choose(undefined)}
      >
        {width > 0 && children(area, width)}
        {chosen && <circle class="chosen-mark" cx={chosen.x} cy={chosen.y} r="7" />}
      </svg>
      {marks.length > 0 && (
        <p class="mark-values">
          <input
            type="range"
            aria-label={`Values of ${title}`}
            max={marks.length - 1}
            value={chosen ? marks.indexOf(chosen) : 0}
            aria-valuetext={(chosen ?? marks[0])?.text}
            onFocus={() => choose(chosen ?? marks[0])}
            onBlur={() => choose(undefined)}
            onInput={({ currentTarget }) => choose(marks[currentTarget.valueAsNumber])}
          />
          <span aria-hidden="true">{chosen?.text}</span>
        </p>
      )}
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
        <h3>
          <Words name={title} />
        </h3>
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

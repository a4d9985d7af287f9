import type { ComponentChildren } from 'preact';
import { Words } from './words.js';

export interface BarRow {
  readonly name: string;
  /** The end of the bar, from 0 to 1. */
  readonly share: number;
  readonly text: string;
  /** The view that the name leads to. */
  readonly address?: string;
  /** True if the row stands for what others are compared with. */
  readonly isFaint?: boolean;
  /** True if the row is the one that applies now. */
  readonly isCurrent?: boolean;
}

/**
 * Horizontal bars, one a row, with names that wrap and values that can be read as text. The
 * positions are percentages, so that the drawing fits any width.
 */
export function Bars({ rows }: { rows: readonly BarRow[] }) {
  return (
    <Rows
      rows={rows.map(({ share, isFaint, ...row }) => ({
        ...row,
        drawing: (
          <>
            <rect class="track" width="100%" height="100%" rx="3" />
            <rect
              class={isFaint ? 'mark faint-mark' : 'mark'}
              width={percentage(Math.max(0, share))}
              height="100%"
              rx="3"
            />
          </>
        ),
      }))}
    />
  );
}

/** Bars to both sides of a middle: right of it what is added, left of it what is taken away. Shares are from -1 to 1. */
export function Diverging({ rows }: { rows: readonly Pick<BarRow, 'name' | 'share' | 'text'>[] }) {
  return (
    <Rows
      rows={rows.map(({ share, ...row }) => ({
        ...row,
        drawing: (
          <>
            <line class="middle" x1="50%" x2="50%" y1="-20%" y2="120%" />
            <rect
              class={share < 0 ? 'mark less' : 'mark'}
              x={percentage(Math.min(0.5, 0.5 + share / 2))}
              width={percentage(Math.abs(share) / 2)}
              height="100%"
              rx="2"
            />
          </>
        ),
      }))}
    />
  );
}

/** A row of a plot of shares: a point with the range that chance leaves it. */
export interface DotRow {
  readonly name: string;
  /** From 0 to 1, as are the ends of the range. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
  readonly text: string;
  /** True if the row is the one that applies now. */
  readonly isCurrent?: boolean;
}

/**
 * Points with their ranges on a common scale, one a row.
 * @param reference a position to compare with, from 0 to 1
 * @param ticks positions from 0 to 1 that an axis beneath the rows labels
 */
export function Dots({
  rows,
  reference,
  ticks = [],
}: {
  rows: readonly DotRow[];
  reference?: number;
  ticks?: readonly { readonly at: number; readonly text: string }[];
}) {
  return (
    <Rows
      axis={ticks.map(({ at, text }) => (
        <text key={text} x={percentage(at)} y="0.9em" text-anchor="middle">
          {text}
        </text>
      ))}
      rows={rows.map(({ at, low, high, ...row }) => ({
        ...row,
        drawing: (
          <>
            <line class="track-line" x1="0" x2="100%" y1="50%" y2="50%" />
            {reference !== undefined && (
              <line class="reference" x1={percentage(reference)} x2={percentage(reference)} y1="0" y2="100%" />
            )}
            <line class="range" x1={percentage(low)} x2={percentage(high)} y1="50%" y2="50%" />
            <circle class="mark" cx={percentage(at)} cy="50%" r="5" />
          </>
        ),
      }))}
    />
  );
}

function Rows({
  rows,
  axis = [],
}: {
  axis?: ComponentChildren[];
  rows: readonly { name: string; text: string; address?: string; isCurrent?: boolean; drawing: ComponentChildren }[];
}) {
  return (
    <ul class="bars">
      {rows.map(({ name, text, address, isCurrent, drawing }) => (
        <li key={name} aria-current={isCurrent || undefined}>
          <span class="bar-name">{address === undefined ? <Words name={name} /> : <a href={address}>{name}</a>}</span>
          <svg class="bar" aria-hidden="true">
            {drawing}
          </svg>
          <span class="bar-value">{text}</span>
        </li>
      ))}
      {axis.length > 0 && (
        <li class="bar-axis" aria-hidden="true">
          <span />
          <svg class="bar" aria-hidden="true">
            {axis}
          </svg>
        </li>
      )}
    </ul>
  );
}

/** Returns a position as a percentage, within the drawing. */
const percentage = (share: number) => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;

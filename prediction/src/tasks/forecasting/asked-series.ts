import type { RowObject } from '../../table/cells.js';
import type { ForecastSeries } from './series.js';
import type { SeriesIndex } from './series-index.js';
import { valuesToKeep } from './series-model.js';

/** A step that is answered. */
export interface AskedStep {
  /** Steps after the end of the series, from 1. */
  readonly step: number;
  readonly position: number;
  /** The row that asked for it, if one did. */
  readonly row?: RowObject;
  /** In a backtest, the value that came, if there is one. */
  readonly actual?: number;
}

/** A series to be forecast. */
export interface AskedSeries {
  readonly groups: readonly string[];
  readonly series: ForecastSeries;
  readonly steps: readonly AskedStep[];
}

/** The rows of a request that belong to one series. */
export class SentSeries {
  /** The positions, targets and other columns of rows of history. */
  readonly positions: number[] = [];
  readonly values: number[] = [];
  readonly covariates: number[][] = [];
  readonly lines: number[] = [];
  readonly asked: { readonly position: number; readonly row: RowObject; readonly index: number }[] = [];

  constructor(
    readonly groups: readonly string[],
    /** Its end in the model. */
    readonly stored: ForecastSeries | undefined,
  ) {}
}

/** Takes the last values of a series away, and gives each to the step that forecasts it. */
export function holdBack({ groups, series, steps }: AskedSeries, count: number): AskedSeries {
  const { start, values, past, known } = series;
  const end = values.length - count;
  const cut = (column: Float64Array) => column.subarray(0, end);
  return {
    groups,
    series: { start, values: cut(values), past: past.map(cut), known },
    steps: steps.map(({ step, position }) => {
      const actual = values[end + step - 1] ?? Number.NaN;
      return { step, position: position - count, ...(!Number.isNaN(actual) && { actual }) };
    }),
  };
}

/** Puts what is known of a series together: its end in the model, and what was sent. */
export function joinSeries(sent: SentSeries, index: SeriesIndex, count: number): AskedSeries {
  const { stored, positions, values: sentValues, covariates, asked, groups } = sent;
  const { covariates: readers, model } = index;
  let start = stored?.start ?? Number.POSITIVE_INFINITY;
  let end = stored ? stored.start + stored.values.length - 1 : Number.NEGATIVE_INFINITY;
  for (const position of positions) {
    if (stored === undefined) start = Math.min(start, position);
    end = Math.max(end, position);
  }
  start = Math.max(start, end - valuesToKeep(model.method) + 1);
  const steps: AskedStep[] =
    asked.length > 0
      ? asked.map(({ position, row }) => ({ step: position - end, position, row }))
      : Array.from({ length: count }, (_, step) => ({ step: step + 1, position: end + step + 1 }));
  const length = end - start + 1;
  const isUnchanged = stored !== undefined && positions.length === 0 && start === stored.start;
  const copy = (source: Float64Array | undefined, size: number) => {
    const cells = new Float64Array(size).fill(Number.NaN);
    if (source && stored)
      cells.set(source.subarray(Math.max(0, start - stored.start)), Math.max(0, stored.start - start));
    return cells;
  };
  const hasAsked = asked.length > 0 && readers.some(({ isKnown }) => isKnown);
  if (isUnchanged && !hasAsked) return { groups, steps, series: stored };
  const ahead = hasAsked ? Math.max(...steps.map(({ step }) => step)) : 0;
  const values = copy(stored?.values, length);
  const ofReader = readers.map(() => new Float64Array());
  const past: Float64Array[] = [];
  const known: Float64Array[] = [];
  for (const [place, { isKnown }] of readers.entries()) {
    const kind = isKnown ? known : past;
    const source = (isKnown ? stored?.known : stored?.past)?.[kind.length];
    const cells = copy(source, length + (isKnown ? ahead : 0));
    kind.push(cells);
    ofReader[place] = cells;
  }
  for (const [row, position] of positions.entries()) {
    const at = position - start;
    if (at < 0) continue;
    values[at] = sentValues[row] ?? Number.NaN;
    for (const [place, cells] of ofReader.entries()) {
      cells[at] = covariates[row]?.[place] ?? Number.NaN;
    }
  }
  for (const { position, row } of asked) {
    for (const [place, { cell, read, isKnown }] of readers.entries()) {
      const cells = ofReader[place];
      if (isKnown && cells) cells[position - start] = read(cell.of(row));
    }
  }
  // The stored fit of the end of a series holds as long as no later values are sent.
  const fit = isUnchanged && stored.fit ? { fit: stored.fit } : {};
  return { groups, steps, series: { start, values, past, known, ...fit } };
}

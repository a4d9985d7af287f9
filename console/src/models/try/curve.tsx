import type { Model } from 'roster-client';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Band } from '../../plots/band.js';
import { Bars, Dots } from '../../plots/bars.js';
import { Captioned, Figure } from '../../plots/figure.js';
import { dateScale, extent, linearScale } from '../../plots/scale.js';
import {
  columnTick,
  date,
  finePercent,
  labelWithUnit,
  month,
  percent,
  tick,
  ungrouped,
  whole,
  within,
} from '../../ui/format.js';
import { readUnit, targetUnit } from '../../ui/units.js';
import type { Prediction } from './prediction.js';
import { type Cell, instant } from './row.js';
import type { Predicted } from './use-predictions.js';

/** A point of a curve. A probability has no interval. */
interface Point {
  readonly value: Cell;
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

/** A plot of the prediction over the values of one column, with the other values of the row unchanged. */
export function Curve({
  model,
  predicted,
  chosenClass,
}: {
  model: Model;
  predicted: Predicted;
  /** The class whose probability is drawn. */
  chosenClass: string;
}) {
  const { row, along, values } = predicted.question;
  const column = model.columns?.find(({ name }) => name === along);
  const [ownPrediction, ...predictions] = predicted.predictions;
  // A mock answers one row, whatever it is asked.
  if (!column || !ownPrediction || predictions.length !== values.length)
    return <p class="faint">The service did not predict every value of {along}.</p>;
  const isShare = model.task === 'classification';
  const pointOf = (value: Cell, prediction: Prediction): Point => {
    if (prediction.task === 'regression') {
      return { value, at: prediction.value, low: prediction.low, high: prediction.high };
    }
    const share = prediction.probabilities.get(chosenClass) ?? 0;
    return { value, at: share, low: share, high: share };
  };
  const points = values.flatMap((value, index) => {
    const prediction = predictions[index];
    return prediction ? [pointOf(value, prediction)] : [];
  });
  const measured = isShare ? `Probability of ${chosenClass}` : model.target;
  const title = `${measured} by ${column.name}`;
  const categories = column.categories?.length ?? 0;
  const description = [
    'All other values stay the same.',
    isShare ? '' : 'The band is the interval of the prediction.',
    categories > values.length ? `The most frequent of ${whole(categories)} categories are shown.` : '',
  ].join(' ');
  const unit = targetUnit(model);
  const width = Math.max(...points.map(({ low, high }) => high - low));
  const text = isShare ? finePercent : within(width, unit);
  const valueText = (value: Cell) => {
    if (column.kind === 'date') return date(instant(value));
    return typeof value === 'number' ? ungrouped(value, readUnit(column.reading)) : value;
  };
  const table = {
    head: [column.name, measured, ...(isShare ? [] : ['Interval from', 'Interval to'])],
    rows: points.map(({ value, at, low, high }) => [
      valueText(value),
      text(at),
      ...(isShare ? [] : [text(low), text(high)]),
    ]),
  };
  if (column.kind === 'category') {
    const [low, high] = isShare ? [0, 1] : extent(points.flatMap((point) => [point.low, point.high]));
    const position = (value: number) => (value - low) / (high - low || 1);
    const rows = points
      .toSorted((a, b) => b.at - a.at)
      .map((point) => ({
        name: String(point.value),
        isCurrent: point.value === row[along],
        text: text(point.at),
        at: position(point.at),
        low: position(point.low),
        high: position(point.high),
        share: point.at,
      }));
    return (
      <Captioned title={title} description={description} table={table}>
        {isShare ? <Bars rows={rows} /> : <Dots rows={rows} />}
      </Captioned>
    );
  }
  const positions = points.map(({ value }) => instant(value));
  const domain = extent(positions);
  const own = row[along] === undefined ? undefined : instant(row[along]);
  const ownPoint =
    own !== undefined && own >= domain[0] && own <= domain[1]
      ? { position: own, ...pointOf('', ownPrediction) }
      : undefined;
  // The row itself is a point of the curve, too.
  const placed = points
    .map((point, index) => ({ ...point, position: positions[index] ?? 0 }))
    .concat(ownPoint ?? [])
    .sort((a, b) => a.position - b.position);
  return (
    <Figure title={title} description={description} table={table} height={340}>
      {(area) => {
        const range = [area.left, area.right] as const;
        const tickCount = Math.max(2, Math.min(6, (area.right - area.left) / 90));
        const isDate = column.kind === 'date';
        const x = (isDate ? dateScale : linearScale)(domain, range, tickCount);
        const heights = isShare
          ? ([0, 1] as const)
          : extent(
              placed.flatMap(({ low, high }) => [low, high]),
              0.04,
            );
        const y = linearScale(heights, [area.bottom, area.top]);
        return (
          <>
            <LeftAxis scale={y} area={area} label={labelWithUnit(measured, unit)} format={isShare ? percent : tick} />
            <BottomAxis
              scale={x}
              area={area}
              label={labelWithUnit(column.name, readUnit(column.reading))}
              format={isDate ? month : columnTick}
            />
            <Band
              points={placed.map(({ position, at, low, high }) => ({
                x: x(position),
                y: y(at),
                low: y(low),
                high: y(high),
              }))}
            />
            {placed.map((point) => (
              <circle
                key={point.position}
                class="unseen"
                cx={x(point.position)}
                cy={y(point.at)}
                r="3"
                data-values={`${valueText(point.position)}: ${text(point.at)}${isShare ? '' : ` (${text(point.low)} to ${text(point.high)})`}`}
              />
            ))}
            {ownPoint && (
              <>
                <line
                  class="reference"
                  x1={x(ownPoint.position)}
                  x2={x(ownPoint.position)}
                  y1={area.top}
                  y2={area.bottom}
                />
                <circle class="mark" cx={x(ownPoint.position)} cy={y(ownPoint.at)} r="6" />
              </>
            )}
          </>
        );
      }}
    </Figure>
  );
}

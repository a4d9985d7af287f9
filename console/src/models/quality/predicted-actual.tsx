import type { RegressionMetrics } from 'roster-client';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { extent, linearScale } from '../../plots/scale.js';
import { labelWithUnit, rounded, tick, type Unit, whole } from '../../ui/format.js';

/** A plot of predicted against actual values. */
export function PredictedActual({
  groups,
  target,
  unit,
}: {
  groups: RegressionMetrics['predicted_actual'];
  target: string;
  unit: Unit;
}) {
  const ends = groups.flatMap(({ predicted, actual, deviation }) => [
    predicted,
    actual - deviation,
    actual + deviation,
  ]);
  return (
    <Figure
      title="Predicted and actual values"
      description="Each point is a group of rows with similar predictions. On the dashed line, predicted and actual values agree. The band is one standard deviation of the actual values."
      table={{
        head: ['Predicted', 'Actual', 'Standard deviation', 'Rows'],
        rows: groups.map(({ predicted, actual, deviation, rows }) => [
          rounded(predicted, unit),
          rounded(actual, unit),
          rounded(deviation, unit),
          whole(rows),
        ]),
      }}
    >
      {(area) => {
        const domain = extent(ends, 0.02);
        const x = linearScale(domain, [area.left, area.right]);
        const y = linearScale(domain, [area.bottom, area.top]);
        const upper = groups.map((g) => `${x(g.predicted)},${y(g.actual + g.deviation)}`);
        const lower = groups.map((g) => `${x(g.predicted)},${y(g.actual - g.deviation)}`);
        return (
          <>
            <LeftAxis scale={y} area={area} label={labelWithUnit(`Actual ${target}`, unit)} format={tick} />
            <BottomAxis scale={x} area={area} label={labelWithUnit(`Predicted ${target}`, unit)} format={tick} />
            <polygon class="band" points={[...upper, ...lower.reverse()].join(' ')} />
            <line class="reference" x1={x(domain[0])} y1={y(domain[0])} x2={x(domain[1])} y2={y(domain[1])} />
            {groups.map(({ predicted, actual }) => (
              <circle key={predicted} class="mark" cx={x(predicted)} cy={y(actual)} r="4" />
            ))}
          </>
        );
      }}
    </Figure>
  );
}

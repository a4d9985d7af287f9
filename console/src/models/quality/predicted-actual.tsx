import type { RegressionMetrics } from 'roster-client';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { clamped, robustExtent } from '../../plots/scale.js';
import { count, labelWithUnit, rounded, tick, type Unit, whole } from '../../ui/format.js';

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
  const { domain, outside } = robustExtent(ends, 0.02);
  const note = outside > 0 ? ' What lies outside the axes is drawn at their ends.' : '';
  return (
    <Figure
      title="Predicted and actual values"
      description={`Each point is a group of rows with similar predictions. On the dashed line, predicted and actual values agree. The band is one standard deviation of the actual values.${note}`}
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
        const x = clamped(domain, [area.left, area.right]);
        const y = clamped(domain, [area.bottom, area.top]);
        const upper = groups.map((g) => `${x(g.predicted)},${y(g.actual + g.deviation)}`);
        const lower = groups.map((g) => `${x(g.predicted)},${y(g.actual - g.deviation)}`);
        return (
          <>
            <LeftAxis scale={y} area={area} label={labelWithUnit(`Actual ${target}`, unit)} format={tick} />
            <BottomAxis scale={x} area={area} label={labelWithUnit(`Predicted ${target}`, unit)} format={tick} />
            <polygon class="band" points={[...upper, ...lower.reverse()].join(' ')} />
            <line class="reference" x1={x(domain[0])} y1={y(domain[0])} x2={x(domain[1])} y2={y(domain[1])} />
            {groups.map(({ predicted, actual, deviation, rows }) => (
              <circle
                key={predicted}
                class="mark"
                cx={x(predicted)}
                cy={y(actual)}
                r="4"
                data-values={`Predicted ${rounded(predicted, unit)}, actual ${rounded(actual, unit)} ± ${rounded(deviation, unit)}, ${count(rows, 'row')}`}
              />
            ))}
          </>
        );
      }}
    </Figure>
  );
}

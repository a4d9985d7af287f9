import { wilson } from 'roster-prediction/browser';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { linearScale } from '../../plots/scale.js';
import { count, finePercent, percent, whole } from '../../ui/format.js';

interface Bin {
  readonly nominal: number;
  readonly observed: number;
  readonly rows: number;
}

/** The fewest rows of a bin to draw: of fewer, a share says little. The table shows every bin. */
const MIN_ROWS = 10;

/**
 * A reliability diagram: the confidence of predictions against how often they hold. The lines
 * through the points are Wilson intervals of 95 %; a larger point stands for more rows.
 */
export function Reliability({
  bins,
  title,
  description,
  nominal: nominalLabel,
  observed: observedLabel,
}: {
  bins: readonly Bin[];
  title: string;
  description: string;
  /** The label of what the model says, such as "Confidence". */
  nominal: string;
  /** The label of what was measured, such as "Accuracy". */
  observed: string;
}) {
  const drawn = bins.filter(({ rows }) => rows >= MIN_ROWS);
  const most = Math.max(1, ...drawn.map(({ rows }) => rows));
  const ends = drawn.flatMap((bin) => [bin.nominal, ...wilson(bin.observed, bin.rows)]);
  const low = Math.max(0, Math.floor(Math.min(...ends, 0.9) * 10 - 0.2) / 10);
  return (
    <Figure
      title={title}
      description={description}
      table={{
        head: [nominalLabel, observedLabel, `Margin of error (${percent(0.95)})`, 'Rows'],
        rows: bins.map(({ nominal, observed, rows }) => [
          finePercent(nominal),
          finePercent(observed),
          wilson(observed, rows).map(finePercent).join(' to '),
          whole(rows),
        ]),
      }}
    >
      {(area) => {
        const x = linearScale([low, 1], [area.left, area.right]);
        const y = linearScale([low, 1], [area.bottom, area.top]);
        return (
          <>
            <LeftAxis scale={y} area={area} label={observedLabel} format={percent} />
            <BottomAxis scale={x} area={area} label={nominalLabel} format={percent} />
            <line class="reference" x1={x(low)} y1={y(low)} x2={x(1)} y2={y(1)} />
            {drawn.map(({ nominal, observed, rows }) => {
              const [from, to] = wilson(observed, rows);
              return (
                <g key={nominal}>
                  <line class="range" x1={x(nominal)} x2={x(nominal)} y1={y(from)} y2={y(to)} />
                  <circle
                    class="mark"
                    cx={x(nominal)}
                    cy={y(observed)}
                    r={3 + 5 * Math.sqrt(rows / most)}
                    data-values={`${nominalLabel} ${finePercent(nominal)}, ${observedLabel.toLowerCase()} ${finePercent(observed)} (${finePercent(from)} to ${finePercent(to)}), ${count(rows, 'row')}`}
                  />
                </g>
              );
            })}
          </>
        );
      }}
    </Figure>
  );
}

import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { linearScale } from '../../plots/scale.js';
import { wilson } from '../../plots/wilson.js';
import { finePercent, percent } from '../../ui/format.js';

interface Bin {
  readonly nominal: number;
  readonly observed: number;
  readonly rows: number;
}

/** In fewer rows, chance leaves a share almost any value; such a bin is in the table alone. */
const MIN_ROWS = 10;

/**
 * The confidence that predictions carry, against how often they came true. The lines through the
 * points are Wilson intervals of 95 %.
 */
export function Reliability({
  bins,
  description,
  label,
}: {
  bins: readonly Bin[];
  description: string;
  label: string;
}) {
  const drawn = bins.filter(({ rows }) => rows >= MIN_ROWS);
  const ends = drawn.flatMap((bin) => [bin.nominal, ...wilson(bin.observed, bin.rows)]);
  const low = Math.max(0, Math.floor(Math.min(...ends, 0.9) * 10 - 0.2) / 10);
  return (
    <Figure
      title="Does the confidence come true?"
      description={description}
      table={{
        head: ['Confidence', 'Came true', 'Left to chance (95 %)', 'Rows'],
        rows: bins.map(({ nominal, observed, rows }) => [
          finePercent(nominal),
          finePercent(observed),
          wilson(observed, rows).map(finePercent).join(' to '),
          rows,
        ]),
      }}
    >
      {(area) => {
        const x = linearScale([low, 1], [area.left, area.right]);
        const y = linearScale([low, 1], [area.bottom, area.top]);
        return (
          <>
            <LeftAxis scale={y} area={area} label="Came true" format={percent} />
            <BottomAxis scale={x} area={area} label={label} format={percent} />
            <line class="reference" x1={x(low)} y1={y(low)} x2={x(1)} y2={y(1)} />
            {drawn.map(({ nominal, observed, rows }) => {
              const [from, to] = wilson(observed, rows);
              return (
                <g key={nominal}>
                  <line class="range" x1={x(nominal)} x2={x(nominal)} y1={y(from)} y2={y(to)} />
                  <circle class="mark" cx={x(nominal)} cy={y(observed)} r="5" />
                </g>
              );
            })}
          </>
        );
      }}
    </Figure>
  );
}

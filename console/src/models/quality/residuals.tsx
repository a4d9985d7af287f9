import type { RegressionMetrics } from 'roster-client';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { linearScale } from '../../plots/scale.js';
import { count, labelWithUnit, rounded, tick, type Unit, whole } from '../../ui/format.js';

export function Residuals({
  bins,
  target,
  unit,
}: {
  bins: RegressionMetrics['residuals'];
  target: string;
  unit: Unit;
}) {
  const inner = bins.find(({ from, to }) => from !== null && to !== null);
  if (inner?.from == null || inner.to == null) return null;
  const width = inner.to - inner.from;
  // The open bins at the ends are drawn as wide as the others.
  const drawn = bins.map(({ from, to, rows }) => {
    const start = from ?? (to ?? 0) - width;
    return { start, end: to ?? start + width, isOpen: from === null || to === null, rows };
  });
  const domain: [number, number] = [drawn[0]?.start ?? 0, drawn.at(-1)?.end ?? 1];
  return (
    <Figure
      title="Residuals"
      description="Rows by actual minus predicted value. A narrow peak at 0 is good. The pale bars contain all rows further out."
      table={{
        head: ['Actual − predicted', 'Rows'],
        rows: bins.map(({ from, to, rows }) => [rangeText(from, to, unit), whole(rows)]),
      }}
    >
      {(area) => {
        const most = Math.max(...drawn.map(({ rows }) => rows));
        const x = linearScale(domain, [area.left, area.right]);
        const y = linearScale([0, most * 1.04], [area.bottom, area.top]);
        return (
          <>
            <LeftAxis scale={y} area={area} label="Rows" format={tick} />
            <BottomAxis
              scale={x}
              area={area}
              label={labelWithUnit(`Actual − predicted ${target}`, unit)}
              format={tick}
            />
            {drawn.map(({ start, end, isOpen, rows }, index) => (
              <rect
                key={start}
                class={isOpen ? 'mark faint-mark' : 'mark'}
                x={x(start) + 0.75}
                width={Math.max(0, x(end) - x(start) - 1.5)}
                y={y(rows)}
                height={area.bottom - y(rows)}
                data-values={`${rangeText(bins[index]?.from ?? null, bins[index]?.to ?? null, unit)}: ${count(rows, 'row')}`}
              />
            ))}
          </>
        );
      }}
    </Figure>
  );
}

function rangeText(from: number | null, to: number | null, unit: Unit): string {
  if (from === null) return `below ${rounded(to ?? 0, unit)}`;
  if (to === null) return `${rounded(from, unit)} and more`;
  return `${rounded(from, unit)} to ${rounded(to, unit)}`;
}

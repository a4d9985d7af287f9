import type { ClassificationMetrics, RegressionMetrics } from 'roster-client';
import { wilson } from 'roster-prediction/browser';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Dots } from '../../plots/bars.js';
import { Captioned, Figure } from '../../plots/figure.js';
import { linearScale } from '../../plots/scale.js';
import { finePercent, percent, whole } from '../../ui/format.js';

const FIFTHS = ['Smallest', 'Small', 'Medium', 'Large', 'Largest'];

/** A plot of interval coverage by the error that the model expects. */
export function CoverageByError({ metrics }: { metrics: RegressionMetrics }) {
  const { interval_coverage_by_error: coverage, interval_level: level } = metrics;
  const rows = metrics.held_out_rows / coverage.length;
  const ranges = coverage.map((share) => wilson(share, rows));
  const lowest = Math.min(level, ...ranges.flat());
  const low = Math.max(0, Math.floor(lowest * 20 - 0.2) / 20);
  return (
    <Figure
      title="Coverage by expected error"
      description={`The rows in fifths, from the smallest to the largest error that the model expects. Each fifth should be near the dashed line, ${percent(level)}. The line through a point is its margin of error.`}
      table={{
        head: ['Expected error', 'Interval coverage', `Margin of error (${percent(0.95)})`],
        rows: coverage.map((share, index) => [
          FIFTHS[index] ?? '',
          finePercent(share),
          (ranges[index] ?? []).map(finePercent).join(' to '),
        ]),
      }}
    >
      {(area) => {
        const y = linearScale([low, 1], [area.bottom, area.top], 4);
        const step = (area.right - area.left) / coverage.length;
        const x = (index: number) => area.left + step * (index + 0.5);
        const none = Object.assign(x, { ticks: [] });
        return (
          <>
            <LeftAxis scale={y} area={area} label="Interval coverage" format={percent} />
            <BottomAxis scale={none} area={area} label="Expected error" format={String} />
            <line class="reference" x1={area.left} x2={area.right} y1={y(level)} y2={y(level)} />
            {coverage.map((share, index) => {
              const [from = 0, to = 1] = ranges[index] ?? [];
              const fifth = FIFTHS[index] ?? '';
              return (
                <g key={fifth}>
                  <line class="range" x1={x(index)} x2={x(index)} y1={y(from)} y2={y(to)} />
                  <circle
                    class="mark"
                    cx={x(index)}
                    cy={y(share)}
                    r="5"
                    data-values={`${fifth}: ${finePercent(share)} (${finePercent(from)} to ${finePercent(to)})`}
                  />
                  <text x={x(index)} y={area.bottom + 18} text-anchor="middle">
                    {fifth}
                  </text>
                </g>
              );
            })}
          </>
        );
      }}
    </Figure>
  );
}

/** The most classes to show; of more, those with the lowest coverage. */
const MAX_CLASSES = 10;

/** A plot of set coverage by class. */
export function CoverageByClass({ metrics }: { metrics: ClassificationMetrics }) {
  const { set_level: level, by_class: all } = metrics;
  const measured = all.flatMap(({ class: name, set_coverage: share, rows }) =>
    share === null ? [] : [{ name, share, rows, range: wilson(share, rows) }],
  );
  const shown =
    measured.length <= MAX_CLASSES ? measured : measured.toSorted((a, b) => a.share - b.share).slice(0, MAX_CLASSES);
  const lowest = Math.min(level, ...shown.map(({ range }) => range[0]));
  const low = Math.floor(lowest * 20 - 0.2) / 20;
  const position = linearScale([low, 1], [0, 1], 4);
  return (
    <Captioned
      title="Coverage by class"
      description={
        <>
          How often the set contains the actual class. Each class should be at the dashed line, {percent(level)}, or
          right of it. The line through a point is its margin of error.
          {measured.length > shown.length &&
            ` Of ${whole(measured.length)} classes, the ${MAX_CLASSES} with the lowest coverage are shown; among so many, some are low by chance.`}
        </>
      }
    >
      <Dots
        reference={position(level)}
        ticks={position.ticks.map((tick) => ({ at: position(tick), text: percent(tick) }))}
        rows={shown.map(({ name, share, rows, range }) => ({
          name,
          at: position(share),
          low: position(range[0]),
          high: position(range[1]),
          text: `${finePercent(share)} of ${whole(rows)}`,
        }))}
      />
    </Captioned>
  );
}

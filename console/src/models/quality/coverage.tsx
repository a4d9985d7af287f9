import type { ClassificationMetrics, RegressionMetrics } from 'roster-client';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Dots } from '../../plots/bars.js';
import { Figure } from '../../plots/figure.js';
import { linearScale } from '../../plots/scale.js';
import { wilson } from '../../plots/wilson.js';
import { finePercent, percent, whole } from '../../ui/format.js';

const FIFTHS = ['Easiest', 'Easy', 'Middle', 'Hard', 'Hardest'];

/** Whether intervals hold as often among hard rows as among easy ones. */
export function CoverageByError({ metrics }: { metrics: RegressionMetrics }) {
  const { interval_coverage_by_error: coverage, interval_level: level } = metrics;
  const rows = metrics.held_out_rows / coverage.length;
  const ranges = coverage.map((share) => wilson(share, rows));
  const lowest = Math.min(level, ...ranges.flat());
  const low = Math.max(0, Math.floor(lowest * 20 - 0.2) / 20);
  return (
    <Figure
      title="For hard rows as for easy ones?"
      description={`The rows in fifths, by the error that the model expects. Each should be at the dashed line, ${percent(level)}. The lines through the points are what chance explains.`}
      table={{
        head: ['Fifth', 'Held', 'Left to chance (95 %)'],
        rows: coverage.map((share, index) => [
          FIFTHS[index] ?? index,
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
            <LeftAxis
              scale={y}
              area={area}
              label="True values inside the interval"
              format={percent}
            />
            <BottomAxis scale={none} area={area} label="Expected error" format={String} />
            <line class="reference" x1={area.left} x2={area.right} y1={y(level)} y2={y(level)} />
            {coverage.map((share, index) => {
              const [from = 0, to = 1] = ranges[index] ?? [];
              const fifth = FIFTHS[index] ?? '';
              return (
                <g key={fifth}>
                  <line class="range" x1={x(index)} x2={x(index)} y1={y(from)} y2={y(to)} />
                  <circle class="mark" cx={x(index)} cy={y(share)} r="5" />
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

/** With more classes, those whose sets hold the truth least often are shown. */
const MAX_CLASSES = 10;

/** Whether the sets of classes hold as often for each class. */
export function CoverageByClass({ metrics }: { metrics: ClassificationMetrics }) {
  const { set_level: level, by_class: all } = metrics;
  const measured = all.flatMap(({ class: name, set_coverage: share, rows }) =>
    share === null ? [] : [{ name, share, rows, range: wilson(share, rows) }],
  );
  const shown =
    measured.length <= MAX_CLASSES
      ? measured
      : measured.toSorted((a, b) => a.share - b.share).slice(0, MAX_CLASSES);
  const low = Math.min(level, ...shown.map(({ range }) => range[0]));
  const position = (share: number) => (share - low) / (1 - low || 1);
  return (
    <figure class="figure">
      <figcaption>
        <h3>For each class alike?</h3>
        <p>
          How often the set of classes that may be true holds the truth. Each should be at the
          dashed line, {percent(level)}, or right of it; the lines through the points are what
          chance explains (95 %).
          {measured.length > shown.length &&
            ` Of ${measured.length} classes, the ${MAX_CLASSES} lowest are shown: among so many, some are low by chance.`}
        </p>
      </figcaption>
      <Dots
        reference={position(level)}
        rows={shown.map(({ name, share, rows, range }) => ({
          name,
          at: position(share),
          low: position(range[0]),
          high: position(range[1]),
          text: `${finePercent(share)} of ${whole(rows)}`,
        }))}
      />
    </figure>
  );
}

import type { ClassificationModel } from 'roster-client';
import { fitToWidth } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { Table } from '../../plots/table.js';
import { finePercent, ungrouped, whole } from '../../ui/format.js';

/** The most classes of a matrix that can be read. */
const MAX_CLASSES = 10;
const MAX_PAIRS = 10;
const CELL_HEIGHT = 34;
const MAX_CELL_WIDTH = 110;

/** The confusion matrix; with many classes, the pairs that are confused most often. */
export function Confusion({ model }: { model: ClassificationModel }) {
  const names = (model.classes ?? []).map(({ name }) => name);
  const counts = model.metrics?.confusion ?? [];
  return names.length <= MAX_CLASSES ? (
    <ConfusionMatrix names={names} counts={counts} />
  ) : (
    <ConfusedPairs names={names} counts={counts} />
  );
}

interface Counts {
  readonly names: readonly string[];
  /** By actual class, then by predicted class. */
  readonly counts: readonly (readonly number[])[];
}

function ConfusionMatrix({ names, counts }: Counts) {
  return (
    <Figure
      title="Confusion matrix"
      description="How many rows of each actual class are predicted as each class. Correct predictions are blue and wrong ones red; darker cells have a larger part of their class."
      height={names.length * CELL_HEIGHT + 58}
      table={{
        head: ['Actual', ...names.map((name) => `Predicted “${name}”`)],
        rows: names.map((name, actual) => [name, ...(counts[actual] ?? []).map(whole)]),
      }}
    >
      {(_, width) => {
        const left = Math.min(130, width * 0.27);
        const cell = Math.min(MAX_CELL_WIDTH, (width - left) / names.length);
        return (
          <>
            <text class="label" x={left} y={12}>
              Predicted
            </text>
            <text class="label" x={0} y={36}>
              Actual
            </text>
            {names.map((name, index) => (
              <g key={name}>
                <title>{name}</title>
                <text x={left + cell * (index + 0.5)} y={36} text-anchor="middle">
                  {fitToWidth(name, cell - 4)}
                </text>
                <text x={0} y={46 + CELL_HEIGHT * (index + 0.5) + 4}>
                  {fitToWidth(name, left - 8)}
                </text>
              </g>
            ))}
            {counts.map((row, actual) => {
              const total = row.reduce((sum, rows) => sum + rows, 0) || 1;
              return row.map((rows, predicted) => (
                <g key={`${actual}-${predicted}`}>
                  <rect
                    class={actual === predicted ? 'matrix-cell' : 'matrix-cell wrong'}
                    x={left + cell * predicted + 1}
                    y={46 + CELL_HEIGHT * actual + 1}
                    width={Math.max(0, cell - 2)}
                    height={CELL_HEIGHT - 2}
                    rx="3"
                    fill-opacity={(0.05 + 0.45 * (rows / total)).toFixed(3)}
                  />
                  <text
                    class={rows === 0 ? undefined : 'count'}
                    x={left + cell * (predicted + 0.5)}
                    y={46 + CELL_HEIGHT * (actual + 0.5) + 4}
                    text-anchor="middle"
                  >
                    {cell < 34 ? ungrouped(rows) : whole(rows)}
                  </text>
                </g>
              ));
            })}
          </>
        );
      }}
    </Figure>
  );
}

function ConfusedPairs({ names, counts }: Counts) {
  const pairs = counts
    .flatMap((row, actual) => {
      const total = row.reduce((sum, rows) => sum + rows, 0);
      return row.map((rows, predicted) => ({ actual, predicted, rows, share: rows / total }));
    })
    .filter(({ actual, predicted, rows }) => actual !== predicted && rows > 0)
    .sort((a, b) => b.rows - a.rows)
    .slice(0, MAX_PAIRS);
  return (
    <section class="figure">
      <h3>Most confused classes</h3>
      {pairs.length === 0 ? (
        <p>No row was predicted as a wrong class.</p>
      ) : (
        <Table
          head={['Actual', 'Predicted', 'Rows', 'Share of the actual class']}
          rows={pairs.map(({ actual, predicted, rows, share }) => [
            names[actual],
            names[predicted],
            whole(rows),
            finePercent(share),
          ])}
        />
      )}
    </section>
  );
}

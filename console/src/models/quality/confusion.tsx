import type { ClassificationModel } from 'roster-client';
import { shortened } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { finePercent, whole } from '../../ui/format.js';

/** Up to so many classes make a matrix that can be read. */
const MAX_CLASSES = 10;
const MAX_PAIRS = 10;
const CELL_HEIGHT = 34;

/** Which classes are taken for which. */
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
  /** By actual class, then by answer. */
  readonly counts: readonly (readonly number[])[];
}

function ConfusionMatrix({ names, counts }: Counts) {
  return (
    <Figure
      title="What it takes for what"
      description="Each row holds the rows of one class, by the answer they got. Blue are right answers, red wrong ones, the darker the more of the class."
      height={names.length * CELL_HEIGHT + 58}
      table={{
        head: ['Actual', ...names.map((name) => `Answered “${name}”`)],
        rows: names.map((name, actual) => [name, ...(counts[actual] ?? [])]),
      }}
    >
      {(_, width) => {
        const left = Math.min(130, width * 0.27);
        const cell = (width - left) / names.length;
        return (
          <>
            <text class="label" x={left} y={12}>
              Answered
            </text>
            <text class="label" x={0} y={36}>
              Actual
            </text>
            {names.map((name, index) => (
              <g key={name}>
                <title>{name}</title>
                <text x={left + cell * (index + 0.5)} y={36} text-anchor="middle">
                  {shortened(name, cell - 4)}
                </text>
                <text x={0} y={46 + CELL_HEIGHT * (index + 0.5) + 4}>
                  {shortened(name, left - 8)}
                </text>
              </g>
            ))}
            {counts.map((row, actual) => {
              const total = row.reduce((sum, rows) => sum + rows, 0) || 1;
              return row.map((rows, answer) => (
                <g key={`${actual}-${answer}`}>
                  <rect
                    class={actual === answer ? 'cell' : 'cell wrong'}
                    x={left + cell * answer + 1}
                    y={46 + CELL_HEIGHT * actual + 1}
                    width={Math.max(0, cell - 2)}
                    height={CELL_HEIGHT - 2}
                    rx="3"
                    fill-opacity={(0.05 + 0.45 * (rows / total)).toFixed(3)}
                  />
                  <text
                    class={rows === 0 ? undefined : 'count'}
                    x={left + cell * (answer + 0.5)}
                    y={46 + CELL_HEIGHT * (actual + 0.5) + 4}
                    text-anchor="middle"
                  >
                    {cell < 34 ? rows : whole(rows)}
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
      return row.map((rows, answer) => ({ actual, answer, rows, share: rows / total }));
    })
    .filter(({ actual, answer, rows }) => actual !== answer && rows > 0)
    .sort((a, b) => b.rows - a.rows)
    .slice(0, MAX_PAIRS);
  return (
    <section class="figure">
      <h3>What it takes for what</h3>
      {pairs.length === 0 ? (
        <p>No class was taken for another.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Actual</th>
              <th scope="col">Answered</th>
              <th scope="col">Rows</th>
              <th scope="col">Of the class</th>
            </tr>
          </thead>
          <tbody>
            {pairs.map(({ actual, answer, rows, share }) => (
              <tr key={`${actual}-${answer}`}>
                <td>{names[actual]}</td>
                <td>{names[answer]}</td>
                <td>{whole(rows)}</td>
                <td>{finePercent(share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

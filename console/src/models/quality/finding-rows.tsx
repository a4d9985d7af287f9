import { useId, useState } from 'preact/hooks';
import type { ClassificationMetrics, ClassificationModel } from 'roster-client';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Figure } from '../../plots/figure.js';
import { linearScale } from '../../plots/scale.js';
import { ChooseClass, rarestClass } from '../../ui/choose-class.js';
import { count, finePercent, percent, rounded, whole } from '../../ui/format.js';

/** The threshold to begin with: of two classes, it calls what the model answers. */
const HALF = 0.5;

type Thresholds = NonNullable<ClassificationMetrics['by_class'][number]['thresholds']>;

/** How well the probabilities of a class find its rows, and what a threshold that one moves catches and misses. */
export function FindingRows({ model: { metrics, target } }: { model: ClassificationModel }) {
  const [chosen, choose] = useState<string>();
  const measured = metrics?.by_class.filter(({ thresholds }) => thresholds !== null) ?? [];
  const name = chosen ?? rarestClass(measured.map((one) => ({ ...one, name: one.class })));
  const shown = measured.find((one) => one.class === name);
  if (!metrics || shown?.auc == null || shown.thresholds === null) return null;
  return (
    <section>
      <h2>Finding a class</h2>
      <ChooseClass
        label={`Rows of ${target} to find`}
        names={measured.map((one) => one.class)}
        chosen={shown.class}
        onChoose={choose}
      />
      <p class="coverage">
        <strong>{rounded(shown.auc)}</strong> is the AUC: of a row of “{shown.class}” and another, the first has the
        higher probability in {finePercent(shown.auc)} of all pairs. Chance has {rounded(HALF)}.
      </p>
      <Threshold
        key={shown.class}
        name={shown.class}
        own={shown.rows}
        all={metrics.held_out_rows}
        thresholds={shown.thresholds}
      />
    </section>
  );
}

function Threshold({
  name,
  own,
  all,
  thresholds: { probability, caught, false_alarms },
}: {
  name: string;
  own: number;
  all: number;
  thresholds: Thresholds;
}) {
  const id = useId();
  const last = probability.length - 1;
  const [place, setPlace] = useState(() => probability.findIndex((one) => one <= HALF));
  const least = probability[place] ?? 0;
  const found = caught[place] ?? 0;
  const alarms = false_alarms[place] ?? 0;
  const called = found + alarms;
  const finds = `finds ${whole(found)} of ${count(own, 'row')} of “${name}”, ${count(alarms, 'false alarm')}`;
  const points = probability.map((_, index): [number, number] => {
    const hits = caught[index] ?? 0;
    return [(hits + (false_alarms[index] ?? 0)) / all, hits / own];
  });
  return (
    <div class="finding">
      <div>
        <label for={id}>Least probability</label>
        <input
          id={id}
          type="range"
          max={last}
          value={place}
          aria-valuetext={`${rounded(least)}: ${finds}`}
          onInput={({ currentTarget }) => setPlace(Number(currentTarget.value))}
        />
        <output for={id}>
          At a probability of at least {rounded(least)}, the model <strong>{finds}</strong>, and misses{' '}
          {whole(own - found)}. Among the {count(called, 'row')} that it calls so, {finePercent(found / called)} are
          right; among all rows, {finePercent(own / all)} are.
        </output>
      </div>
      <Figure
        title={`Gain for “${name}”`}
        description="The share of the class’s rows that are found if the rows of the highest probability are called first. The dashed line is chance; the point is the threshold above."
        table={{
          head: ['Least probability', 'Finds', 'Misses', 'False alarms'],
          rows: probability.map((one, index) => {
            const hits = caught[index] ?? 0;
            return [rounded(one), whole(hits), whole(own - hits), whole(false_alarms[index] ?? 0)];
          }),
        }}
      >
        {(area) => {
          const x = linearScale([0, 1], [area.left, area.right]);
          const y = linearScale([0, 1], [area.bottom, area.top]);
          const [at = 0, share = 0] = points[place] ?? [];
          const line: (readonly [number, number])[] = [[0, 0], ...points];
          return (
            <>
              <LeftAxis scale={y} area={area} label={`Found of “${name}”`} format={percent} />
              <BottomAxis scale={x} area={area} label="Rows that are called" format={percent} />
              <line class="reference" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
              <polyline class="stroke" points={line.map(([a, b]) => `${x(a)},${y(b)}`).join(' ')} />
              <circle class="mark" cx={x(at)} cy={y(share)} r="6" />
            </>
          );
        }}
      </Figure>
    </div>
  );
}

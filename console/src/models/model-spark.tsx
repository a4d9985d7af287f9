import type { Model } from 'roster-client';
import { extent, linearScale } from '../plots/scale.js';

const WIDTH = 104;
const HEIGHT = 44;
const INSET = 4;

type Points = readonly (readonly [number, number])[];

/**
 * The quality of a model at a glance: predicted and actual values, or probability and accuracy, around the dashed
 * line of a perfect model; or of a forecast the error by step below that of repeating the last season.
 */
export function ModelSpark({ model }: { model: Model }) {
  const drawn = pointsOf(model);
  if (!drawn || drawn.points.length < 2) return null;
  const { points, title, deviations = [] } = drawn;
  const reference = drawn.reference ?? diagonalOf(points);
  const edge = (sign: 1 | -1): Points =>
    points.map(([at, value], index) => [at, value + sign * (deviations[index] ?? 0)]);
  const band = [...edge(1), ...edge(-1).toReversed()];
  const all = [...band, ...reference];
  const x = linearScale(extent(all.map(([at]) => at)), [INSET, WIDTH - INSET]);
  const y = linearScale(extent(all.map(([, value]) => value)), [HEIGHT - INSET, INSET]);
  const line = (of: Points) => of.map(([at, value]) => `${x(at)},${y(value)}`).join(' ');
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} role="img" aria-label={title}>
      <polygon class="band" points={line(band)} />
      <polyline class="reference" fill="none" points={line(reference)} />
      <polyline class="stroke" points={line(points)} />
    </svg>
  );
}

function pointsOf(
  model: Model,
): { title: string; points: Points; deviations?: number[]; reference?: Points } | undefined {
  if (model.metrics === null) return undefined;
  if (model.task === 'regression') {
    const groups = model.metrics.predicted_actual;
    const points = groups.map(({ predicted, actual }) => [predicted, actual] as const);
    const deviations = groups.map(({ deviation }) => deviation);
    return { title: 'Predicted and actual values', points, deviations };
  }
  if (model.task === 'classification') {
    const points = model.metrics.reliability.map(
      ({ nominal, observed }) => [nominal, observed] as const,
    );
    return { title: 'Probability and accuracy', points };
  }
  const byStep = (errors: readonly { mae: number }[]) =>
    errors.map(({ mae }, step) => [step, mae] as const);
  return {
    title: 'Error by step, and that of repeating the last season',
    points: byStep(model.metrics.errors_by_step),
    reference: byStep(model.metrics.baseline_errors_by_step),
  };
}

function diagonalOf(points: Points): Points {
  const [low, high] = extent(points.flat());
  return [
    [low, low],
    [high, high],
  ];
}

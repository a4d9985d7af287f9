import type { Model, RegressionModel, RowWarning } from 'roster-client';
import { Bars } from '../../plots/bars.js';
import { extent, linearScale } from '../../plots/scale.js';
import { useWidth } from '../../plots/use-width.js';
import { Words } from '../../plots/words.js';
import { count, finePercent, percent, tick, type Unit, whole, within } from '../../ui/format.js';
import { targetUnit } from '../../ui/units.js';
import type { ClassPrediction, NumberPrediction, Prediction } from './prediction.js';

/** A prediction in large letters, with its interval or the probabilities of its classes. */
export function Answer({
  model,
  prediction,
  confidence,
  warnings,
}: {
  model: Model;
  prediction: Prediction | undefined;
  confidence: number | undefined;
  /** Warnings of values in the row that are unlike the training table. */
  warnings: readonly RowWarning[];
}) {
  const isUnlike = prediction !== undefined && warnings.length > 0;
  return (
    <section class={isUnlike ? 'answer unlike' : 'answer'} aria-label="Prediction">
      <div role="status">
        <p class="answer-target">
          <Words name={model.target} />
        </p>
        <p class="answer-value">{prediction ? valueText(prediction, targetUnit(model)) : '…'}</p>
        <p>
          {prediction === undefined
            ? 'Predicting …'
            : prediction.task === 'regression'
              ? intervalWords(prediction, confidence, targetUnit(model))
              : classWords(prediction, confidence)}
        </p>
        {isUnlike && (
          <p class="answer-warning">
            <strong>This confidence does not hold here.</strong> {unlikeWords(warnings)} The model has not learnt what
            comes of such rows.
          </p>
        )}
      </div>
      {prediction?.task === 'regression' && model.task === 'regression' && (
        <IntervalScale model={model} prediction={prediction} />
      )}
      {prediction?.task === 'classification' && <Probabilities prediction={prediction} />}
    </section>
  );
}

const valueText = (prediction: Prediction, unit: Unit) =>
  prediction.task === 'regression'
    ? within(prediction.high - prediction.low, unit)(prediction.value)
    : prediction.value;

function intervalWords(prediction: NumberPrediction, wanted: number | undefined, unit: Unit): string {
  const { low, high, confidence } = prediction;
  const write = within(high - low, unit);
  const words = `With ${percent(confidence)} confidence, the actual value is between ${write(low)} and ${write(high)}.`;
  return wanted !== undefined && confidence < wanted - 0.005
    ? `${words} The table has too few rows for a higher confidence.`
    : words;
}

/** The most columns to name. */
const MAX_NAMED = 3;

/** Says in which columns a row is unlike the training table. */
function unlikeWords(warnings: readonly RowWarning[]): string {
  const names = warnings.flatMap(({ name }) => name ?? []);
  const named = names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ` and ${count(names.length - MAX_NAMED, 'more column')}` : '';
  return names.length === 0
    ? 'The row has no value in any column of the model.'
    : `The values of ${named}${more} are unlike those of the training table.`;
}

/** The confidence of a set of classes if none is asked for. */
const DEFAULT_SET_LEVEL = 0.9;

function classWords({ confidence, set }: ClassPrediction, wanted = DEFAULT_SET_LEVEL): string {
  const words = `The probability of this class is ${percent(Math.min(confidence, 0.99))}.`;
  if (set.length < 2) return `${words} With ${percent(wanted)} confidence, the actual class is no other.`;
  const other = set.slice(1);
  const named = other.length > MAX_BARS ? `${whole(other.length)} other classes` : other.join(', ');
  return `${words} With ${percent(wanted)} confidence, the actual class may also be ${named}.`;
}

/** The most classes to draw: the most likely ones. */
const MAX_BARS = 6;

function Probabilities({ prediction: { probabilities } }: { prediction: ClassPrediction }) {
  return (
    <Bars
      rows={[...probabilities]
        .slice(0, MAX_BARS)
        .map(([name, share], index) => ({ name, share, text: finePercent(share), isFaint: index > 0 }))}
    />
  );
}

const HEIGHT = 64;

/** The room for half a label at each end. */
const INSET = 24;

/** The interval on the range of values that the target usually has. The words state the same. */
function IntervalScale({
  model: { metrics },
  prediction: { value, low, high },
}: {
  model: RegressionModel;
  prediction: NumberPrediction;
}) {
  const [drawing, width] = useWidth<SVGSVGElement>();
  const usual = (metrics?.predicted_actual ?? []).flatMap((group) => [
    group.predicted,
    group.actual - group.deviation,
    group.actual + group.deviation,
  ]);
  const x = linearScale(
    extent([...usual, low, high], 0.03),
    [INSET, width - INSET],
    Math.max(2, Math.min(6, width / 80)),
  );
  return (
    <svg ref={drawing} class="interval" height={HEIGHT} aria-hidden="true">
      {width > 0 && (
        <>
          <line class="scale-line" x1="0" x2={width} y1="26" y2="26" />
          {x.ticks.map((value) => (
            <g key={value} class="axis">
              <line x1={x(value)} x2={x(value)} y1="22" y2="30" />
              <text x={x(value)} y="56" text-anchor="middle">
                {tick(value)}
              </text>
            </g>
          ))}
          <rect class="interval-range" x={x(low)} width={Math.max(2, x(high) - x(low))} y="14" height="24" rx="5" />
          <circle class="mark" cx={x(value)} cy="26" r="7" />
        </>
      )}
    </svg>
  );
}

import type { ClassificationMetrics, Model } from 'roster-client';
import { Bars } from '../../plots/bars.js';
import { count, finePercent, percent, rounded, whole } from '../../ui/format.js';
import { targetUnit } from '../../ui/units.js';
import { hasLearned, readVerdict } from './verdict.js';

/** The headline of a model: whether it is of use, and its error beside that of a constant prediction. */
export function Headline({ model }: { model: Model }) {
  return (
    <section class={hasLearned(model) ? 'headline' : 'headline of-no-use'}>
      <p class="summary">
        <strong>{readVerdict(model)}</strong> {writeFigures(model)}
      </p>
      <Comparison model={model} />
    </section>
  );
}

/** The service's reason of a bad error: the columns, or rows that may be mistakes. */
function readReason({ summary }: Model): string {
  const at = summary?.indexOf(' The columns ') ?? -1;
  return at < 0 ? '' : (summary?.slice(at) ?? '');
}

function writeFigures(model: Model): string {
  if (model.metrics === null) return '';
  const isOfUse = hasLearned(model);
  const amount = (value: number) => rounded(value, targetUnit(model));
  const reason = isOfUse ? '' : readReason(model);
  if (model.task === 'regression') {
    const { mae, baseline_mae: baseline, r2, held_out_rows } = model.metrics;
    const explained = isOfUse ? ` It explains ${finePercent(r2)} of the variance.` : '';
    return `It is off by ${amount(mae)} on average, the mean alone by ${amount(baseline)}.${explained}${reason} ${measuredOn(held_out_rows, model.row_count)}`;
  }
  if (model.task === 'classification') {
    const { accuracy, baseline_accuracy, held_out_rows } = model.metrics;
    return `${found(model.metrics)}It is right in ${finePercent(accuracy)} of the rows; always answering “${model.classes?.[0]?.name}” is right in ${finePercent(baseline_accuracy)}.${reason} ${measuredOn(held_out_rows, model.row_count)}`;
  }
  const { errors, baseline_errors: baseline, value_count, interval_level } = model.metrics;
  const coverage = model.metrics.interval_coverage;
  const kept =
    coverage === null
      ? ''
      : ` ${finePercent(coverage)} of the values lay within intervals for ${percent(interval_level)}.`;
  return `It is off by ${amount(errors.mae)} on average, repeating alone by ${amount(baseline.mae)}.${kept} Measured on ${count(value_count, 'forecast')} of values at the ends of the series, which it did not learn from.`;
}

/** Says how many rows of the rarer of two classes are found, and how well classes are distinguished. */
function found({ auc, by_class, confusion }: ClassificationMetrics): string {
  const area = auc === null ? '' : `Its AUC is ${rounded(auc)}. `;
  const rarer = by_class[1];
  if (by_class.length > 2 || rarer === undefined) return area;
  const alarms = count(confusion[0]?.[1] ?? 0, 'false alarm');
  return `It finds ${whole(confusion[1]?.[1] ?? 0)} of ${count(rarer.rows, 'row')} of “${rarer.class}”, with ${alarms}. ${area}`;
}

/** Says which rows the figures are of: of a small table all, in folds, of a large one some. */
const measuredOn = (rows: number, all: number) =>
  2 * rows > all
    ? `Measured by cross-validation on ${count(rows, 'row')}: each was predicted by trees that had not seen it.`
    : `Measured on ${count(rows, 'row')} that were held out: no tree had seen them.`;

function Comparison({ model }: { model: Model }) {
  if (model.metrics === null) return null;
  if (model.task === 'classification') {
    const { accuracy, baseline_accuracy } = model.metrics;
    return (
      <BesideBaseline
        caption="Accuracy (longer is better)"
        baseline={`Always “${model.classes?.[0]?.name ?? ''}”`}
        figures={[accuracy, baseline_accuracy]}
        longest={1}
        format={finePercent}
      />
    );
  }
  const isNumber = model.task === 'regression';
  const figures: readonly [number, number] = isNumber
    ? [model.metrics.mae, model.metrics.baseline_mae]
    : [model.metrics.errors.mae, model.metrics.baseline_errors.mae];
  return (
    <BesideBaseline
      caption="Off by, on average (shorter is better)"
      baseline={isNumber ? 'Always the mean' : 'Repeating the last season'}
      figures={figures}
      longest={Math.max(...figures) || 1}
      format={(error) => rounded(error, targetUnit(model))}
    />
  );
}

function BesideBaseline({
  caption,
  baseline,
  figures: [own, other],
  longest,
  format,
}: {
  caption: string;
  /** The name of the constant prediction. */
  baseline: string;
  /** Those of the model and of the baseline. */
  figures: readonly [number, number];
  longest: number;
  format: (figure: number) => string;
}) {
  return (
    <figure class="comparison">
      <figcaption>{caption}</figcaption>
      <Bars
        rows={[
          { name: 'This model', share: own / longest, text: format(own) },
          { name: baseline, share: other / longest, text: format(other), isFaint: true },
        ]}
      />
    </figure>
  );
}

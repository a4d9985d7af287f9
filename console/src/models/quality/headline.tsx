import type { ClassificationMetrics, ClassificationModel, Model } from 'roster-client';
import { Bars } from '../../plots/bars.js';
import { finePercent, measure } from '../../ui/format.js';

/** The headline of a model: its summary, and its error beside that of a constant prediction. */
export function Headline({ model }: { model: Model }) {
  // Its first words are the verdict; a colon ends them.
  const [verdict = '', ...figures] = (model.summary ?? '').split(/(?<=:) /);
  return (
    <section class="headline">
      <p class="summary">
        <strong>{verdict}</strong> {figures.join(' ')}
      </p>
      {model.task === 'classification'
        ? model.metrics && (
            <AccuracyBars metrics={model.metrics} commonest={model.classes?.[0]?.name ?? ''} />
          )
        : model.metrics && <ErrorBars metrics={model.metrics} />}
    </section>
  );
}

type ErrorMetrics = NonNullable<Exclude<Model, ClassificationModel>['metrics']>;

function ErrorBars({ metrics }: { metrics: ErrorMetrics }) {
  const [mae, baseline, constant] =
    'errors' in metrics
      ? [metrics.errors.mae, metrics.baseline_errors.mae, 'the last']
      : [metrics.mae, metrics.baseline_mae, 'the mean'];
  const longest = Math.max(mae, baseline) || 1;
  return (
    <figure class="comparison">
      <figcaption>Off by, on average (shorter is better)</figcaption>
      <Bars
        rows={[
          { name: 'This model', share: mae / longest, text: measure(mae) },
          {
            name: `Always ${constant}`,
            share: baseline / longest,
            text: measure(baseline),
            isFaint: true,
          },
        ]}
      />
    </figure>
  );
}

function AccuracyBars({
  metrics: { accuracy, baseline_accuracy: baseline },
  commonest,
}: {
  metrics: ClassificationMetrics;
  commonest: string;
}) {
  return (
    <figure class="comparison">
      <figcaption>Accuracy (longer is better)</figcaption>
      <Bars
        rows={[
          { name: 'This model', share: accuracy, text: finePercent(accuracy) },
          {
            name: `Always “${commonest}”`,
            share: baseline,
            text: finePercent(baseline),
            isFaint: true,
          },
        ]}
      />
    </figure>
  );
}

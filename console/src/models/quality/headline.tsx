import type { ClassificationMetrics, Model } from 'roster-client';
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
      <Comparison model={model} />
    </section>
  );
}

function Comparison({ model }: { model: Model }) {
  if (model.metrics === null) return null;
  if (model.task === 'classification') {
    return <AccuracyBars metrics={model.metrics} commonest={model.classes?.[0]?.name ?? ''} />;
  }
  if (model.task === 'regression') {
    const { mae, baseline_mae } = model.metrics;
    return <ErrorBars mae={mae} baseline={baseline_mae} name="Always the mean" />;
  }
  const { errors, baseline_errors } = model.metrics;
  return (
    <ErrorBars mae={errors.mae} baseline={baseline_errors.mae} name="Repeating the last season" />
  );
}

function ErrorBars({ mae, baseline, name }: { mae: number; baseline: number; name: string }) {
  const longest = Math.max(mae, baseline) || 1;
  return (
    <figure class="comparison">
      <figcaption>Off by, on average (shorter is better)</figcaption>
      <Bars
        rows={[
          { name: 'This model', share: mae / longest, text: measure(mae) },
          {
            name,
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

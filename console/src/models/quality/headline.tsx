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
      {model.task === 'regression' && model.metrics && (
        <ErrorBars
          error={model.metrics.mae}
          baseline={model.metrics.baseline_mae}
          constant="Always the mean"
        />
      )}
      {model.task === 'forecast' && model.metrics && (
        <ErrorBars
          error={model.metrics.errors.mae}
          baseline={model.metrics.baseline_errors.mae}
          constant="The last season again"
        />
      )}
      {model.task === 'classification' && model.metrics && (
        <AccuracyBars metrics={model.metrics} commonest={model.classes?.[0]?.name ?? ''} />
      )}
    </section>
  );
}

interface Errors {
  readonly error: number;
  readonly baseline: number;
  /** What the baseline always answers. */
  readonly constant: string;
}

function ErrorBars({ error, baseline, constant }: Errors) {
  const longest = Math.max(error, baseline) || 1;
  return (
    <figure class="comparison">
      <figcaption>Off by, on average (shorter is better)</figcaption>
      <Bars
        rows={[
          { name: 'This model', share: error / longest, text: measure(error) },
          {
            name: constant,
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

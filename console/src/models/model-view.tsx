import type { ClassificationModel, Model, RegressionModel } from 'roster-client';
import { finePercent, percent } from '../ui/format.js';
import { ModelFrame } from './model-frame.js';
import { Comparison } from './quality/comparison.js';
import { Confusion } from './quality/confusion.js';
import { CoverageByClass, CoverageByError } from './quality/coverage.js';
import { Facts } from './quality/facts.js';
import { Importance } from './quality/importance.js';
import { PredictedActual } from './quality/predicted-actual.js';
import { Reliability } from './quality/reliability.js';
import { Residuals } from './quality/residuals.js';

/** The view of how good a model is. */
export function ModelView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="quality">
      {(shown) => <Quality model={shown} />}
    </ModelFrame>
  );
}

function Quality({ model }: { model: Model }) {
  return (
    <>
      <Comparison model={model} />
      {model.task === 'regression' ? <OfNumbers model={model} /> : <OfClasses model={model} />}
      <div class="aside-facts">
        <section>
          <h2>What matters</h2>
          <Importance model={model} />
        </section>
        <section>
          <h2>About this version</h2>
          <Facts model={model} />
        </section>
      </div>
    </>
  );
}

function OfNumbers({ model: { metrics, target } }: { model: RegressionModel }) {
  if (metrics === null) return null;
  return (
    <>
      <h2>How close is it?</h2>
      <div class="figures">
        <PredictedActual groups={metrics.predicted_actual} target={target} />
        <Residuals bins={metrics.residuals} target={target} />
      </div>
      <h2>Does it keep what it says?</h2>
      <p class="lead">
        Of its intervals of {percent(metrics.interval_level)} confidence,{' '}
        <strong>{finePercent(metrics.interval_coverage)}</strong> held the true value.
      </p>
      <div class="figures">
        <Reliability
          bins={metrics.reliability}
          description="Predictions by the confidence of their interval. On the dashed line, it came true as often as it says; the lines through the points are what chance explains."
          label="Confidence of the interval"
        />
        <CoverageByError metrics={metrics} />
      </div>
    </>
  );
}

function OfClasses({ model }: { model: ClassificationModel }) {
  const { metrics } = model;
  if (metrics === null) return null;
  return (
    <>
      <h2>What does it get wrong?</h2>
      <div class="figures">
        <Confusion model={model} />
      </div>
      <h2>Does it keep what it says?</h2>
      <p class="lead">
        Of its sets of {percent(metrics.set_level)} confidence,{' '}
        <strong>{finePercent(metrics.set_coverage)}</strong> held the true class.
      </p>
      <div class="figures">
        <Reliability
          bins={metrics.reliability}
          description="Predictions by the probability of their answer. On the dashed line, it was right as often as it says; the lines through the points are what chance explains."
          label="Probability of the answer"
        />
        <CoverageByClass metrics={metrics} />
      </div>
    </>
  );
}

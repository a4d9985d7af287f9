import type { ClassificationModel, Model, RegressionModel } from 'roster-client';
import { TableReport } from '../findings/table-report.js';
import { type Fact, Facts } from '../ui/facts.js';
import { duration, finePercent, percent, time, whole } from '../ui/format.js';
import { targetUnit } from '../ui/units.js';
import { ForecastQuality } from './forecast/forecast-quality.js';
import { ModelFrame } from './model-frame.js';
import { Confusion } from './quality/confusion.js';
import { CoverageByClass, CoverageByError } from './quality/coverage.js';
import { FindingRows } from './quality/finding-rows.js';
import { Headline } from './quality/headline.js';
import { Importance } from './quality/importance.js';
import { Misses } from './quality/misses.js';
import { PredictedActual } from './quality/predicted-actual.js';
import { Reliability } from './quality/reliability.js';
import { Residuals } from './quality/residuals.js';

/** The view of a model's quality. */
export function ModelView({ project, model }: { project: string; model: string }) {
  return (
    <ModelFrame project={project} model={model} tab="quality">
      {/* A class that was chosen, and the rows that are missed, are those of a version. */}
      {(shown) => <Quality key={shown.version} project={project} model={shown} />}
    </ModelFrame>
  );
}

/** All that is known of a model's quality, as plots and figures. */
export function Quality({
  project,
  model,
  isFile = false,
}: {
  project: string;
  model: Model;
  /** True in a report that is saved. */
  isFile?: boolean;
}) {
  return (
    <>
      <Headline model={model} />
      <TableReport project={project} model={model} isFile={isFile} />
      {model.task === 'regression' && <RegressionQuality model={model} />}
      {model.task === 'classification' && <ClassificationQuality model={model} />}
      {model.task === 'forecast' && <ForecastQuality project={project} model={model} />}
      {/* A file that is handed on holds no rows of the table. */}
      {!isFile && model.metrics !== null && <Misses project={project} model={model} />}
      <div class="aside-facts">
        {model.columns?.some(({ used, importance }) => !used || importance) && (
          <section>
            <h2>Columns</h2>
            <Importance model={model} />
          </section>
        )}
        <section>
          <h2>About this version</h2>
          <VersionFacts model={model} />
        </section>
      </div>
    </>
  );
}

function RegressionQuality({ model }: { model: RegressionModel }) {
  const { metrics, target } = model;
  if (metrics === null) return null;
  const unit = targetUnit(model);
  return (
    <>
      <h2>Accuracy</h2>
      <div class="figures">
        <PredictedActual groups={metrics.predicted_actual} target={target} unit={unit} />
        <Residuals bins={metrics.residuals} target={target} unit={unit} />
      </div>
      <h2>Calibration</h2>
      <p class="coverage">
        <strong>{finePercent(metrics.interval_coverage)}</strong> of the intervals at {percent(metrics.interval_level)}{' '}
        confidence contain the actual value.
      </p>
      <div class="figures">
        <Reliability
          bins={metrics.reliability}
          title="Confidence and coverage"
          description="Each point is a group of intervals with similar confidence. On the dashed line, as many contain the actual value as the confidence says. The line through a point is its margin of error; larger points have more rows."
          nominal="Confidence"
          observed="Interval coverage"
        />
        <CoverageByError metrics={metrics} />
      </div>
    </>
  );
}

function ClassificationQuality({ model }: { model: ClassificationModel }) {
  const { metrics } = model;
  if (metrics === null) return null;
  return (
    <>
      <FindingRows model={model} />
      <h2>Accuracy</h2>
      <div class="figures">
        <Confusion model={model} />
      </div>
      <h2>Calibration</h2>
      <p class="coverage">
        <strong>{finePercent(metrics.set_coverage)}</strong> of the sets at {percent(metrics.set_level)} confidence
        contain the actual class.
      </p>
      <div class="figures">
        <Reliability
          bins={metrics.reliability}
          title="Probability and accuracy"
          description="Each point is a group of predictions with similar probability. On the dashed line, as many are correct as the probability says. The line through a point is its margin of error; larger points have more rows."
          nominal="Probability"
          observed="Accuracy"
        />
        <CoverageByClass metrics={metrics} />
      </div>
    </>
  );
}

const EFFORTS = { fast: 'Fast', standard: 'Standard', best: 'Best' };

/** Facts about the training of a version: its table, its time, its checksum, its query. */
function VersionFacts({ model }: { model: Model }) {
  const { version, source, row_count, columns, updated_at, training_seconds, checksum } = model;
  const facts: readonly Fact[] = [
    ['Version', String(version)],
    ['Rows', whole(row_count)],
    ['Columns', whole(columns?.length ?? 0)],
    ['Trained', time(updated_at)],
    ['Training time', duration(training_seconds ?? 0)],
    ...(model.task === 'forecast' ? [] : ([['Effort', EFFORTS[model.effort]]] as const)),
    ['Checksum', <code key="checksum">{checksum}</code>, 'wide'],
    ...(source
      ? ([
          ['Database', source.database],
          ['Query', <code key="query">{source.query}</code>, 'wide'],
        ] as const)
      : []),
  ];
  return <Facts class="model-facts" facts={facts} />;
}

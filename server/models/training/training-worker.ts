import {
  type ClassificationModel,
  compareModels,
  decodeModel,
  describeModel,
  encodeModel,
  findErrors,
  findTypicalRow,
  furtherWords,
  type HeldOutRows,
  inspectModel,
  type Model,
  SeenRows,
  sampleBins,
  shownReading,
  summarizeValidation,
  type Table,
  TableDecoder,
  type Tested,
  train,
  verifyModel,
} from 'roster-prediction/training';
import { serveJobs } from '../../work/serve-jobs.js';
import type { Compared, ServingModel } from './promotion.js';
import type { TrainingJob, TrainingResult } from './trainings.js';

/**
 * Runs in a separate process: trains models, each from the parts of a table, and compares them with those that serve.
 * Writes the model, and then the rows that it was trained on, and the bins of a sample of them.
 */
await serveJobs<TrainingJob, number, TrainingResult>(async ({ serving, effort, maxTime }, parts, output) => {
  const claimed = performance.now();
  const decoder = new TableDecoder();
  for await (const part of parts) decoder.add(part);
  const begin = performance.now();
  const table = decoder.finish();
  let { heldOut, outcomes }: Tested = {};
  let isCutShort = false;
  const model = train(table, {
    effort,
    timeSpent: () => (performance.now() - claimed) / maxTime,
    onLate: () => {
      isCutShort = true;
    },
    onProgress: (part) => output.event(part),
    onHeldOut: (rows) => {
      heldOut = rows;
    },
    onBacktest: (ofSteps) => {
      outcomes = ofSteps;
    },
  });
  const typical = table.task === 'forecast' ? [] : findTypicalRow(table, model.columns);
  const trainingSeconds = Math.round(performance.now() - begin) / 1000;
  const artifact = encodeModel(model);
  verifyModel(artifact);
  output.data(artifact);
  if (table.task !== 'forecast' && model.task !== 'forecast') {
    output.data(SeenRows.of(table, model.columns).encode());
    output.data(sampleBins(table, model));
  }
  return {
    columns: model.columns.map(({ missing_words: words = [], ...column }, index) => {
      const further = furtherWords(words, table.missingWords?.words);
      return {
        ...column,
        reading: shownReading(column.reading),
        typical: typical[index] ?? null,
        ...(further.length > 0 && { missing_words: further }),
      };
    }),
    metrics: writeMetrics(model, table),
    errors: findErrors(table, model, { heldOut, outcomes, places: decoder.places }),
    targetReading: model.task === 'classification' ? null : shownReading(model.target_reading),
    classes: model.task === 'classification' ? writeClasses(model) : null,
    summary: isCutShort ? `${describeModel(model, table)} ${cutShort()}` : describeModel(model, table),
    findings: inspectModel(model, table),
    trainingSeconds,
    compared: serving && compare(serving, table, model, heldOut),
  };
});

function cutShort(): string {
  return 'The training took all of the time that it may take: with more, the model might be better.';
}

/** The metrics of the model and what is measured beside them, as the contract has them. */
function writeMetrics(model: Model, table: Table) {
  if (model.task === 'forecast') return model.metrics;
  const chosen = table.task === 'forecast' ? undefined : table.validation;
  const validation = summarizeValidation(chosen, table.rowCount);
  const metrics = model.task === 'classification' ? writeClassMetrics(model) : model.metrics;
  return { ...metrics, validation };
}

function writeClassMetrics({ metrics, ranking }: ClassificationModel) {
  const by_class = metrics.by_class.map((measured, index) => {
    const { auc = null, thresholds = null } = ranking?.by_class[index] ?? {};
    return { ...measured, auc, thresholds };
  });
  return { ...metrics, auc: ranking?.auc ?? null, by_class };
}

function compare(
  { version, artifact, seenRows }: ServingModel,
  table: Table,
  model: Model,
  heldOut: HeldOutRows | undefined,
): Compared {
  if (table.task === 'forecast' || model.task === 'forecast' || heldOut === undefined) {
    return { version, found: { why: 'task' } };
  }
  const other = decodeModel(artifact);
  return { version, found: compareModels(table, model, heldOut, other, seenRows ?? undefined) };
}

function writeClasses({ classes, row_count }: ClassificationModel) {
  return classes.map(({ name, rows, merged_count, merged }) => {
    return { name, rows, share: rows / row_count, merged_count, merged };
  });
}

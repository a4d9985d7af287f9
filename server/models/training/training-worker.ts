import {
  type ClassificationModel,
  describeModel,
  encodeModel,
  TableDecoder,
  train,
  verifyModel,
} from '../../../prediction/src/training.js';
import { serveJobs } from '../../work/serve-jobs.js';
import type { TrainingResult } from './trainings.js';

/** Runs in a process of its own: trains models, each from the parts of a table. */
await serveJobs<null, number, TrainingResult>(async (_, parts, output) => {
  const decoder = new TableDecoder();
  for await (const part of parts) decoder.add(part);
  const begin = performance.now();
  const model = train(decoder.finish(), { onProgress: (part) => output.event(part) });
  const trainingSeconds = Math.round(performance.now() - begin) / 1000;
  const artifact = encodeModel(model);
  verifyModel(artifact);
  output.data(artifact);
  return {
    columns: [...model.columns],
    metrics: model.metrics,
    classes: model.task === 'classification' ? classesOf(model) : null,
    summary: describeModel(model),
    trainingSeconds,
  };
});

function classesOf({ classes, row_count }: ClassificationModel) {
  return classes.map(({ name, rows, merged_count, merged }) => {
    return { name, rows, share: rows / row_count, merged_count, merged };
  });
}

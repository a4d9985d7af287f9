import { encodeModel, TableDecoder, train } from '../../prediction/src/training.js';
import { serveJobs } from './serve-jobs.js';
import type { TrainingResult } from './training-message.js';

/** Runs in a process of its own: trains models, each from the parts of a table. */
await serveJobs(async (_: null, parts, output): Promise<TrainingResult> => {
  const decoder = new TableDecoder();
  for await (const part of parts) decoder.add(part);
  const model = train(decoder.finish(), { onProgress: (part) => output.progress(part) });
  output.data(encodeModel(model));
  return { columns: [...model.columns], metrics: model.metrics };
});

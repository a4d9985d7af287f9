import { parentPort, workerData } from 'node:worker_threads';
import { decodeTable, encodeModel, train } from '../prediction/index.js';
import type { TrainingMessage } from './training-message.js';

/** A thread that trains one model from the table it is started with, and then ends. */
const post = (message: TrainingMessage) => parentPort?.postMessage(message);

const model = train(decodeTable(workerData), {
  onProgress: (progress) => post({ progress }),
});
post({
  trained: {
    columns: [...model.columns],
    metrics: model.metrics,
    artifact: encodeModel(model),
  },
});

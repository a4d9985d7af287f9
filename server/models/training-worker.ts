import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { encodeModel, type Table, TableDecoder, train } from '../prediction/training.js';
import { receiveBytes } from './byte-channel.js';
import type { TrainingMessage } from './training-message.js';

/** A thread that trains one model from the table that it is handed in parts, and then ends. */
const post = (message: TrainingMessage) => parentPort?.postMessage(message);

const model = train(await receiveTable(workerData), {
  onProgress: (progress) => post({ progress }),
});
post({
  trained: {
    columns: [...model.columns],
    metrics: model.metrics,
    artifact: encodeModel(model),
  },
});

async function receiveTable(parts: MessagePort): Promise<Table> {
  const decoder = new TableDecoder();
  for await (const part of receiveBytes(parts)) decoder.add(part);
  parts.close();
  return decoder.finish();
}

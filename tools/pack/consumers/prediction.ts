import { createPredictor, decodeModel, encodeModel, readRowsTable, train } from 'roster-prediction';

/** Trains, stores, loads and predicts without a service. */
export async function check(): Promise<void> {
  const rows = Array.from({ length: 60 }, (_, size) => ({ size, rent: 300 + 9 * size }));
  const bytes: Uint8Array = encodeModel(train(readRowsTable(rows, 'rent')));
  const [answer] = createPredictor(decodeModel(bytes)).predict([{ size: 30 }]);
  if (!answer || !('value' in answer) || Math.abs(answer.value - 570) > 100) {
    throw new Error(`The prediction is ${JSON.stringify(answer)}`);
  }
}

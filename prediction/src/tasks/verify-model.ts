import type { RowObject } from '../table/cells.js';
import { decodeModel, type Model, type RowModel } from './models.js';
import { createPredictor } from './predictors.js';

/**
 * Verifies that an encoded model can be read, and answers rows with finite numbers: one that has what the table had,
 * and one that has nothing. JSON has no infinity, and turns what overflowed in a training into null.
 *
 * @throws {Error} if the model cannot be served.
 */
export function verifyModel(bytes: Uint8Array): void {
  const model = decodeModel(bytes);
  const predictor = createPredictor(model);
  for (const options of [{}, { confidence: 0.99 }]) {
    for (const prediction of predictor.predict(knownRows(model), options)) {
      const numbers =
        'value' in prediction ? [prediction.value, prediction.min, prediction.max] : prediction.probabilities;
      if (!numbers.every(Number.isFinite)) {
        throw new Error(`The model answers a row with ${numbers.join(', ')}, not with finite numbers.`);
      }
    }
  }
}

function knownRows(model: Model): RowObject[] {
  if (model.task !== 'forecast') return [knownRow(model), {}];
  const count = Math.min(model.series.count, 10);
  return Array.from({ length: count }, (_, series) => {
    const texts = model.series.groups.texts(series);
    return Object.fromEntries(model.group_by.map((name, index) => [name, texts[index]]));
  });
}

/** A row of values that the table had in the columns. */
function knownRow({ columns }: RowModel): RowObject {
  const cells = columns.map(({ name, categories, max }) => [name, categories?.[0] ?? max] as const);
  return Object.fromEntries(cells);
}

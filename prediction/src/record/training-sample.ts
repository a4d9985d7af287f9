import { chooseFeatures } from '../promises/subject.js';
import { type BinnedModel, ObjectBlock, RowBinner } from '../rows/row-binner.js';
import type { RowTable } from '../table/table.js';
import { rowObject } from '../table/table.js';
import { seededRandom, shuffledRange } from '../trees/random.js';
import { finish } from '../trees/steps.js';
import { MAX_COMPARED } from './drift.js';

/*
 * The bytes of a sample: its version and the number of its columns, then column by column the bins of its rows, as
 * promises have them.
 */
const VERSION = 1;
const HEAD = 2;
const SEED = 1;

/** Rows that are binned together. */
const BLOCK = 256;

/** Bins a random sample of the rows that a model was trained on, which later rows are compared with. */
export function sampleBins(table: RowTable, model: BinnedModel): Uint8Array {
  const features = chooseFeatures(model);
  const rows = shuffledRange(table.rowCount, seededRandom(SEED)).subarray(0, MAX_COMPARED);
  const bytes = new Uint8Array(HEAD + features.length * rows.length);
  bytes.set([VERSION, features.length]);
  const binner = finish(RowBinner.create(model));
  const room = binner.room(BLOCK);
  for (let start = 0; start < rows.length; start += BLOCK) {
    const some = rows.subarray(start, start + BLOCK);
    new ObjectBlock(
      Array.from(some, (row) => rowObject(table, row)),
      binner,
    ).bin(room);
    for (const [place, feature] of features.entries()) {
      const bins = room.bins.subarray(feature * some.length, (feature + 1) * some.length);
      bytes.set(bins, HEAD + place * rows.length + start);
    }
  }
  return bytes;
}

/**
 * Returns the bins of a sample by column; undefined if it has not as many columns as are looked for.
 *
 * @param bytes as `sampleBins` wrote them.
 */
export function decodeSample(bytes: Uint8Array, columns: number): Uint8Array[] | undefined {
  if (bytes[0] !== VERSION || bytes[1] !== columns || columns === 0) return undefined;
  const rows = Math.floor((bytes.length - HEAD) / columns);
  return Array.from({ length: columns }, (_, column) =>
    bytes.subarray(HEAD + column * rows, HEAD + (column + 1) * rows),
  );
}

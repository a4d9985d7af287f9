import type { PromiseSubject, RememberedPart } from 'roster-prediction/predicting';

const subject: PromiseSubject = {
  target: 'price',
  task: 'regression',
  reading: null,
  classes: [],
  columns: [],
  calibration: null,
  calibrated_rows: 0,
};

/** The bytes of a batch of one row, whose interval is 1 to 3 around a value. */
function encodeRow(value: number): Uint8Array {
  const promises = Buffer.alloc(16 + 4 * 10);
  promises.writeUInt8(2, 0);
  promises.writeUInt8(1, 1);
  promises.writeUInt32LE(1, 4);
  for (const [at, number] of [value, 1, 3, 0.9].entries()) promises.writeDoubleLE(number, 18 + 10 * at);
  return promises;
}

/** Returns a batch of one row, whose interval is 1 to 3. */
export function onePromise(first = 0, { id, value = 2 }: { id?: number; value?: number } = {}): RememberedPart {
  const ids = id === undefined ? null : new Uint8Array(Float64Array.of(id).buffer);
  return { kind: 'promises', first, rows: 1, promises: encodeRow(value), ids, subject, hasNext: false };
}

import { tableFromIPC } from 'apache-arrow';
import { expect, test } from 'vitest';
import { arrowStream } from './made-arrow.js';

test('columns of a made Arrow stream may share their bytes', () => {
  const body = Buffer.alloc(16);
  body.writeInt32LE(5, 4);
  body.write('north', 8);
  const none = { start: 0, length: 0 };
  const buffers = [none, { start: 0, length: 8 }, { start: 8, length: 5 }] as const;
  const stream = arrowStream(['a', 'b'], [{ rows: 1, buffers: [buffers, buffers], body }]);
  expect(tableFromIPC(stream).toArray().map(String)).toEqual(['{"a": "north", "b": "north"}']);
});

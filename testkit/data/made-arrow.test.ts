import { gunzipSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { arrowStream } from './made-arrow.js';
import {
  BODY_START,
  Codec,
  Encoding,
  oneRun,
  Physical,
  page,
  parquetFile,
  plainDoubles,
  plainTexts,
} from './made-parquet.js';

test('a made Parquet file whose chunks are true is read by another reader', async () => {
  const names = Buffer.concat([
    page({ kind: 'dictionary', codec: Codec.Gzip, count: 1, values: plainTexts(['north']) }),
    page({ codec: Codec.Gzip, encoding: Encoding.Dictionary, count: 3, values: oneRun(0, 3) }),
  ]);
  const numbers = page({ count: 3, values: plainDoubles([1, 2.5, -3]) });
  const file = parquetFile(
    [
      { name: 'side', physical: Physical.Bytes },
      { name: 'x', physical: Physical.Double },
    ],
    [
      {
        rows: 3,
        chunks: [
          { codec: Codec.Gzip, start: BODY_START, length: names.length, hasDictionary: true },
          { codec: Codec.None, start: BODY_START + names.length, length: numbers.length },
        ],
      },
    ],
    [names, numbers],
  );
  const compressors = { GZIP: (bytes: Uint8Array) => new Uint8Array(gunzipSync(bytes)) };
  expect(await parquetReadObjects({ file: new Uint8Array(file).buffer, compressors })).toEqual([
    { side: 'north', x: 1 },
    { side: 'north', x: 2.5 },
    { side: 'north', x: -3 },
  ]);
});

test('columns of a made Arrow stream may share their bytes', () => {
  const body = Buffer.alloc(16);
  body.writeInt32LE(5, 4);
  body.write('north', 8);
  const none = { start: 0, length: 0 };
  const buffers = [none, { start: 0, length: 8 }, { start: 8, length: 5 }] as const;
  const stream = arrowStream(['a', 'b'], [{ rows: 1, buffers: [buffers, buffers], body }]);
  expect(tableFromIPC(stream).toArray().map(String)).toEqual(['{"a": "north", "b": "north"}']);
});

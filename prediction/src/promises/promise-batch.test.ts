import { expect, test } from 'vitest';
import { seededRandom } from '../trees/random.js';
import { decodePromises, encodePromises } from './promise-batch.js';

const random = seededRandom(1);
const column = (valueAt: (row: number) => number) => Float64Array.from({ length: 100 }, (_, row) => valueAt(row));

const COLUMNS = {
  'whole numbers of a byte': column((row) => row - 50),
  'whole numbers of two bytes': column((row) => 300 * (row - 50)),
  'whole numbers of four bytes': column((row) => 20_000_000 * (row - 50)),
  decimals: column(() => Math.round((random() - 0.5) * 1e8) / 1e4),
  'equal numbers': column(() => 0.1 + 0.2),
  'numbers of many digits': column(() => random() - 0.5),
  'large and small numbers': column((row) => (row % 2 === 0 ? 1e300 : 1e-300)),
  'one number that is no decimal': column((row) => (row === 99 ? Math.PI : row)),
};

test('promises are read to the bit as they were written, in as few bytes as their numbers need', () => {
  const sizes = Object.entries(COLUMNS).map(([name, values]) => {
    const promised = { kind: 'interval', values, lower: values, upper: values } as const;
    const bytes = encodePromises({ rows: 100, bins: [], promised }, values);
    const read = decodePromises(bytes);
    if (read.promised.kind !== 'interval') throw new Error('These are intervals');
    for (const part of [read.promised.values, read.promised.lower, read.promised.upper]) {
      expect(part).toEqual(values);
    }
    expect(column(read.level)).toEqual(values);
    return [name, (bytes.length - 16) / 4 - 2];
  });
  expect(Object.fromEntries(sizes)).toEqual({
    'whole numbers of a byte': 100,
    'whole numbers of two bytes': 200,
    'whole numbers of four bytes': 400,
    decimals: 400,
    'equal numbers': 8,
    'numbers of many digits': 800,
    'large and small numbers': 800,
    'one number that is no decimal': 800,
  });
});

test('a batch that is cut, or of another form, is refused', () => {
  const values = column((row) => row);
  const promised = { kind: 'interval', values, lower: values, upper: values } as const;
  const bytes = encodePromises({ rows: 100, bins: [], promised }, values);
  expect(() => decodePromises(bytes.subarray(0, 10))).toThrow('damaged');
  expect(() => decodePromises(Uint8Array.of(1, ...bytes.subarray(1)))).toThrow('another release');
  expect(() => decodePromises(Buffer.concat([bytes, bytes]))).toThrow('length');
});

import {
  Bool,
  Dictionary,
  Field,
  Float64,
  Int32,
  List,
  RecordBatchStreamWriter,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ArrowValues, readArrowColumns } from './read-columns.js';

const TYPES = {
  before: new Utf8(),
  number: new Float64(),
  flag: new Bool(),
  class: new Dictionary(new Utf8(), new Int32()),
  text: new Utf8(),
  set: new List(new Field('item', new Utf8(), true)),
};

const text = fc.string({ unit: 'grapheme', maxLength: 6 });
const row = fc.record({
  before: fc.option(text),
  number: fc.option(fc.double({ noNaN: true })),
  flag: fc.option(fc.boolean()),
  class: fc.option(fc.constantFrom('a', 'b', 'a long name of a class')),
  text: fc.option(text),
  set: fc.option(fc.array(text, { maxLength: 3 })),
});

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function* valuesOf(column: ArrowValues | undefined): Generator<unknown> {
  if (column?.kind !== 'numbers') return yield* column?.values ?? [];
  const { values, validity } = column;
  for (const [row, value] of values.entries()) {
    yield validity && (((validity[row >> 3] ?? 0) >> (row & 7)) & 1) === 0 ? null : value;
  }
}

test('the chosen columns of a stream are read, and others passed over', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 500 }),
      async (rows, size) => {
        const names = ['before', 'number', 'flag', 'class', 'text', 'set'] as const;
        const vectors = names.map((name) => [
          name,
          vectorFromArray(
            rows.map((each) => each[name]),
            TYPES[name],
          ),
        ]);
        const bytes = RecordBatchStreamWriter.writeAll(new Table(Object.fromEntries(vectors))).toUint8Array(true);
        const chosen = [1, 2, 3, 4, 5];
        const found = chosen.map((): unknown[] => []);
        for await (const { columns } of readArrowColumns(inPieces(bytes, size), () => chosen)) {
          for (const [place, values] of found.entries()) values.push(...valuesOf(columns[place]));
        }
        expect(found).toEqual(chosen.map((place) => rows.map((each) => each[names[place] ?? 'text'])));
      },
    ),
    { numRuns: 60 },
  );
});

test('a stream that ends early is refused', async () => {
  const table = new Table({ number: vectorFromArray([1, 2, 3], new Float64()) });
  const bytes = RecordBatchStreamWriter.writeAll(table).toUint8Array(true);
  const read = async () => {
    for await (const _ of readArrowColumns(inPieces(bytes.subarray(0, bytes.length - 40), 64), () => [0]));
  };
  await expect(read()).rejects.toThrow('The Arrow data ends');
});

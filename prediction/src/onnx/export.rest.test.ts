import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OnnxFile, readOnnx } from '../../../testkit/prediction/onnx-file.js';
import { makeRows, QUICK, type Row } from '../../../testkit/prediction/sample-tables.js';
import { exportOnnx, type RegressionModel, readRowsTable, train } from '../index.js';
import { finish } from '../trees/steps.js';
import { Message } from './protobuf.js';

const FACTS = { name: 'prices', version: 3, checksum: 'c0ffee' };

function exported(rows: readonly Row[], target = 'y'): OnnxFile {
  const model = train(readRowsTable(rows, target), QUICK);
  if (model.task === 'forecast') throw new Error('The model is of another task.');
  return readOnnx(Buffer.concat(finish(exportOnnx(model, FACTS))));
}

const mixedRows = makeRows(200, (random, index) => ({
  x: random(),
  place: ['centre', 'north', 'NA', 'True'][index % 4],
  day: new Date(Date.UTC(2023, index % 24, 1 + (index % 28))).toISOString(),
  y: index % 7,
}));

/** Names of columns that the graph reserves, and that are not text in UTF-8. */
const HOSTILE = ['value', 'confidence', 'column value', 'roster/1', 'a\ud800', '__proto__', ' '];

describe('a file', () => {
  test('has an input for each column that the model uses, and says what each is', () => {
    const file = exported(mixedRows);
    expect(file.inputs).toEqual(['x', 'place', 'day', 'confidence']);
    expect(file.outputs).toEqual(['value', 'lower', 'upper', 'level']);
    expect(JSON.parse(file.metadata.get('columns') ?? '')).toEqual([
      { name: 'x', input: 'x', kind: 'number', unit: null },
      { name: 'place', input: 'place', kind: 'category', unit: null },
      { name: 'day', input: 'day', kind: 'date', unit: null },
    ]);
    const { model, version, checksum, task, target, unit } = Object.fromEntries(file.metadata);
    expect({ model, version, checksum }).toEqual({ model: 'prices', version: '3', checksum: 'c0ffee' });
    expect({ task, target, unit }).toEqual({ task: 'regression', target: 'y', unit: '' });
    const coverage = JSON.parse(file.metadata.get('coverage') ?? '');
    expect(coverage).toMatchObject({ confidence: 0.9, rows: expect.any(Number) });
  });

  test('of classes names them', () => {
    const rows = mixedRows.map((row) => ({ ...row, y: Number(row['x']) > 0.5 ? 'yes' : 'no' }));
    const file = exported(rows);
    expect(file.outputs).toEqual(['class', 'probability', 'probabilities', 'set']);
    expect(JSON.parse(file.metadata.get('classes') ?? '').toSorted()).toEqual(['no', 'yes']);
  });

  test('defines each value once, before its use, and nothing that is not used', () => {
    const { inputs, outputs, initializers, nodes } = exported(mixedRows);
    const known = new Set([...inputs, ...initializers]);
    expect(known.size).toBe(inputs.length + initializers.length);
    const used = new Set<string>();
    for (const node of nodes) {
      for (const input of node.inputs) {
        expect(known, node.operator).toContain(input);
        used.add(input);
      }
      for (const output of node.outputs) {
        expect(known).not.toContain(output);
        known.add(output);
      }
    }
    const unused = [...known].filter((name) => !used.has(name) && !outputs.includes(name));
    expect(unused).toEqual([]);
  });

  test('gives columns of any name inputs that are distinguished', () => {
    const names = HOSTILE.filter((name) => name.trim() !== '');
    const rows = makeRows(100, (random) => {
      const cells = names.map((name) => [name, random()] as const);
      return Object.fromEntries([...cells, ['y', random()]]);
    });
    const { inputs, initializers, nodes, metadata } = exported(rows);
    const columns: { name: string; input: string }[] = JSON.parse(metadata.get('columns') ?? '');
    expect(columns.map(({ input }) => input)).toEqual(inputs.slice(0, -1));
    const all = [...inputs, ...initializers, ...nodes.flatMap(({ outputs }) => outputs)];
    expect(new Set(all).size).toBe(all.length);
  });

  test('is not made of a model that learnt from no column', () => {
    const model = train(readRowsTable(mixedRows, 'y'), QUICK);
    if (model.task !== 'regression') throw new Error('The model is of another task.');
    const empty: RegressionModel = { ...model, features: [] };
    expect(() => finish(exportOnnx(empty, FACTS))).toThrow(RangeError);
  });

  test('is the same of the same model', () => {
    const model = train(readRowsTable(mixedRows, 'y'), QUICK);
    if (model.task === 'forecast') throw new Error('The model is of another task.');
    const [one, other] = [model, model].map((each) => finish(exportOnnx(each, FACTS)));
    expect(one).toEqual(other);
  });
});

test('whole numbers of any size are written as varints', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      const bytes = Buffer.concat(new Message().int(5, value).parts);
      let read = 0n;
      for (const [at, byte] of bytes.subarray(1).entries()) {
        read += BigInt(byte & 127) << BigInt(7 * at);
      }
      expect(bytes[0]).toBe(40);
      expect(read).toBe(BigInt(value));
    }),
  );
});

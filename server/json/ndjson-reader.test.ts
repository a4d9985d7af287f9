import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineFault, NdjsonReader } from './ndjson-reader.js';

/** Reads several pieces in order. */
function read(...pieces: (string | Buffer)[]): unknown[] {
  const lines = new NdjsonReader();
  const blocks = pieces.flatMap((piece) => [...lines.read(Buffer.from(piece))]);
  return [...blocks, ...lines.end()].flat();
}

/** Matches a fault on a line, with any detail. */
const fault = (line: number) => expect.objectContaining({ line, detail: expect.any(String) });

/** Cuts bytes at the given positions, which may repeat or lie beyond the end. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length];
  return ends
    .toSorted((a, b) => a - b)
    .map((end, at, sorted) => bytes.subarray(sorted[at - 1] ?? 0, end));
}

describe('lines of JSON', () => {
  test('are the values that were written, however they arrive', () => {
    const places = fc.array(fc.nat());
    const end = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n');
    const values = fc.array(fc.tuple(fc.jsonValue({ maxDepth: 4 }), end));
    fc.assert(
      fc.property(values, places, fc.boolean(), (written, at, hasBom) => {
        const text = written.map(([value, end]) => JSON.stringify(value) + end).join('');
        const bytes = Buffer.from((hasBom ? '\uFEFF' : '') + text);
        // Lines need not preserve differences that JSON does not, such as 0 and -0.
        const expected = written.map(([value]) => JSON.parse(JSON.stringify(value)));
        expect(read(...cut(bytes, at))).toEqual(expected);
      }),
    );
  });

  test('are faults one by one, for any bytes, and do not affect the others', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).filter((line) => !line.includes(0x0a));
    fc.assert(
      fc.property(fc.array(bytes), fc.array(fc.nat()), (hostile, at) => {
        const lines = hostile.flatMap((line) => [...line, 0x0a, ...Buffer.from('7\n')]);
        const values = read(...cut(Buffer.from(lines), at));
        // Each is a fault, a blank line, or a value by chance.
        expect(values.filter((value) => value === 7).length).toBeGreaterThanOrEqual(hostile.length);
        for (const value of values) {
          if (value instanceof LineFault) expect(value.line % 2).toBe(1);
        }
      }),
    );
  });

  test('need no line end at the end', () => {
    expect(read('1\n2')).toEqual([1, 2]);
    expect(read('1\n2\n')).toEqual([1, 2]);
    expect(read('1\n  ')).toEqual([1]);
    expect(read('')).toEqual([]);
  });

  test('are counted, including blank lines and faults', () => {
    expect(read('\n{\n\r\n{}\nx\n[')).toEqual([fault(2), {}, fault(5), fault(6)]);
  });

  test('may begin with a BOM, but only the first', () => {
    expect(read('\uFEFF1\n2')).toEqual([1, 2]);
    expect(read('1\n\uFEFF2')).toEqual([1, fault(2)]);
  });

  test.each([
    ['that breaks off', '{"carat":', 'is not valid JSON'],
    ['with two values', '{}{}', 'is not valid JSON'],
    ['of no JSON', "{'carat':0.7}", 'is not valid JSON'],
    ['that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'is not UTF-8'],
    ['with half of a surrogate pair', Buffer.from('22eda08022', 'hex'), 'is not UTF-8'],
    ['that nests 101 levels deep', '['.repeat(101) + ']'.repeat(101), 'nests deeper than 100'],
    ['that nests 9,000 levels deep', '['.repeat(9e3) + ']'.repeat(9e3), 'nests deeper'],
    ['that opens 9,000 levels', '['.repeat(9e3), 'is not valid JSON'],
    ['of more than 10,000 values', JSON.stringify(Array(10_001).fill(0)), 'more than 10000 values'],
    ['of 100,000 names', `{${[...Array(1e5).keys()].map((n) => `"${n}":0`)}}`, 'more than 10000'],
    ['of more than 1 MiB', `"${'x'.repeat(2 ** 20 - 1)}"`, 'has more than 1048576 bytes'],
  ])('%s yield a fault in their place', (_what, line, words) => {
    const bytes = Buffer.concat(['1\n', line, '\n3'].map((part) => Buffer.from(part)));
    for (const pieces of [[bytes], cut(bytes, [1, 3, 2 ** 20, 2 ** 20 + 1, bytes.length - 2])]) {
      const values = read(...pieces);
      expect(values).toEqual([1, fault(2), 3]);
      expect(values[1]).toMatchObject({ detail: expect.stringContaining(words) });
    }
  });

  test('have up to 10,000 values, for any texts', () => {
    const many = Array(9_999).fill('a, "text" of [many] {commas} and \\');
    expect(read(JSON.stringify(many))).toEqual([many]);
    const long = '"],'.repeat(200_000);
    expect(read(JSON.stringify(long))).toEqual([long]);
  });

  test('have up to 1 MiB and 100 levels', () => {
    const long = 'x'.repeat(2 ** 20 - 2);
    const deep = JSON.parse('['.repeat(100) + ']'.repeat(100));
    expect(read(`"${long}"\n${JSON.stringify(deep)}`)).toEqual([long, deep]);
  });
});

describe('a block', () => {
  test('has the lines that have arrived, at most 256', () => {
    const lines = new NdjsonReader();
    expect([...lines.read(Buffer.from('1\n2\n3'))]).toEqual([[1, 2]]);
    expect([...lines.read(Buffer.from('\n'))]).toEqual([[3]]);
    const blocks = [...lines.read(Buffer.from('4\n'.repeat(600)))];
    expect(blocks.map(({ length }) => length)).toEqual([256, 256, 88]);
  });

  test('has few lines if they are long', () => {
    const line = `"${'x'.repeat(30_000)}"\n`;
    const blocks = [...new NdjsonReader().read(Buffer.from(line.repeat(6)))];
    expect(blocks.map(({ length }) => length)).toEqual([2, 2, 2]);
  });
});

test('a line that is too long is not held in memory', () => {
  const lines = new NdjsonReader();
  const piece = Buffer.alloc(64 * 1024, 'x');
  const faults: unknown[] = [];
  const before = process.memoryUsage().arrayBuffers;
  for (let pieces = 0; pieces < 4096; pieces += 1) faults.push(...[...lines.read(piece)].flat());
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  expect(faults).toEqual([fault(1)]);
  expect([...lines.read(Buffer.from('x\n2\n'))]).toEqual([[2]]);
});

test('a line that arrives byte by byte takes little more memory than its size', () => {
  const lines = new NdjsonReader();
  const byte = Buffer.from('7');
  const before = process.memoryUsage().arrayBuffers;
  let blocks = 0;
  for (let bytes = 0; bytes < 1e6; bytes += 1) blocks += [...lines.read(byte)].length;
  expect(blocks).toBe(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
});

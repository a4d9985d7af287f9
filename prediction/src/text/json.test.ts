import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfString, MAX_NESTING, nestsDeeperThan, skipBlanks, ValueScan } from './json.js';

const blank = fc.constantFrom('', '', ' ', '\n\t ', '\r\n');
const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '],}', 'ü\ud83d\ude00', '\u2028\\'));
/** JSON values with blanks between all that may have them. */
const { json } = fc.letrec<{ json: string }>((tie) => {
  const spaced = fc.tuple(blank, tie('json'), blank).map((parts) => parts.join(''));
  const member = fc
    .tuple(blank, text, blank, spaced)
    .map(([before, key, after, value]) => `${before}${JSON.stringify(key)}${after}:${value}`);
  const part = { depthSize: 'small', withCrossShrink: true } as const;
  return {
    json: fc.oneof(
      part,
      fc
        .oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null))
        .map((value) => JSON.stringify(value)),
      fc.tuple(blank, fc.array(spaced)).map(([within, items]) => `[${items.join() || within}]`),
      fc.tuple(blank, fc.array(member)).map(([within, members]) => `{${members.join() || within}}`),
    ),
  };
});

/** Returns what a scan counts, from the parsed value; a member whose name comes twice is lost in it. */
function countIn(value: unknown): { values: number; parts: number } {
  const sum = { values: 1, parts: 0 };
  if (typeof value !== 'object' || value === null) return sum;
  sum.parts = 1;
  for (const child of Object.values(value)) {
    const { values, parts } = countIn(child);
    sum.values += values;
    sum.parts += parts + (Array.isArray(value) ? 0 : 1);
  }
  return sum;
}

describe('a scan of JSON', () => {
  test('finds the end of each value of an array, as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.array(json), (values) => {
        const bytes = Buffer.from(`[${values.join()}]`);
        const found: unknown[] = [];
        for (let at = 1; at < bytes.length - 1; ) {
          const end = new ValueScan(1).skip(bytes, at, bytes.length);
          found.push(JSON.parse(bytes.toString('utf8', at, end)));
          at = end + 1;
        }
        expect(found).toEqual(values.map((value) => JSON.parse(value)));
      }),
    );
  });

  test('finds the same ends in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(json), fc.integer({ min: 1, max: 9 }), (values, size) => {
        const bytes = Buffer.from(`${values.join()}]`);
        const whole = new ValueScan(1);
        const inPieces = new ValueScan(1);
        const expected: number[] = [];
        for (let at = 0; at < bytes.length; at++) {
          at = whole.skip(bytes, at, bytes.length);
          expected.push(at);
        }
        const ends: number[] = [];
        for (let start = 0; start < bytes.length; start += size) {
          const piece = bytes.subarray(start, start + size);
          for (let at = 0; ; at++) {
            at = inPieces.skip(piece, at, piece.length);
            if (at >= piece.length) break;
            ends.push(start + at);
          }
        }
        expect(ends).toEqual(expected);
      }),
    );
  });

  test('counts the values, arrays, objects and members of a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), blank, (value, space) => {
        const bytes = Buffer.from(JSON.stringify(value, undefined, space) ?? '');
        const scan = new ValueScan(0);
        expect(scan.skip(bytes, 0, bytes.length)).toBe(bytes.length);
        const { values, parts } = scan;
        expect({ values, parts }).toEqual(countIn(value));
      }),
    );
  });

  test('stops where a limit is exceeded', () => {
    const stop = (text: string, limits?: { values: number; parts: number }) => {
      const scan = new ValueScan(0, limits);
      return { at: scan.skip(Buffer.from(text), 0, text.length), excess: scan.excess };
    };
    expect(stop('['.repeat(200))).toEqual({ at: MAX_NESTING, excess: 'nesting' });
    expect(stop('[1,2,3]', { values: 3, parts: 9 })).toEqual({ at: 4, excess: 'values' });
    expect(stop('{"a":{}}', { values: 9, parts: 2 })).toEqual({ at: 5, excess: 'parts' });
    expect(stop('[1,2]', { values: 3, parts: 1 })).toEqual({ at: 5, excess: undefined });
  });

  test('finds the end of a string, or says that it goes on', () => {
    fc.assert(
      fc.property(text, (value) => {
        const bytes = Buffer.from(`${JSON.stringify(value)} "`);
        expect(endOfString(bytes, 1, bytes.length)).toBe(bytes.length - 2);
      }),
    );
    expect(endOfString(Buffer.from('abc'), 0, 3)).toBe(4);
    expect(endOfString(Buffer.from('ab\\'), 0, 3)).toBe(5);
  });

  test('passes over the blanks of JSON alone', () => {
    const bytes = Buffer.from(' \t\r\n\u00a0');
    expect(skipBlanks(bytes, 0, bytes.length)).toBe(4);
    expect(skipBlanks(bytes, 0, 3)).toBe(3);
  });
});

test('a value nests as deep as its arrays and objects do', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const levels = (part: unknown): number =>
        typeof part === 'object' && part !== null ? 1 + Math.max(0, ...Object.values(part).map(levels)) : 0;
      expect(nestsDeeperThan(levels(value), value)).toBe(false);
      if (levels(value) > 0) expect(nestsDeeperThan(levels(value) - 1, value)).toBe(true);
    }),
  );
});

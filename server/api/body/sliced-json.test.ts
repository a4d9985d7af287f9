import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProblemError } from '../../problems/problem.js';
import { parseSliced, type RowsPlace } from './sliced-json.js';

const PLACE: RowsPlace = { member: 'data', maxRows: 100_000 };

/** The result for a body, and the number of pauses. */
interface Outcome {
  text?: string | undefined;
  malformed?: string;
  beyond?: object;
  pauses: number;
}

async function parse(text: string | Buffer): Promise<Outcome> {
  let pauses = 0;
  const bytes = Buffer.from(text);
  const outcome: Omit<Outcome, 'pauses'> = await parseSliced(bytes, PLACE, async () => {
    pauses++;
  }).then(
    (value) => ({ text: JSON.stringify(value) }),
    (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      if (error.type === '/problems/malformed-body') return { malformed: error.detail };
      expect(error.type).toBe('/problems/invalid-request');
      return { beyond: error.members };
    },
  );
  return { ...outcome, pauses };
}

function plain(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** JSON with various white space, sometimes so large that it is split. */
const blank = fc.constantFrom('', '', ' ', '\n\t');
const large = fc.constantFrom(`"${'ü'.repeat(40_000)}"`, `[${'[],'.repeat(1500).slice(0, -1)}]`);
const value = fc.oneof(
  { weight: 9, arbitrary: fc.json() },
  { weight: 1, arbitrary: large },
  { weight: 1, arbitrary: fc.constantFrom('"\\u005d,\\""', '"[{\\\\"', '1e400', '{"__proto__":[]}') },
);
const list = fc
  .array(fc.tuple(blank, value, blank).map((parts) => parts.join('')))
  .map((values) => `[${values.join()}]`);
const key = fc.constantFrom('data', 'data', 'params', 'd\\u0061ta', '__proto__', '', 'x,]}');
const member = fc
  .tuple(blank, key, blank, blank, fc.oneof(list, fc.json()), blank)
  .map(([a, key, b, c, value, d]) => `${a}"${key}"${b}:${c}${value}${d}`);
const object = fc.array(member, { maxLength: 4 }).map((members) => `{${members.join()}}`);
const body = fc.tuple(blank, fc.oneof(list, object), blank).map((parts) => parts.join(''));

describe('a body in slices', () => {
  test('is parsed as by JSON.parse, for any formatting', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        expect(await parse(text)).toMatchObject({ text: plain(text) });
      }),
      { numRuns: 300 },
    );
  });

  test('is refused if JSON.parse refuses it, wherever a character is wrong', async () => {
    const wrong = fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', 'x', '0', ' ', '\\', ',,');
    const broken = fc.tuple(body, fc.nat(), fc.nat(2), wrong).map(([text, at, length, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + length);
    });
    await fc.assert(
      fc.asyncProperty(broken, async (text) => {
        const expected = plain(text);
        const { text: parsed, malformed, beyond } = await parse(text);
        expect(beyond).toBeUndefined();
        expect(parsed).toBe(expected);
        expect(malformed === undefined).toBe(expected !== undefined);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['[1 2]', "Expected ',' or ']'"],
    ['[1,]', 'Unexpected token'],
    ['[1,,2]', 'Unexpected token'],
    ['[1', "Expected ',' or ']'"],
    ['[1}', "Expected ',' or ']'"],
    ['["a', 'Unterminated string'],
    ['{"data":[1],}', 'double-quoted property name'],
    ['{"data":[1] "params":1}', "Expected ',' or '}'"],
  ])('that is %s is refused with the reason', async (text, reason) => {
    expect((await parse(text)).malformed).toContain(reason);
  });

  test('reports the position of a fault in the whole body', async () => {
    const rows = `${'{"ü":1},'.repeat(20_000)}`;
    const place = (text: string) => /at position (\d+)/.exec(text)?.[1];
    const faulty = [`[${rows}{"a":1 "b":2}]`, `[${rows}1] x`, ` {"ü":1,"data":[${rows}1,2 3]}`];
    for (const text of faulty) {
      const { malformed = '' } = await parse(text);
      expect(place(malformed)).toBe(place(faultOf(text)));
    }
  });

  test('that is not UTF-8 is refused', async () => {
    const { malformed } = await parse(Buffer.from('["caf\xe9"]', 'latin1'));
    expect(malformed).toContain('The body is not UTF-8.');
  });

  test.each([
    ['empty arrays', '[]', 3 * 4096],
    ['short rows', '{"a":1,"b":"c"}', 64 * 1024 + 1024],
    ['numbers', '0', 2 * 4096],
  ])('of %s is parsed with a pause after each slice', async (_what, row, maxBytes) => {
    const text = `[${Array(90_000).fill(row).join()}]`;
    const { pauses } = await parse(text);
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(text.length / maxBytes));
  });
});

describe('a body beyond its bounds', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const tooDeep = ['', 'must not nest deeper than 100 levels'];

  test.each([
    ['nests 100 levels', deep(100), undefined],
    ['nests 101 levels', deep(101), tooDeep],
    ['nests 10,000 levels', deep(10_000), tooDeep],
    ['nests 100 levels under data', `{"data":${deep(99)}}`, undefined],
    ['nests 101 levels under data', `{"data":${deep(100)}}`, tooDeep],
    ['nests too deep outside its rows', `{"data":[],"params":${deep(100)}}`, tooDeep],
    ['has 10,000 values in a row', `[0,[${'0,'.repeat(9998)}0]]`, undefined],
    ['has more values in a row', `[0,[${'0,'.repeat(9999)}0]]`, ['/1', 'must hold at most 10000 values']],
    [
      'has 100,000 columns in a row',
      `{"data":[{${Array.from({ length: 100_000 }, (_, n) => `"c${n}":1`).join()}}]}`,
      ['/data/0', 'must hold at most 10000 values'],
    ],
    ['has a cell of 10 MB', `[{"a":1},{"a":"${'x'.repeat(10_000_000)}"}]`, ['/1', 'must have at most 1048576 bytes']],
    [
      'has no rows, and is large',
      `{"rows":[${'0,'.repeat(600_000)}0]}`,
      ['', 'must have at most 1048576 bytes, its rows apart'],
    ],
    [
      'has many bytes outside its rows',
      `{"data":[],"params":[${'[],'.repeat(60_000)}0]}`,
      ['', 'must hold at most 10000 arrays, objects and members, its rows apart'],
    ],
    [
      'has many values outside its rows',
      `{"data":[],"a":[${'0,'.repeat(60_000)}0],"b":[${'0,'.repeat(60_000)}0]}`,
      ['', 'must hold at most 100000 values, its rows apart'],
    ],
    ['is blank without end', ' '.repeat(3_000_000), ['', 'must have at most 1048576 bytes, its rows apart']],
    ['has too many rows', `[${'[],'.repeat(3_000_000)}0]`, ['', 'must have at most 100000 items']],
    [
      'has too many values in total',
      `[${`[${'0,'.repeat(9000)}0],`.repeat(600)}0]`,
      ['', 'must hold at most 5000000 values'],
    ],
  ])('that %s is refused with the reason', async (_what, text, beyond) => {
    const outcome = await parse(text);
    const [path, message] = beyond ?? [];
    expect(outcome.beyond).toEqual(beyond && { errors: [{ pointer: `/body${path}`, message }] });
  });
});

function faultOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch (error) {
    return String(error);
  }
}

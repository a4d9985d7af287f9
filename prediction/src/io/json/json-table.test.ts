import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catchFaults, csvStream, readRows } from '../../../../testkit/prediction/sample-tables.js';
import { JsonShapeError, MalformedJsonError, readTable } from '../../index.js';

const rows = Array.from({ length: 60 }, (_, index) => ({
  'a "b"\\': `[${index % 3}],{"}`,
  '🏠\n': index % 2 ? ' é ' : null,
  deep: { in: [[index]] },
  y: index,
}));
const text = JSON.stringify(rows);

function read(json: string, chunk?: number) {
  return readTable('json', csvStream(json, chunk), 'y');
}

describe('a JSON table', () => {
  test('is the same as its rows, however it is written and cut into chunks', async () => {
    const expected = readRows(rows, 'y');
    for (const size of [1, 2, 3, 7, 1000, 1_000_000]) {
      expect(await read(text, size)).toEqual(expected);
      expect(await read(` \r\n\t${JSON.stringify(rows, null, 2)}\n`, size)).toEqual(expected);
    }
  });

  test('is read as JSON.parse reads it, or refused as it refuses it', async () => {
    const element = fc.oneof(
      fc.json(),
      fc.constantFrom('', ' ', '{"a":1', '"', '\\"', ']', '}', '{]', '1 2', '[', '01', 'NaN'),
    );
    const body = fc
      .array(element, { maxLength: 4 })
      .map((elements) => `[${[...elements, ...rows.map((row) => JSON.stringify(row))].join()}]`);
    await fc.assert(
      fc.asyncProperty(body, fc.integer({ min: 1, max: 50 }), async (json, size) => {
        const given = await outcome(() => read(json, size));
        expect(given).toEqual(await outcome(() => readRows(parsed(json), 'y')));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['that breaks off', text.slice(0, -1)],
    ['that breaks off in a string', text.slice(0, 8)],
    ['that goes on', `${text}]`],
    ['that goes on with another', `${text}${text}`],
    ['that ends as an object', `${text.slice(0, -1)}}`],
    ['with a comma at its end', `${text.slice(0, -1)},]`],
    ['with a byte order mark', `\uFEFF${text}`],
    ['with a control character in a text', text.replace('é', '\u0001')],
  ])('%s is malformed', async (_what, json) => {
    await expect(read(json)).rejects.toThrow(MalformedJsonError);
  });

  test('that is not UTF-8 is malformed', async () => {
    const latin1 = Buffer.from(text.replaceAll('🏠', 'Z'), 'latin1');
    async function* chunks() {
      yield latin1;
    }
    await expect(readTable('json', chunks(), 'y')).rejects.toThrow('not UTF-8');
  });

  test.each(['', ' ', '{}', '{"data":[]}', '7', '-1', '"text"', 'null', 'true'])(
    'is an array, not %j',
    async (json) => {
      await expect(read(json)).rejects.toThrow(new JsonShapeError('must be an array'));
    },
  );

  test('nests a hundred levels at most', async () => {
    const nested = (levels: number) =>
      `${text.slice(0, -1)},{"x":1,"y":1,"z":${'['.repeat(levels)}${']'.repeat(levels)}}]`;
    await read(nested(98));
    const tooDeep = new JsonShapeError('must not nest deeper than 100 levels');
    await expect(read(nested(99))).rejects.toThrow(tooDeep);
    await expect(read(nested(10_000))).rejects.toThrow(tooDeep);
    await expect(read(nested(10_000).slice(0, -5000))).rejects.toThrow(tooDeep);
  });

  test('of more elements than a table has rows is refused for that, whatever they are', async () => {
    const many = `[${'[],'.repeat(10_000_000)}[]]`;
    const tooMany = new JsonShapeError('must have at most 1000000 items');
    await expect(read(many)).rejects.toThrow(tooMany);
  });

  test('with a row of megabytes is refused, with the row', async () => {
    const wide = `${text.slice(0, -1)},{"x":"${'x'.repeat(10_000_000)}","y":1},{}]`;
    const faults = await catchFaults(() => read(wide));
    expect(faults).toMatchObject([{ row: 60, message: expect.stringContaining('1 MiB') }]);
  });

  test('that cannot be learnt from is read to its end, and malformed if that is', async () => {
    const bad = JSON.stringify([...Array(20).fill(7), ...rows]);
    const source = csvStream(bad, 16);
    expect(await catchFaults(() => readTable('json', source, 'y'))).toHaveLength(10);
    expect(source.readableEnded).toBe(true);
    await expect(read(bad.slice(0, -1), 16)).rejects.toThrow(MalformedJsonError);
  });

  test('of a source that breaks off rejects with its error', async () => {
    const broken = new Error('connection lost');
    async function* chunks() {
      yield Buffer.from(text.slice(0, 50));
      throw broken;
    }
    await expect(readTable('json', chunks(), 'y')).rejects.toBe(broken);
  });
});

/** Returns the result of an action, or the name of the error that it throws. */
async function outcome(action: () => unknown): Promise<unknown> {
  try {
    return await action();
  } catch (error) {
    return error instanceof SyntaxError ? MalformedJsonError.name : nameOf(error);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}

function parsed(json: string): unknown[] {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new Error('The text is an array');
  return value;
}

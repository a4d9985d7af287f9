import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catchFaults, csvStream } from '../../../../testkit/prediction/sample-tables.js';
import { readTable } from '../../index.js';

const rows = Array.from({ length: 60 }, (_, index) => `{"x":"é${index % 3}","y":${index}}`);

function read(text: string, size?: number) {
  return readTable('ndjson', csvStream(text, size), 'y');
}

test('blank lines are not rows, whatever blanks they have and however the text is cut', async () => {
  const expected = await read(rows.join('\n'));
  const blank = fc.stringMatching(/^[ \t\r\u3000\u00a0]{0,3}$/).map((blanks) => `${blanks}\n`);
  const between = fc.array(blank, { maxLength: 5 }).map((lines) => lines.join(''));
  const property = fc.asyncProperty(
    fc.array(between, { minLength: rows.length, maxLength: rows.length }),
    fc.constantFrom('', '\uFEFF'),
    fc.constantFrom('\n', '\r\n', ' \n'),
    fc.integer({ min: 1, max: 40 }),
    async (blanks, mark, end, size) => {
      const text = rows.map((row, index) => `${blanks[index]}${row}${end}`).join('');
      expect(await read(`${mark}${text}`, size)).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: 20 });
});

test.each([
  ['is not valid JSON', '{"y"}'],
  ['has more than 1048576 bytes', `"${'a'.repeat(1024 * 1024)}"`],
])('a line that %s is reported with its number, behind millions of blank lines', async (what, line) => {
  // The reader would be held for half a minute if a blank line cost what a row costs.
  const text = `${'\n'.repeat(8_000_000)}${rows.join('\n')}\n \r\n${line}\n${rows.join('\n')}`;
  const faults = await catchFaults(() => read(text, 256 * 1024));
  expect(faults).toMatchObject([{ line: 8_000_062, message: expect.stringContaining(what) }]);
});

test('a line that is not UTF-8 is reported with its number, behind the faults of lines before it', async () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const readBytes = (text: string) =>
    catchFaults(() =>
      readTable(
        'ndjson',
        (async function* () {
          yield bytes(text);
        })(),
        'y',
      ),
    );
  const plain = '{"y":1}\n'.repeat(60);
  const message = expect.stringContaining('is not UTF-8');
  expect(await readBytes(`${plain}\n{"y":"\xff"}\n${plain}`)).toMatchObject([{ line: 62, message }]);
  expect(await readBytes(`${plain}{"y":"\xff"}`)).toMatchObject([{ line: 61, message }]);
  expect(await readBytes(`${plain}{\n{"y":"\xff"}\n`)).toMatchObject([
    { line: 61, message: expect.stringContaining('is not valid JSON') },
  ]);
});

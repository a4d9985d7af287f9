import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { makeRows, QUICK, readRows } from '../../../../testkit/prediction/sample-tables.js';
import { type AnswerPart, answerRows, Predictor, train } from '../../index.js';

/** A model of a column of each kind, and of names that objects have. */
const rows = makeRows(200, (random, index) => {
  const size = Math.round(1000 * random()) / 10;
  const kind = ['a', 'true', 'ünï😀', '12', 'x, y'][index % 5];
  const day = new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10);
  const seen = `${(index % 28) + 1}/${(index % 12) + 1}/2024`;
  const price = `${(10 * size).toLocaleString('en')} €`;
  const __proto__ = index % 3;
  return JSON.parse(
    `{"size":${size},"kind":${JSON.stringify(kind)},"day":"${day}","seen":"${seen}","price":"${price}","__proto__":${__proto__},"y":${size + (index % 5)}}`,
  );
});
const predictor = new Predictor(train(readRows(rows, 'y'), QUICK));

const cell = fc.oneof(
  fc.constantFrom('', 'NA', ' null ', 'TRUE', 'true', 'a', ' a', 'ünï😀', 'x, y', 'A'),
  fc.constantFrom('12', '12.0', '1e1', '1,5', '1.234,5', '-5', '.5', '1e400', '12345678901234567890'),
  fc.constantFrom('2024-02-03', '2024-02-03 10:00', '03/02/2024', '13/2/2024 11:30', '12.50 €', '€ 1,250', '1,250.5 €'),
  fc.constantFrom('=1+1', '@x', '-x', 'a\\b', 'say "x"', '""', 'one\ntwo', 'one\r\ntwo', '\u00a0a', '"'),
  fc.double({ noNaN: true }).map(String),
  fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
);

const table = fc
  .uniqueArray(fc.constantFrom('size', 'kind', 'day', 'price', 'seen', '__proto__', 'y', 'when_data', 'other', ''), {
    minLength: 1,
  })
  .chain((header) =>
    fc.record({
      header: fc.constant(header),
      lines: fc.array(fc.array(cell, { maxLength: header.length, minLength: 1 }), { maxLength: 12 }),
    }),
  );

const style = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  size: fc.integer({ min: 1, max: 100 }),
});

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function rowOf(header: readonly string[], line: readonly string[]): Record<string, unknown> {
  const row: Record<string, unknown> = Object.create(null);
  for (const [index, name] of header.entries()) {
    const isIndex = name === '' && index === 0 && header.length > 1;
    // Without a name and a value, a field says nothing.
    if (name !== '' || isIndex) row[isIndex ? 'column_1' : name] = line[index] || null;
    else if (line[index]) row[''] = line[index];
  }
  return row;
}

/** The text of an answer, or its warnings. */
function textOf(parts: readonly AnswerPart[]): string {
  const bytes = parts.flatMap((part) => (part.kind === 'bytes' ? [part.bytes] : []));
  return Buffer.concat(bytes).toString();
}

function warningsOf(parts: readonly AnswerPart[]) {
  return parts.flatMap((part) => (part.kind === 'warnings' ? [part.warnings] : []));
}

test('rows of CSV are answered and counted as objects of the same texts', async () => {
  await fc.assert(
    fc.asyncProperty(table, style, async ({ header, lines }, { delimiter, newline, size }) => {
      const quoted = [header, ...lines].map((fields) =>
        fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(delimiter),
      );
      const body = Buffer.from(quoted.join(newline));
      const objects = lines.map((line) => rowOf(header, line));
      const parts: AnswerPart[] = [];
      const options = { from: 'csv', to: 'json', form: { delimiter } } as const;
      for await (const part of answerRows(predictor, pieces(body, size), options)) parts.push(part);
      const check = predictor.check();
      check.add(objects);
      expect(textOf(parts)).toBe(Buffer.concat([...predictor.answer(objects)]).toString());
      expect(warningsOf(parts)).toEqual([check.warnings(100)]);
    }),
    { numRuns: 80 },
  );
});

test('fields without quotes mean the same as fields in quotes', async () => {
  await fc.assert(
    fc.asyncProperty(table, style, async ({ header, lines }, { delimiter, newline, size }) => {
      // Blanks at the ends of fields without quotes do not count, and a blank line is not a row.
      const trimmed = lines
        .map((line) => line.map((field) => field.replaceAll(/^[ \t]+|[ \t]+$/g, '')))
        .filter((line) => line.length > 1 || line[0] !== '');
      const texts = await Promise.all(
        [true, false].map(async (quotes) => {
          const csv = Papa.unparse([header, ...trimmed], { delimiter, newline, quotes });
          const parts: AnswerPart[] = [];
          const options = { from: 'csv', to: 'csv', form: { delimiter } } as const;
          const body = pieces(Buffer.from(header[0] === '' ? `""${csv.replace(/^""/, '')}` : csv), size);
          for await (const part of answerRows(predictor, body, options)) parts.push(part);
          return textOf(parts);
        }),
      );
      expect(texts[1]).toBe(texts[0]);
    }),
    { numRuns: 80 },
  );
});

test('answers in CSV are the same from cells and from objects', async () => {
  const line = fc.tuple(cell, cell, cell, cell, cell);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), fc.boolean(), async (lines, explain) => {
      const header = ['size', 'kind', 'day', 'price', 'y'];
      const csv = Papa.unparse([header, ...lines], { quotes: true });
      const json = JSON.stringify(lines.map((fields) => rowOf(header, fields)));
      const [fromCells, fromObjects] = await Promise.all(
        (['csv', 'json'] as const).map(async (from) => {
          const body = pieces(Buffer.from(from === 'csv' ? csv : json), 1000);
          const parts: AnswerPart[] = [];
          const options = { from, to: 'csv', explain } as const;
          for await (const part of answerRows(predictor, body, options)) parts.push(part);
          return textOf(parts);
        }),
      );
      expect(fromCells).toBe(fromObjects);
      const parsed = Papa.parse<Record<string, string>>(fromCells ?? '', { delimiter: ',', header: true });
      expect(parsed.data.slice(0, -1).map((row) => unescaped(row['kind']))).toEqual(lines.map(([, kind]) => kind));
    }),
    { numRuns: 60 },
  );
});

test('rows of any length are answered in their order', async () => {
  const kinds = Array.from({ length: 600 }, (_, index) =>
    index % 50 === 7 ? 'long '.repeat(8000 * (index % 3)) + index : `k${index}`,
  );
  const csv = Papa.unparse([['kind', 'size'], ...kinds.map((kind, index) => [kind, index])]);
  const parts: AnswerPart[] = [];
  const body = pieces(Buffer.from(csv), 10_000);
  for await (const part of answerRows(predictor, body, { from: 'csv', to: 'csv' })) parts.push(part);
  const { data } = Papa.parse<Record<string, string>>(textOf(parts), { delimiter: ',', header: true });
  const predictions = predictor.predict(kinds.map((kind, size) => ({ kind, size })));
  expect(data.slice(0, -1)).toMatchObject(
    predictions.map(({ value, confidence, min, max }, index) => ({
      size: String(index),
      kind: kinds[index],
      day: '',
      price: '',
      y: String(value),
      y_confidence: String(confidence),
      y_min: String(min),
      y_max: String(max),
    })),
  );
});

test('many bodies at once are answered alike', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* slowly() {
    yield Buffer.from('kind,size,seen\na,1,13/05/2024\n');
    await gate;
    yield Buffer.from('"a",2,\n"b ""c""",3,2024-05-13\n');
  }
  const answers = Array.from({ length: 20 }, async () => {
    const parts: AnswerPart[] = [];
    for await (const part of answerRows(predictor, slowly(), { from: 'csv', to: 'csv' })) {
      parts.push(part);
    }
    return [textOf(parts), warningsOf(parts)];
  });
  setImmediate(release);
  const [first, ...others] = await Promise.all(answers);
  expect(others).toEqual(others.map(() => first));
});

/** The text that was sent, without the `'` of what might be a formula. */
function unescaped(text = ''): string {
  return text.replace(/^'(?=[=+\-@\t\r])/, '');
}

import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { QUICK, readRows, rentRows } from '../../../../testkit/prediction/sample-tables.js';
import {
  type AnswerOptions,
  type AnswerPart,
  answerRows,
  Classifier,
  FormatError,
  Predictor,
  readRowsTable,
  train,
  UnknownNamesError,
} from '../../index.js';

const rent = new Predictor(train(readRows(rentRows(200), 'rent'), QUICK));
const places = new Classifier(trainedPlaces());

function trainedPlaces() {
  const model = train(readRowsTable(rentRows(200), 'place'), QUICK);
  if (model.task !== 'classification') throw new Error('The target holds no classes.');
  return model;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Answer {
  readonly text: string;
  readonly rows: number;
  readonly warnings: Extract<AnswerPart, { kind: 'warnings' }>['warnings'] | undefined;
}

async function answer(
  body: string | Uint8Array,
  options: Partial<AnswerOptions> = {},
  { size = 1000, predictor = rent }: { size?: number; predictor?: Predictor | Classifier } = {},
): Promise<Answer> {
  const parts: AnswerPart[] = [];
  const all = { from: 'csv', to: 'json', ...options } as const;
  for await (const part of answerRows(predictor, pieces(Buffer.from(body), size), all)) {
    parts.push(part);
  }
  const bytes = parts.flatMap((part) => (part.kind === 'bytes' ? [part] : []));
  const warned = parts.find((part) => part.kind === 'warnings');
  return {
    text: Buffer.concat(bytes.map((part) => part.bytes)).toString(),
    rows: bytes.reduce((sum, part) => sum + part.rows, 0),
    warnings: warned?.kind === 'warnings' ? warned.warnings : undefined,
  };
}

function inJson(rows: readonly unknown[], options: Partial<AnswerOptions> = {}): Promise<Answer> {
  return answer(JSON.stringify(rows), { from: 'json', ...options });
}

/** The rows of an answer in CSV, with the text of each cell. */
function csvRows(text: string): Record<string, string>[] {
  return Papa.parse<Record<string, string>>(text, { delimiter: ',', header: true, skipEmptyLines: true }).data;
}

const cell = fc.oneof(
  fc.constantFrom('', '1', '2', '3,5', 'centre', 'north', 'a "b"', 'x\ny', 'x\r\ny', ';', ',,'),
  fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\0\t]/g, '')),
);

describe('rows in CSV', () => {
  test('are answered as the same texts in JSON, however the body is cut', async () => {
    const names = fc.uniqueArray(fc.constantFrom('rooms', 'place', 'index', 'rent', 'other', '2'), { minLength: 1 });
    const body = names.chain((header) =>
      fc.tuple(
        fc.constant(header),
        fc.array(fc.array(cell, { minLength: header.length, maxLength: header.length }), {
          minLength: 1,
          maxLength: 8,
        }),
      ),
    );
    const style = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t'),
      newline: fc.constantFrom('\n', '\r\n', '\r'),
      quotes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(body, style, fc.integer({ min: 1, max: 40 }), async (table, written, size) => {
        const [header, lines] = table;
        const { delimiter, newline } = written;
        // A blank line is not a row.
        const quotes = written.quotes || header.length === 1;
        const csv = Papa.unparse([header, ...lines], { delimiter, newline, quotes });
        const rows = lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] || null])));
        const options = { form: { delimiter } } as const;
        const { text, warnings } = await answer(csv, options, { size });
        const expected = await inJson(rows);
        expect(JSON.parse(text)).toEqual(JSON.parse(expected.text));
        expect(warnings).toEqual(expected.warnings);
      }),
      { numRuns: 60 },
    );
  });

  test('may lack quotes, end without a line end, and have blank lines and a BOM', async () => {
    const expected = await inJson([
      { rooms: '2', place: 'north' },
      { rooms: '3', place: null },
    ]);
    const bodies = [
      'rooms,place\n2,north\n3,\n',
      '\uFEFFrooms,place\r\n2,north\r\n3',
      '\n\n rooms , "place" \n\n2 , north\n \n3,""',
      'rooms;place\r2;north\r3\r',
    ];
    for (const body of bodies) {
      for (const size of [1, 7, 1000]) {
        const { text } = await answer(body, {}, { size });
        expect(JSON.parse(text)).toEqual(JSON.parse(expected.text));
      }
    }
  });

  test('without a header are the input columns in their order', async () => {
    const { text, warnings } = await answer('2,north,5\n3,south\n', { form: { header: false } });
    const rows = [
      { rooms: '2', place: 'north', index: '5' },
      { rooms: '3', place: 'south', index: null },
    ];
    expect(text).toBe((await inJson(rows)).text);
    expect(warnings).toEqual({ warnings: [], more: 0 });
  });

  test('are warned of by the header, for each row', async () => {
    const { warnings } = await answer('room,place\n1,north\n2\n');
    expect(warnings?.warnings).toEqual([{ kind: 'unknown-name', name: 'room', rows: 2, nearest: 'rooms' }]);
    const none = await answer('a,b\n1,2\n');
    expect(none.warnings?.warnings[0]).toMatchObject({ kind: 'no-column', rows: 1 });
  });

  test('with unknown names are refused before any byte is answered', async () => {
    const refused = answer('rooms,room\n1,2\n', { unknown: 'refuse' });
    await expect(refused).rejects.toThrow(UnknownNamesError);
    await expect(refused).rejects.toMatchObject({ names: [{ name: 'room', nearest: 'rooms' }] });
  });
});

describe('bodies that are not CSV are refused with their line', () => {
  test.each([
    ['an open quote', 'rooms\n1\n"2\n3\n', /line 3, and never closed/],
    ['a quote within a field', 'rooms\n1\n2"2"\n', /line 3\. Put/],
    ['text behind a quote', 'rooms\n"1\n"\n"2"2\n', /line 4\. Put/],
    ['a row that is too long', 'rooms,place\n1,north\n\n1,"a\nb",2', /line 4 has 3 fields, and there are 2/],
    ['a doubled name', '\nrooms,place,rooms\n1,2,3', /line 2 names two columns "rooms"/],
    ['nothing', '\n\n', /empty/],
    ['U+0000', 'rooms\n1\n2\0\n', /Line 3 has the character U\+0000/],
    ['a record of many fields', `rooms\n${','.repeat(10_000)}`, /line 2 has more than 10,000 fields/],
    ['a record of many bytes', `rooms\n"${'a'.repeat(2 ** 20)}`, /line 2 is longer than 1 MiB/],
    ['no clear delimiter', 'rooms,a;b\n1,x;y', /parameter delimiter/],
  ])('%s', async (_, body, message) => {
    const refused = answer(body, {}, { size: 1 << 16 });
    await expect(refused).rejects.toThrow(FormatError);
    await expect(refused).rejects.toThrow(message);
  });

  test('text that is not UTF-8', async () => {
    const latin1 = Buffer.from('rooms,place\n1,north\n2,Zürich\n', 'latin1');
    await expect(answer(latin1)).rejects.toThrow('Line 3 is not UTF-8');
    const utf16 = Buffer.from('rooms\n1\n', 'utf16le');
    await expect(answer(utf16, {}, { size: 1 })).rejects.toThrow('UTF-16');
  });
});

describe('answers in CSV', () => {
  test('have the inputs as sent and the prediction, as in JSON', async () => {
    const value = fc.oneof(cell, fc.jsonValue({ maxDepth: 1 }), fc.double());
    const row = fc.record({ rooms: value, place: value, rent: value }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), fc.boolean(), async (rows, explain) => {
        const sent: unknown[] = JSON.parse(JSON.stringify(rows));
        const csv = await answer(JSON.stringify(sent), { from: 'json', to: 'csv', explain });
        const expected: Record<string, unknown>[] = JSON.parse((await inJson(sent)).text);
        const names = ['rooms', 'place', 'index', 'rent', 'rent_confidence', 'rent_min', 'rent_max'];
        const more = explain ? ['rent_original', 'rent_anomaly', 'rent_explain'] : [];
        const header = [...names, ...more];
        const lines = Papa.parse<string[]>(csv.text, { delimiter: ',', newline: '\r\n' }).data;
        expect(lines).toEqual([header, ...expected.map((line) => header.map((name) => textOf(line[name]))), ['']]);
      }),
      { numRuns: 60 },
    );
  });

  test('of classes have the class and its set', async () => {
    const body = JSON.stringify(rentRows(20));
    const options = { from: 'json', to: 'csv', confidence: 0.99, explain: true } as const;
    const { text, rows } = await answer(body, options, { predictor: places });
    const json = await answer(body, { ...options, to: 'json' }, { predictor: places });
    const expected: Record<string, unknown>[] = JSON.parse(json.text);
    expect(rows).toBe(20);
    expect(csvRows(text)).toEqual(
      expected.map((line) => ({
        ...Object.fromEntries(
          ['rooms', 'index', 'rent', 'place', 'place_confidence'].map((name) => [name, String(line[name])]),
        ),
        place_set: JSON.stringify(line['place_set']),
        place_original: line['place_original'],
        place_anomaly: String(line['place_anomaly']),
        place_explain: line['place_explain'],
      })),
    );
  });

  test('are safe to open in a spreadsheet', async () => {
    const texts = ['=1+1', '+cmd', '-x', '@a', '\ta', '\ra', '-5', '+1.5', '-1,5', '=', 'a=b'];
    const body = JSON.stringify(texts.map((place) => ({ place })));
    const { text } = await answer(body, { from: 'json', to: 'csv' });
    expect(csvRows(text).map(({ place }) => place)).toEqual([
      ...texts.slice(0, 6).map((unsafe) => `'${unsafe}`),
      ...texts.slice(6, 9),
      "'=",
      'a=b',
    ]);
  });

  test('without rows are the header', async () => {
    const { text } = await answer('rooms\n', { to: 'csv' });
    expect(text).toBe('rooms,place,index,rent,rent_confidence,rent_min,rent_max\r\n');
  });
});

/** A cell of CSV that holds a value of JSON. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+(e[+-]?\d+)?$/i.test(text);
  return isFormula ? `'${text}` : text;
}

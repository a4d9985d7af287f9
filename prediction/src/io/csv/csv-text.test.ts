import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catchFaults, makeRows, QUICK } from '../../../../testkit/prediction/sample-tables.js';
import { type AnswerPart, answerRows, Predictor, previewTable, readTable, train } from '../../index.js';
import { type Charset, toUtf8 } from './csv-text.js';

async function* cut(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(bytes: Uint8Array, charset?: Charset, size?: number): Promise<string> {
  const decoded: Uint8Array[] = [];
  for await (const piece of toUtf8(cut(bytes, size), charset)) decoded.push(piece);
  return Buffer.concat(decoded).toString();
}

const ENCODINGS: Readonly<Record<Charset, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'windows-1252': (text) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1'),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
};

const CHARSETS: readonly Charset[] = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'];

const lines = makeRows(200, (random, index) => {
  const size = 30 + Math.floor(80 * random());
  return { street: `Straße ${index % 7}`, size, rent: 300 + 9 * size + Math.floor(20 * random()) };
});
const TABLE = ['straße,größe,miete €', ...lines.map(({ street, size, rent }) => `${street},${size},${rent}`)].join(
  '\n',
);

describe('text in another encoding', () => {
  test.each(CHARSETS)('in %s is the same in pieces of any size', (charset) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('x', 'ß', '€', 'ÿ', '\n', '\r', ',', ' ', '9')),
        fc.integer({ min: 1, max: 9 }),
        async (characters, size) => {
          const text = characters.join('');
          expect(await decode(ENCODINGS[charset](text), charset, size)).toBe(text);
        },
      ),
    ),
  );

  test('in UTF-16 may have any characters', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('utf-16le', 'utf-16be'),
        async (text, size, charset) => {
          expect(await decode(ENCODINGS[charset](text), charset, size)).toBe(text);
        },
      ),
    ));

  test('has the encoding of its byte order mark, whatever was named', async () => {
    for (const named of [undefined, ...CHARSETS]) {
      for (const charset of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
        const bytes = ENCODINGS[charset]('\ufeffgröße\n');
        expect(await decode(bytes, named, 1)).toBe('\ufeffgröße\n');
      }
    }
  });

  test('has the characters of Windows-1252 where ISO 8859-1 has none', async () => {
    const bytes = Uint8Array.from([0x80, 0x85, 0x8a, 0x8c, 0x8e, 0x92, 0x99, 0x9f, 0xa0, 0xff]);
    expect(await decode(bytes, 'windows-1252')).toBe('€…ŠŒŽ’™Ÿ\u00a0ÿ');
  });

  test('is short, or nothing', async () => {
    for (const text of ['', 'x', 'xy']) {
      for (const charset of CHARSETS) {
        expect(await decode(ENCODINGS[charset](text), charset)).toBe(text);
      }
    }
  });
});

describe('bytes that mean nothing in the named encoding are refused with their line', () => {
  const faultOf = async (bytes: Uint8Array, charset: Charset, size: number) => {
    const [fault] = await catchFaults(() => readTable('csv', cut(bytes, size), 'y', { charset }));
    return fault;
  };
  const above = 'x,y\n1,2\r\n3,4\n';
  const utf16 = (text: string, ...more: number[]) =>
    Buffer.concat([Buffer.from(above + text, 'utf16le'), Uint8Array.from(more)]);

  test.each([1, 2, 5, 1000])('in pieces of %d', async (size) => {
    const message = (text: string) => expect.stringContaining(text);
    expect(await faultOf(utf16('5,\udc00\n'), 'utf-16le', size)).toEqual({
      line: 4,
      message: message('Line 4 has half of a character'),
    });
    expect(await faultOf(utf16('5,\ud800x\n'), 'utf-16le', size)).toMatchObject({ line: 4 });
    expect(await faultOf(utf16('5,6', 0x37), 'utf-16le', size)).toEqual({
      line: 4,
      message: message('Line 4 ends within a character'),
    });
    expect(await faultOf(utf16('5,\ud800'), 'utf-16le', size)).toMatchObject({ line: 4 });
    const high = Buffer.concat([Buffer.from(above), Uint8Array.from([0x81])]);
    expect(await faultOf(high, 'windows-1252', size)).toEqual({
      line: 4,
      message: message('Line 4 has the byte 0x81, which Windows-1252 does not have'),
    });
  });

  test('and where none is named, with the remedy', async () => {
    const fault = await faultOf(Buffer.from('größe,y\n', 'latin1'), 'utf-8', 3);
    expect(fault).toEqual({
      line: 1,
      message: expect.stringContaining('Content-Type: text/csv; charset=windows-1252'),
    });
    const [wide] = await catchFaults(() => readTable('csv', cut(utf16('5,6\n')), 'y'));
    expect(wide?.message).toContain('charset=utf-16le');
  });
});

test.each(CHARSETS)('a table in %s trains, is previewed and predicted as in UTF-8', async (charset) => {
  const bytes = ENCODINGS[charset](TABLE);
  const target = 'miete €';
  const table = await readTable('csv', cut(bytes, 1000), target, { charset });
  expect(table).toEqual(await readTable('csv', cut(Buffer.from(TABLE)), target));
  expect(await previewTable(cut(bytes), 'csv', { charset })).toEqual(
    await previewTable(cut(Buffer.from(TABLE)), 'csv'),
  );
  if (table.task !== 'regression') throw new Error('The table is of another task.');
  const predictor = new Predictor(train(table, QUICK));
  const answer = async (body: Uint8Array, form: { charset?: Charset }) => {
    const parts: AnswerPart[] = [];
    const options = { from: 'csv', to: 'csv', form } as const;
    for await (const part of answerRows(predictor, cut(body, 1000), options)) parts.push(part);
    return Buffer.concat(parts.flatMap((part) => (part.kind === 'bytes' ? [part.bytes] : [])));
  };
  const answered = await answer(bytes, { charset });
  expect(answered.toString()).toContain('Straße 3');
  expect(answered.equals(await answer(Buffer.from(TABLE), {}))).toBe(true);
});

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { answerText } from '../../../../testkit/prediction/answered-rows.js';
import { QUICK, readRows, rentRows } from '../../../../testkit/prediction/sample-tables.js';
import { type AnswerOptions, answerRows, DeclinedError, Predictor, train } from '../../index.js';

const rent = new Predictor(train(readRows(rentRows(200), 'rent'), QUICK));
const json = { from: 'json', to: 'json' } as const;
const lines = { from: 'ndjson', to: 'ndjson' } as const;

function answer(text: string, options: AnswerOptions = json) {
  return answerText(rent, Buffer.from(text), 64 * 1024, options);
}

function plain(rows: readonly unknown[]): string {
  return Buffer.concat([...rent.answer(rows)]).toString();
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

describe('a body of JSON', () => {
  test.each([
    ['no JSON', '[{"rooms":1},]'],
    ['of nothing', ''],
    ['with more behind it', '[{}] x'],
    ['that is not an array', '{"rooms":1}'],
    ['with two members of rows', '{"data":[{}],"data":[]}'],
    ['with other members', '{"data":[{}],"params":{},"more":1}'],
    ['with params of another kind', '{"data":[{}],"params":[]}'],
    ['with blanks that are not those of JSON', '\u00a0[{}]'],
    ['that nests too deep', `[{"rooms":${nested(99)}}]`],
    ['of too many rows', `[${'0,'.repeat(100_000)}0]`],
    ['with a row that is too long', `[{"place":"${'x'.repeat(1024 * 1024)}"}]`],
    ['with a row of too many values', `[{"place":[${'0,'.repeat(10_000)}0]}]`],
  ])('%s is declined', async (_, text) => {
    await expect(answer(text)).rejects.toThrow(DeclinedError);
  });

  test('that is not UTF-8 is declined', async () => {
    const bytes = Buffer.from('[{"place":"\xff"}]', 'latin1');
    await expect(answerText(rent, bytes, 100, json)).rejects.toThrow(DeclinedError);
  });

  test('without rows has an answer without rows', async () => {
    for (const text of ['[]', ' [ ] ', '{"data":[]}', '{"data":[],"params":null}']) {
      expect((await answer(text)).text).toBe('[]');
    }
  });

  test('of rows without values is answered', async () => {
    const rows = Array.from({ length: 20_000 }, () => ({}));
    const { text } = await answer(JSON.stringify(rows));
    expect(text).toBe(plain(rows));
  });

  test('with more unknown names than are distinguished is answered as objects are', async () => {
    const rows = rentRows(700).map((row, index) => ({ ...row, id: index, [`n${index}`]: 1 }));
    const { warnings, text } = await answer(JSON.stringify(rows));
    const check = rent.check();
    check.add(rows);
    expect(warnings).toEqual(check.warnings(100));
    expect(text).toBe(plain(rows));
  });

  test('whose unknown names are refused is not answered', async () => {
    const rows = [...rentRows(20), { rooms: 1, flor: 2 }];
    const refused = answer(JSON.stringify(rows), { ...json, unknown: 'refuse' });
    await expect(refused).rejects.toMatchObject({ names: [{ name: 'flor', firstRow: 20, rows: 1 }] });
  });

  test('with rows longer than the room for answers is answered', async () => {
    const rows = rentRows(40).map((row) => ({ ...row, place: 'é"'.repeat(100_000), rent: 'x' }));
    expect((await answer(JSON.stringify(rows))).text).toBe(plain(rows));
  });

  test('may be answered in turns with others of the same model', async () => {
    const bodies = [rentRows(900), rentRows(1200).reverse(), rentRows(700)];
    const answers = bodies.map((rows) => {
      const bytes = Buffer.from(JSON.stringify(rows));
      return answerRows(rent, Readable.from([bytes]), json);
    });
    const texts = bodies.map(() => '');
    for (let left = answers.length; left > 0; ) {
      left = 0;
      for (const [index, parts] of answers.entries()) {
        const { done, value } = await parts.next();
        if (done) continue;
        left++;
        if (value.kind === 'bytes') texts[index] += Buffer.from(value.bytes).toString();
      }
    }
    expect(texts).toEqual(bodies.map(plain));
  });
});

describe('a line of JSON', () => {
  test.each([
    ['{"rooms":', 'The line is not valid JSON: '],
    [`{"rooms":${nested(100)}}`, 'The line nests deeper than 100 levels. '],
    [`[${'0,'.repeat(10_000)}0]`, 'The line holds more than 10000 values. '],
    [`{"place":"${'x'.repeat(1024 * 1024)}"}`, 'The line has more than 1048576 bytes, '],
  ])('that is not a row has a fault, and the others an answer: %#', async (line, message) => {
    const { faults, rows } = await answer(`{"rooms":1}\n\n${line}\r\n{"rooms":2}`, lines);
    expect(faults).toMatchObject([{ line: 3, message: expect.stringContaining(message) }]);
    expect(rows).toBe(2);
  });

  test('of as many values as a line may have is answered', async () => {
    const { faults, rows } = await answer(`[${'0,'.repeat(9_997)}0]\n`, lines);
    expect(faults).toEqual([]);
    expect(rows).toBe(1);
  });

  test('with unknown names is refused by itself', async () => {
    const body = '{"rooms":1}\n{"flor":1,"rooms":2}\n{"rooms":3}\n';
    const { faults, rows } = await answer(body, { ...lines, unknown: 'refuse' });
    expect(faults).toMatchObject([{ line: 2, unknown: [{ name: 'flor', nearest: null }] }]);
    expect(rows).toBe(2);
  });

  test('that is not UTF-8 leaves the lines around it as they are', async () => {
    const bytes = Buffer.from('{"rooms":1}\n{"place":"\xff"}\n{"rooms":2}\n', 'latin1');
    const { faults, rows } = await answerText(rent, bytes, 7, lines);
    expect(faults).toMatchObject([{ line: 2, message: expect.stringContaining('UTF-8') }]);
    expect(rows).toBe(2);
  });
});

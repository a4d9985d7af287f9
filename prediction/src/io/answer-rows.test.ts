import { describe, expect, test } from 'vitest';
import { toColumns, writeFile } from '../../../testkit/data/table-files.js';
import { QUICK, readRows, rentRows } from '../../../testkit/prediction/sample-tables.js';
import { type AnswerOptions, type AnswerPart, answerParsedRows, answerRows, Predictor, train } from '../index.js';

const rent = new Predictor(train(readRows(rentRows(200), 'rent'), QUICK));

async function* pieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function answer(body: string, options: AnswerOptions): Promise<AnswerPart[]> {
  const parts: AnswerPart[] = [];
  for await (const part of answerRows(rent, pieces(Buffer.from(body)), options)) parts.push(part);
  return parts;
}

function textOf(parts: readonly AnswerPart[]): string {
  const bytes = parts.map((part) => (part.kind === 'bytes' ? part.bytes : new Uint8Array()));
  return Buffer.concat(bytes).toString();
}

test('rows of JSON are answered as by the predictor', async () => {
  const rows = [...rentRows(600), { rooms: '2', floor: 1 }, 17];
  const options = { from: 'json', to: 'json', confidence: 0.8 } as const;
  const [count, first, ...rest] = await answer(JSON.stringify(rows), options);
  const check = rent.check();
  check.add(rows);
  expect(count).toEqual({ kind: 'count', rows: rows.length });
  expect(first).toEqual({ kind: 'warnings', warnings: check.warnings(100) });
  expect(textOf(rest)).toBe(Buffer.concat([...rent.answer(rows, options)]).toString());
});

describe.each(['json', 'ndjson', 'csv'] as const)('an answer in %s', (to) => {
  const texts = ['a', 'b, c', '"q"', '=1+1', ' x', 'ünï😀', 'one\r\ntwo', '-5', null];
  const rows = rentRows(60).map((row, index) => ({ ...row, place: texts[index % texts.length] ?? null }));

  test.each(['json', 'ndjson', 'arrow-stream', 'parquet'] as const)(
    'is the same of objects and of %s',
    async (from) => {
      const options = { to, explain: true, warnings: true, confidence: 0.8 } as const;
      const parts: AnswerPart[] = [];
      for await (const part of answerParsedRows(rent, rows, options)) parts.push(part);
      const answers = answerRows(rent, pieces(writeFile(from, toColumns(rows))), { ...options, from });
      const others: AnswerPart[] = [];
      for await (const part of answers) others.push(part);
      expect(textOf(others)).toBe(textOf(parts));
    },
  );
});

test('parsed rows are answered as those of a body', async () => {
  const rows = [...rentRows(300), { floor: 1 }, null];
  const parts: AnswerPart[] = [];
  for await (const part of answerParsedRows(rent, rows, { to: 'json' })) parts.push(part);
  const ofBody = await answer(JSON.stringify(rows), { from: 'json', to: 'json' });
  expect(textOf(parts)).toBe(textOf(ofBody));
  expect(parts.slice(0, 2)).toEqual(ofBody.slice(0, 2));
});

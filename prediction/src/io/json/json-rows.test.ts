import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerText } from '../../../../testkit/prediction/answered-rows.js';
import { damaged, rowText, subjects } from '../../../../testkit/prediction/json-subjects.js';
import { DeclinedError } from '../../predicting.js';

const options = { from: 'json', to: 'json' } as const;

describe.each(subjects)('rows of JSON, for a model of $name,', ({ predictor, names }) => {
  const rows = fc.array(rowText(names), { maxLength: 60, size: 'max' });
  const body = fc.tuple(rows, fc.constantFrom(',', ',\n ', ' ,')).chain(([texts, comma]) => {
    const array = `[${texts.join(comma)}]`;
    return fc.constantFrom(array, `{"data":${array}}`, ` {"data" : ${array} , "params":{"a":[]}} `);
  });

  /** The answer and the warnings by way of objects. */
  function plain(bytes: Uint8Array) {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    const objects: unknown = Array.isArray(value) ? value : Object(value).data;
    if (!Array.isArray(objects)) throw new Error('It has no rows.');
    const check = predictor.check();
    check.add(objects);
    const text = Buffer.concat([...predictor.answer(objects)]).toString();
    return { text, rows: objects.length, faults: [], warnings: check.warnings(100) };
  }

  test('are answered as objects are', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.integer({ min: 1, max: 500 }), async (text, size) => {
        const bytes = Buffer.from(text);
        expect(await answerText(predictor, bytes, size, options)).toEqual(plain(bytes));
      }),
      { numRuns: 60 },
    );
  });

  test('are declined or answered alike, when the body is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(body), async (bytes) => {
        const got = await answerText(predictor, bytes, 1000, options).catch((error: unknown) => error);
        if (!(got instanceof DeclinedError)) expect(got).toEqual(plain(bytes));
      }),
      { numRuns: 60 },
    );
  });
});

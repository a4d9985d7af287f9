import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerText } from '../../../../testkit/prediction/answered-rows.js';
import { damaged, rowText, subjects } from '../../../../testkit/prediction/json-subjects.js';
import { lineValue, UnreadableLine } from './lines.js';

const options = { from: 'ndjson', to: 'ndjson' } as const;
const size = fc.integer({ min: 1, max: 300 });

describe.each(subjects)('lines of JSON, for a model of $name,', ({ predictor, names }) => {
  const line = fc.oneof(
    { arbitrary: rowText(names), weight: 12 },
    {
      arbitrary: fc.constantFrom('', ' \t', '\u3000', ' \u00a0', '{"x":', '"\\x"', '[1,', 'nul', '\ufeff{}', '{}{}'),
      weight: 1,
    },
  );
  const lineEnd = fc.constantFrom('\n', '\n', '\r\n', '\n\n');
  const body = fc
    .tuple(fc.constantFrom('', '\ufeff'), fc.array(fc.tuple(line, lineEnd), { maxLength: 40, size: 'max' }))
    .map(([mark, lines]) => mark + lines.flat().join(''));

  /** The answer, the faults and the warnings by way of objects. */
  function plain(bytes: Buffer, refuses = false) {
    const check = predictor.check();
    const faults: unknown[] = [];
    let rows = 0;
    let text = '';
    const marked = bytes.subarray(0, 3).toString() === '\ufeff' ? bytes.subarray(3) : bytes;
    for (const [index, one] of marked.toString('latin1').split('\n').entries()) {
      const value = lineValue(Buffer.from(one, 'latin1'));
      if (value === undefined) continue;
      const isUnknown = refuses && check.unknownIn(value).length > 0;
      if (value instanceof UnreadableLine || isUnknown) {
        faults.push(index + 1);
        text += `<${index + 1}>\n`;
        continue;
      }
      check.add([value]);
      rows++;
      const [, row] = /^\[(.*)\]$/s.exec(Buffer.concat([...predictor.answer([value])]).toString()) ?? [];
      text += `${row}\n`;
    }
    return { text, rows, faults, warnings: check.warnings(100) };
  }

  test('are answered as objects are', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(body), size, fc.boolean(), async (bytes, pieceSize, refuses) => {
        const unknown = refuses ? 'refuse' : 'ignore';
        const got = await answerText(predictor, bytes, pieceSize, { ...options, unknown });
        const faults = got.faults.map((part) => part.kind === 'fault' && part.line);
        expect({ ...got, faults }).toEqual(plain(bytes, refuses));
      }),
      { numRuns: 50 },
    );
  });
});

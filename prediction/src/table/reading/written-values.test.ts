import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dateForms,
  numberStyles,
  roundAs,
  writeNumber,
  writtenDays,
  writtenNumbers,
} from '../../../../testkit/prediction/written-values.js';
import { createReader } from './create-reader.js';
import { decideColumn } from './decide-column.js';

function readColumn(texts: readonly string[]) {
  const reading = decideColumn([...new Set(texts)].map((text) => [text, 1]));
  if (reading === null || reading.kind === 'undecided') return undefined;
  return texts.map(createReader(reading.kind, reading));
}

describe('what was written', () => {
  test('is read as the numbers that were meant, or not at all', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(writtenNumbers, { minLength: 1, maxLength: 30 }), numberStyles, (values, style) => {
        const found = readColumn(values.map((value) => writeNumber(value, style)));
        if (found === undefined) return;
        read++;
        expect(found.map((value) => value + 0)).toEqual(values.map((value) => roundAs(value, style)));
      }),
      { numRuns: 2000 },
    );
    // Not by refusing to read anything.
    expect(read).toBeGreaterThan(1500);
  });

  test('is read as the dates that were meant, or not at all', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(writtenDays, { minLength: 1, maxLength: 30 }), dateForms, (dates, write) => {
        const found = readColumn(dates.map(write));
        if (found === undefined) return;
        read++;
        expect(found).toEqual(dates.map(Number));
      }),
      { numRuns: 1000 },
    );
    expect(read).toBeGreaterThan(700);
  });
});

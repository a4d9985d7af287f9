import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createReader } from './create-reader.js';
import { decideColumn } from './decide-column.js';

/** How a program or a person writes numbers, all of a column alike. */
interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly group: string;
  /** Digits behind the mark, or the fewest that tell a number. */
  readonly decimals: number | null;
  readonly unit: (text: string) => string;
  readonly negative: (text: string) => string;
}

const styles: fc.Arbitrary<NumberStyle> = fc
  .record({
    decimal: fc.constantFrom('.' as const, ',' as const),
    group: fc.constantFrom('', ' ', '\u00a0', '\u202f', "'", 'mark'),
    decimals: fc.constantFrom(null, 0, 1, 2, 3, 4),
    unit: fc.constantFrom<NumberStyle['unit']>(
      (text) => text,
      (text) => `${text} kg`,
      (text) => `${text}%`,
    ),
    negative: fc.constantFrom<NumberStyle['negative']>(
      (text) => `-${text}`,
      (text) => `(${text})`,
      (text) => `${text}-`,
    ),
  })
  .map(({ group, ...style }) => {
    const mark = style.decimal === '.' ? ',' : '.';
    return { ...style, group: group === 'mark' ? mark : group };
  });

function writeNumber(value: number, style: NumberStyle): string {
  const { decimal, group, decimals, unit, negative } = style;
  const [whole = '', fraction] = (
    decimals === null ? String(Math.abs(value)) : Math.abs(value).toFixed(decimals)
  ).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  const digits = fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
  return unit(value < 0 ? negative(digits) : digits);
}

/** Numbers with at most four decimals, which all styles write without an exponent. */
const numbers = fc
  .tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.constantFrom(1, 10, 1000, 1e4))
  .map(([whole, parts]) => whole / parts + 0);

function readColumn(texts: readonly string[]) {
  const reading = decideColumn([...new Set(texts)].map((text) => [text, 1]));
  if (reading === null || reading.kind === 'undecided') return undefined;
  return texts.map(createReader(reading.kind, reading));
}

describe('what was written', () => {
  test('is read as the numbers that were meant, or not at all', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 30 }), styles, (values, style) => {
        const rounded = values.map((value) => {
          return style.decimals === null ? value : Number(value.toFixed(style.decimals)) + 0;
        });
        const found = readColumn(rounded.map((value) => writeNumber(value, style)));
        if (found === undefined) return;
        read++;
        expect(found.map((value) => value + 0)).toEqual(rounded);
      }),
      { numRuns: 2000 },
    );
    // Not by refusing to read anything.
    expect(read).toBeGreaterThan(1500);
  });

  test('is read as the dates that were meant, or not at all', () => {
    const two = (number: number) => String(number).padStart(2, '0');
    const names = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
    const forms = fc.constantFrom<(date: Date) => string>(
      (date) => date.toISOString().slice(0, 10),
      (date) => `${date.getUTCFullYear()}/${date.getUTCMonth() + 1}/${date.getUTCDate()}`,
      ...['/', '.', '-'].flatMap((mark) => [
        (date: Date) => [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear()].join(mark),
        (date: Date) => [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCFullYear()].join(mark),
      ]),
      (date) => [date.getUTCFullYear() % 100, date.getUTCMonth() + 1, date.getUTCDate()].map(two).join('-'),
      (date) => [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear() % 100].map(two).join('/'),
      (date) => `${date.getUTCDate()}-${names[date.getUTCMonth()]}-${two(date.getUTCFullYear() % 100)}`,
      (date) => `${names[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`,
    );
    const days = fc
      .integer({ min: Date.UTC(1969, 0, 1) / 86_400_000, max: Date.UTC(2068, 11, 31) / 86_400_000 })
      .map((day) => new Date(day * 86_400_000));
    let read = 0;
    fc.assert(
      fc.property(fc.array(days, { minLength: 1, maxLength: 30 }), forms, (dates, write) => {
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

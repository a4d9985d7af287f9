import fc from 'fast-check';

/** The way in which a program or a person writes the numbers of a column. */
export interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly group: string;
  /** The number of decimals, or null for as few as the number needs. */
  readonly decimals: number | null;
  readonly unit: (text: string) => string;
  readonly negative: (text: string) => string;
}

export const numberStyles: fc.Arbitrary<NumberStyle> = fc
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

export function writeNumber(value: number, style: NumberStyle): string {
  const { decimal, group, decimals, unit, negative } = style;
  const [whole = '', fraction] = (
    decimals === null ? String(Math.abs(value)) : Math.abs(value).toFixed(decimals)
  ).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  const digits = fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
  return unit(value < 0 ? negative(digits) : digits);
}

/** Returns the number that a style writes in place of a value. */
export function roundAs(value: number, { decimals }: NumberStyle): number {
  return decimals === null ? value : Number(value.toFixed(decimals)) + 0;
}

/** Numbers with at most four decimals, which all styles write without an exponent. */
export const writtenNumbers: fc.Arbitrary<number> = fc
  .tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.constantFrom(1, 10, 1000, 1e4))
  .map(([whole, parts]) => whole / parts + 0);

const two = (number: number) => String(number).padStart(2, '0');
const NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Functions that write days. */
export const dateForms = fc.constantFrom<(date: Date) => string>(
  (date) => date.toISOString().slice(0, 10),
  (date) => `${date.getUTCFullYear()}/${date.getUTCMonth() + 1}/${date.getUTCDate()}`,
  ...['/', '.', '-'].flatMap((mark) => [
    (date: Date) => [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear()].join(mark),
    (date: Date) => [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCFullYear()].join(mark),
  ]),
  (date) => [date.getUTCFullYear() % 100, date.getUTCMonth() + 1, date.getUTCDate()].map(two).join('-'),
  (date) => [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear() % 100].map(two).join('/'),
  (date) => `${date.getUTCDate()}-${NAMES[date.getUTCMonth()]}-${two(date.getUTCFullYear() % 100)}`,
  (date) => `${NAMES[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`,
  (date) => `${date.getUTCDate()}${NAMES[date.getUTCMonth()]?.toUpperCase()}${date.getUTCFullYear()}`,
  (date) => `00:00  ${date.getUTCDate()} ${NAMES[date.getUTCMonth()]} ${date.getUTCFullYear()}`,
);

const DAY = 86_400_000;

/** Days that years of two digits can name. */
export const writtenDays: fc.Arbitrary<Date> = fc
  .integer({ min: Date.UTC(1969, 0, 1) / DAY, max: Date.UTC(2068, 11, 31) / DAY })
  .map((day) => new Date(day * DAY));

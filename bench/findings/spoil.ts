import { seededRandom } from 'roster-prediction/internals';
import type { CleanTable, Finding } from './tables.js';

/** A copy of a table that is spoiled in one way, and what a finding must say of it. */
export interface Spoiled {
  readonly way: string;
  readonly table: string;
  readonly target: string;
  readonly lines: readonly string[];
  readonly isFound: (finding: Finding) => boolean;
}

type Rows = string[][];

/** Rows whose first has the names. Spoils them in place, and returns the lines (from 1) or the column that must be named. */
type Spoil = (rows: Rows, at: Place) => readonly number[] | string;

interface Place {
  readonly target: number;
  readonly random: () => number;
  readonly columnOf: (name: string) => number;
  /** Returns the index of a row, from 1. */
  readonly anyRow: () => number;
}

const numbersOf = (rows: Rows, column: number) =>
  rows
    .slice(1)
    .map((row) => row[column] ?? '')
    .filter((cell) => cell !== '' && Number.isFinite(Number(cell)))
    .map(Number);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Appends a row that has a figure in each column of numbers, and a label in the first of the others. */
const total =
  (label: string, figure: (values: readonly number[]) => number): Spoil =>
  (rows) => {
    const columns = (rows[0] ?? []).map((_, column) => numbersOf(rows, column));
    const isNumber = columns.map((values) => values.length > 0.5 * (rows.length - 1));
    const labelled = isNumber.indexOf(false);
    rows.push(
      columns.map((values, column) => {
        if (column === labelled) return label;
        return isNumber[column] ? String(Number(figure(values).toFixed(4))) : '';
      }),
    );
    return [rows.length];
  };

const scale =
  (column: string, share: number, convert: (value: number) => number): Spoil =>
  (rows, { columnOf, random }) => {
    const at = columnOf(column);
    for (const row of rows.slice(1)) {
      if (random() < share && row[at] !== '') row[at] = String(Number(convert(Number(row[at])).toPrecision(6)));
    }
    return column;
  };

const oneValue =
  (column: string, convert: (value: number) => number): Spoil =>
  (rows, { columnOf, anyRow }) => {
    const at = columnOf(column);
    const row = anyRow();
    const cells = rows[row] ?? [];
    cells[at] = String(convert(Number(cells[at])));
    return [row + 1];
  };

/** Moves the cells from a column on: to the right, and the last is lost; or to the left, and the last is empty. */
const shift =
  (from: string, direction: 1 | -1, count = 1): Spoil =>
  (rows, { columnOf, anyRow }) => {
    const at = columnOf(from);
    const chosen = Array.from({ length: count }, anyRow);
    for (const row of chosen) {
      const cells = rows[row] ?? [];
      if (direction === 1) rows[row] = cells.toSpliced(at, 0, '').slice(0, cells.length);
      else rows[row] = [...cells.toSpliced(at, 1), ''];
    }
    return chosen.map((row) => row + 1);
  };

const copyRows =
  (count: number): Spoil =>
  (rows) => {
    const first = rows.length + 1;
    rows.push(...rows.slice(-count).map((row) => [...row]));
    return Array.from({ length: count }, (_, index) => first + index);
  };

const empty =
  (count: number): Spoil =>
  (rows, { anyRow, target }) => {
    const chosen = Array.from({ length: count }, anyRow);
    for (const row of chosen) rows[row] = (rows[row] ?? []).map((cell, column) => (column === target ? cell : ''));
    return chosen.map((row) => row + 1);
  };

/** Adds a column made of each row. */
const add =
  (name: string, make: (cell: string, place: Place, index: number) => string, of?: string): Spoil =>
  (rows, place) => {
    const at = of === undefined ? place.target : place.columnOf(of);
    for (const [index, row] of rows.entries()) row.push(index === 0 ? name : make(row[at] ?? '', place, index));
    return name;
  };

interface Way {
  readonly way: string;
  readonly table: string;
  readonly kinds: readonly string[];
  readonly spoil: Spoil;
}

const WAYS: readonly Way[] = [
  { way: 'a total', table: 'AER/CPS1985', kinds: ['totals_row'], spoil: total('Total', sum) },
  { way: 'a total in German', table: 'carData/Salaries', kinds: ['totals_row'], spoil: total('Summe', sum) },
  { way: 'a total without a label', table: 'MASS/Boston', kinds: ['totals_row'], spoil: total('', sum) },
  {
    way: 'a row of means',
    table: 'AER/HousePrices',
    kinds: ['totals_row'],
    spoil: total('Mean', (values) => sum(values) / values.length),
  },
  {
    way: 'a lost decimal point in the target',
    table: 'AER/CASchools',
    kinds: ['outliers'],
    spoil: oneValue('math', (value) => 100 * value),
  },
  {
    way: 'a lost decimal point in a column',
    table: 'AER/TeachingRatings',
    kinds: ['outliers'],
    spoil: oneValue('age', (value) => 100 * value),
  },
  {
    way: 'a code for missing values',
    table: 'AER/SwissLabor',
    kinds: ['outliers'],
    spoil: scale('age', 0.04, () => -999),
  },
  { way: 'a row that is there twice', table: 'ISLR/College', kinds: ['duplicate_rows'], spoil: copyRows(1) },
  { way: 'the last rows twice', table: 'AER/CASchools', kinds: ['duplicate_rows'], spoil: copyRows(20) },
  { way: 'some rows twice', table: 'ISLR/Credit', kinds: ['duplicate_rows'], spoil: copyRows(5) },
  { way: 'rows without values', table: 'AER/CPS1985', kinds: ['empty_rows'], spoil: empty(3) },
  { way: 'a row without values', table: 'ISLR/Carseats', kinds: ['empty_rows'], spoil: empty(1) },
  {
    way: 'thousands in a part',
    table: 'AER/HousePrices',
    kinds: ['mixed_units'],
    spoil: scale('lotsize', 0.3, (value) => value / 1000),
  },
  {
    way: 'hundredths in a part',
    table: 'AER/TeachingRatings',
    kinds: ['mixed_units'],
    spoil: scale('age', 0.2, (value) => value / 100),
  },
  {
    way: 'inches among centimetres',
    table: 'MASS/survey',
    kinds: ['mixed_units'],
    spoil: scale('Height', 0.3, (value) => value / 2.54),
  },
  {
    way: 'kilograms among grams',
    table: 'datasets/penguins',
    kinds: ['mixed_units'],
    spoil: scale('body_mass', 0.1, (value) => value / 1000),
  },
  { way: 'a line moved right', table: 'AER/CPS1985', kinds: ['shifted_rows'], spoil: shift('ethnicity', 1) },
  {
    way: 'a line moved left',
    table: 'carData/Salaries',
    kinds: ['shifted_rows', 'rows_left_out'],
    spoil: shift('discipline', -1),
  },
  { way: 'three lines moved right', table: 'ISLR/Wage', kinds: ['shifted_rows'], spoil: shift('maritl', 1, 3) },
  {
    way: 'a line of numbers moved left',
    table: 'MASS/Boston',
    kinds: ['shifted_rows', 'rows_left_out'],
    spoil: shift('nox', -1),
  },
  { way: 'two lines moved right', table: 'carData/SLID', kinds: ['shifted_rows'], spoil: shift('education', 1, 2) },
  {
    way: 'the target with noise',
    table: 'AER/TeachingRatings',
    kinds: ['leak'],
    spoil: add('later', (cell, { random }) => (1.2 * Number(cell) + 0.03 * random()).toFixed(4)),
  },
  {
    way: 'the target in another unit',
    table: 'MASS/Boston',
    kinds: ['leak'],
    spoil: add('usd', (cell) => String(1000 * Number(cell) + 5)),
  },
  {
    way: 'the class in other words',
    table: 'AER/HMDA',
    kinds: ['leak', 'one_class_column'],
    spoil: add('letter', (cell) => (cell === 'yes' ? 'refusal' : 'offer')),
  },
  {
    way: 'a reason for one class alone',
    table: 'ISLR/Default',
    kinds: ['one_class_column'],
    spoil: add('reason', (cell, { random }) => (cell === 'Yes' ? `R${Math.floor(4 * random())}` : '')),
  },
  {
    way: 'a code that determines the target',
    table: 'AER/CPS1985',
    kinds: ['leak'],
    spoil: add('band', (cell) => `w${Math.round(4 * Number(cell))}`),
  },
  {
    way: 'a column twice',
    table: 'ISLR/Carseats',
    kinds: ['copied_column'],
    spoil: add('again', (cell) => String(2 * Number(cell) + 1), 'Price'),
  },
  {
    way: 'numbers of customers',
    table: 'AER/HMDA',
    kinds: ['identifier_column'],
    spoil: add('customer_id', (_, __, index) => String(40_000 + 7 * index)),
  },
  { way: 'one value throughout', table: 'AER/HMDA', kinds: ['constant_column'], spoil: add('bank', () => 'Boston') },
  {
    way: 'a class of few rows',
    table: 'ISLR/OJ',
    kinds: ['rare_classes'],
    spoil: (rows, { target }) => {
      for (let row = 50; row < rows.length; row += 80) (rows[row] ?? [])[target] = 'returned';
      return 'Purchase';
    },
  },
];

/** Makes thirty copies, which are spoiled in one way each, from a fixed seed. */
export function spoilCopies(tables: readonly CleanTable[]): Spoiled[] {
  return WAYS.map(({ way, table: name, kinds, spoil }, index) => {
    const table = tables.find((each) => each.name === name);
    if (table === undefined) throw new Error(`There is no table ${name}.`);
    const rows = table.lines.map((line) => splitLine(line));
    const header = rows[0] ?? [];
    const random = seededRandom(index + 1);
    const columnOf = (column: string) => {
      const at = header.indexOf(column);
      if (at < 0) throw new Error(`${name} has no column ${column}.`);
      return at;
    };
    const anyRow = () => 1 + Math.floor(random() * (rows.length - 1));
    const named = spoil(rows, { target: columnOf(table.target), random, columnOf, anyRow });
    const isNamed = ({ column, message, places }: Finding) =>
      typeof named === 'string'
        ? column === named || message.includes(named)
        : named.some((line) => places.some((place) => 'line' in place && place.line === line));
    return {
      way,
      table: name,
      target: table.target,
      lines: rows.map((row) => row.map(quoteCell).join()),
      isFound: (finding) => kinds.includes(finding.kind) && isNamed(finding),
    };
  });
}

/** Splits a line of a table whose cells have no line breaks. */
function splitLine(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}

function quoteCell(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

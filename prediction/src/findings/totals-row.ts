import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable } from './looked-table.js';
import { dropRows, placesOf } from './remedies.js';
import { showCount, showPlaces } from './words.js';

/** Words that label a row of totals, at the beginning or the end of a text, and those that label one of means. */
const TOTAL =
  /^(?:(?:grand|sub|overall|net)[ -]?)?(?:totals?|sum|summe|gesamt|gesamtsumme|insgesamt|zwischensumme|totale?|somme|suma)\b|\b(?:totals?|summe|gesamt)$|^all$/i;
const MEAN = /^(?:averages?|avg|means?|mittelwerte?|durchschnitt|moyenne|promedio):?$/i;

const MAX_LABEL = 60;

/** The fewest rows that are not zero, whose sum is no coincidence. */
const MIN_ADDED = 10;

/** A share of the rows that are labelled as totals; more of them are a category. */
const MAX_LABELLED_SHARE = 0.25;

/** How near to the sum of the others a number of an unlabelled row is, as a share: rounding alone. */
const EXACT = 1e-6;

/** How near that of a labelled row is: filtered rows and rounded cells may be missing from the sum. */
const NEAR = 0.02;

/** A labelled row whose number is so many times the largest of the others is one of totals, whatever they add up to. */
const FAR = 3;

/** Finds rows that are the sums or means of the others: a labelled one, the first or the last, or one behind each group. */
export function findTotals(table: LookedTable): Finding[] {
  const numbers = [...(table.target ? [table.target] : []), ...table.columns].filter(isAddable);
  if (numbers.length === 0 || table.rowCount <= MIN_ADDED) return [];
  const labelled = findLabelled(table);
  const groups = findGroupTotals(numbers, [...labelled.keys()]);
  if (groups.length > 0) return [describe(table, groups, labelled.get(groups[0] ?? 0))];
  const ends = [table.rowCount - 1, 0].filter(
    (row) => !labelled.has(row) && numbers.some((each) => isLargest(each, row)),
  );
  // All rows are added up only where one of them may be their sum.
  if (labelled.size === 0 && ends.length === 0) return [];
  const sums = numbers.map((column) => addUp(column, table.rowCount, new Set(labelled.keys())));
  const single = [...labelled].filter(([row, label]) => sums.some((sum) => isTotal(sum, row, label)));
  const [first] = single;
  if (first !== undefined) {
    const alike = [...labelled].filter(([, label]) => label === first[1]).map(([row]) => row);
    const matching = single.filter(([, label]) => label === first[1]);
    // A few of many rows with one label are like totals by chance.
    if (2 * matching.length >= alike.length) return [describe(table, alike, first[1])];
  }
  const total = ends.find((row) => isSumOfOthers(table, sums, row));
  return total === undefined ? [] : [describe(table, [total], undefined)];
}

function isAddable({ kind, distinct }: LookedColumn): boolean {
  return kind === 'number' && distinct > 2;
}

/** Returns whether a text labels totals. */
export function isTotalLabel(text: string): boolean {
  return text.length <= MAX_LABEL && TOTAL.test(text.trim());
}

function isLabel(text: string): boolean {
  return TOTAL.test(text) || MEAN.test(text);
}

/** Returns whether no number of the sample is larger than that of a row, whatever their signs are. */
function isLargest({ at, sample }: LookedColumn, row: number): boolean {
  const size = Math.abs(at(row));
  return size > 0 && sample.every((value) => !(Math.abs(value) > size));
}

/** Returns the rows that are labelled as totals or means, each with its label. */
function findLabelled({ columns, rowCount }: LookedTable): Map<number, string> {
  const found = new Map<number, string>();
  for (const { kind, texts, at } of columns) {
    if (kind !== 'category') continue;
    const labels = new Map([...texts.entries()].filter(([, text]) => text.length <= MAX_LABEL && isLabel(text.trim())));
    if (labels.size === 0) continue;
    const rows: [number, string][] = [];
    for (let row = 0; row < rowCount; row++) {
      const label = labels.get(at(row));
      if (label !== undefined) rows.push([row, label]);
    }
    if (rows.length <= MAX_LABELLED_SHARE * rowCount) for (const [row, label] of rows) found.set(row, label);
  }
  return found;
}

interface Sum {
  readonly column: LookedColumn;
  readonly sum: number;
  readonly size: number;
  readonly largest: number;
  /** The rows that are added, without zeros. */
  readonly added: number;
  readonly present: number;
}

function addUp(column: LookedColumn, rowCount: number, without: ReadonlySet<number>): Sum {
  let [sum, size, largest, added, present] = [0, 0, 0, 0, 0];
  for (let row = 0; row < rowCount; row++) {
    const value = column.at(row);
    if (!Number.isFinite(value) || without.has(row)) continue;
    sum += value;
    size += Math.abs(value);
    largest = Math.max(largest, Math.abs(value));
    present++;
    if (value !== 0) added++;
  }
  return { column, sum, size, largest, added, present };
}

/** Returns whether a labelled row has the sum or the mean of the rows without a label, or far more than any of them. */
function isTotal({ column, sum, size, largest, added, present }: Sum, row: number, label: string): boolean {
  const value = column.at(row);
  if (!Number.isFinite(value) || added < MIN_ADDED) return false;
  if (MEAN.test(label.trim())) return Math.abs(value - sum / present) <= NEAR * (size / present);
  return Math.abs(value) > FAR * largest || (Math.abs(value - sum) <= NEAR * size && Math.abs(value) > largest);
}

/** Returns the labelled rows, if most of them hold the sum of the rows since the previous label. */
function findGroupTotals(numbers: readonly LookedColumn[], rows: readonly number[]): number[] {
  const ordered = rows.toSorted((a, b) => a - b);
  if (ordered.length < 2) return [];
  for (const column of numbers) {
    let start = 0;
    const matching = ordered.filter((end) => {
      let [sum, added] = [0, 0];
      for (let row = start; row < end; row++) {
        const value = column.at(row);
        if (Number.isFinite(value) && value !== 0) [sum, added] = [sum + value, added + 1];
      }
      start = end + 1;
      return added >= 2 && Math.abs(column.at(end) - sum) <= 1e-3 * Math.abs(sum);
    });
    if (2 * matching.length > ordered.length) return ordered;
  }
  return [];
}

function isSumOfOthers({ target }: LookedTable, sums: readonly Sum[], row: number): boolean {
  const judged = sums.filter(({ column, added }) => added >= MIN_ADDED && Number.isFinite(column.at(row)));
  const exact = judged.filter(({ column, sum, size, largest }) => {
    const value = column.at(row);
    const others = sum - value;
    const isLargest = Math.abs(value) === largest && value !== 0;
    return isLargest && Math.abs(value - others) <= EXACT * size;
  });
  return exact.some(({ column }) => column === target) || exact.length >= Math.min(2, judged.length || 1);
}

function describe(table: LookedTable, rows: readonly number[], label: string | undefined): Finding {
  const places = placesOf(table, rows);
  const named = showPlaces(places, rows.length);
  const labelled = label === undefined ? '' : `, labelled ${quote(label)},`;
  const message =
    rows.length === 1
      ? `One row (${named})${labelled} seems to be a total: its numbers are those of all other rows together, or far beyond them.`
      : `${showCount(rows.length)} rows (${named})${labelled} seem to be totals of the rows before them.`;
  return {
    kind: 'totals_row',
    column: null,
    rows: rows.length,
    share: rows.length / table.rowCount,
    places,
    message,
    effect: 'A total counts as an ordinary row: it outweighs all others in the error, and the model learns from it.',
    remedies: dropRows(places, rows.length),
  };
}

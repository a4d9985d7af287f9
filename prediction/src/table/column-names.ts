import type { ColumnChoices } from './column.js';
import { wordsIn } from './missing-words.js';
import type { TableMarks } from './reading/column-reading.js';
import { MAX_COLUMNS } from './table.js';
import { FaultList, quote, TableError } from './table-error.js';
import type { ValidationChoice } from './validation.js';

/** The column of the ids of answer rows that are remembered. */
export const ROW_ID_COLUMN = '__service_row_id';

/** Columns that close every answer row: null, or what the row itself sent under that name. */
export const ECHO_COLUMNS = ['select_data_query', 'when_data', ROW_ID_COLUMN] as const;

/** The names of the columns that an answer derives from the target, apart from the target's own. */
export function derivedColumns(target: string) {
  return {
    original: `${target}_original`,
    confidence: `${target}_confidence`,
    min: `${target}_min`,
    max: `${target}_max`,
    anomaly: `${target}_anomaly`,
    explain: `${target}_explain`,
  };
}

/**
 * Returns the name that a header or a key means, in tables and in rows to predict alike: without blanks, line ends and
 * BOMs (U+FEFF) at its ends. Letter case is part of a name, as a table may have the columns `a` and `A`.
 */
export function columnName(text: string): string {
  return text.trim();
}

/**
 * The name of the first column where a table gives it none, as pandas and R write the numbers or names of rows. It is
 * also that of the first column of CSV without a header.
 */
export const INDEX_COLUMN = 'column_1';

/** Returns the names of a header, with `INDEX_COLUMN` for a first one that is empty, unless another column has it. */
export function nameIndex(names: readonly string[]): readonly string[] {
  const [first, ...others] = names;
  if (first !== '' || others.includes(INDEX_COLUMN) || others.every((name) => name === '')) {
    return names;
  }
  return [INDEX_COLUMN, ...others];
}

/** Returns the name of the column that contains the set of classes in answers of a classifier. */
export function setColumn(target: string): string {
  return `${target}_set`;
}

/** Returns the name of the column that contains the probability of a class where it is asked for. */
export function probabilityColumn(target: string, name: string): string {
  return `${target}_probability_${name}`;
}

/** Returns the name of the column that contains the value before any column has contributed. */
export function baseColumn(target: string): string {
  return `${target}_base`;
}

/** Returns the name of the column that contains the probability that a class would have by `baseColumn` alone. */
export function baseProbabilityColumn(target: string): string {
  return `${target}_base_probability`;
}

/** Returns the name of the column that contains what the season of a series adds to a forecast. */
export function seasonColumn(target: string): string {
  return `${target}_season`;
}

/** Returns the name of the column that contains what a column contributes to a prediction. */
export function contributionColumn(target: string, name: string): string {
  return `${target}_contribution_${name}`;
}

/** Returns the name of the column that contains the warnings of a row where they are asked for. */
export function warningsColumn(target: string): string {
  return `${target}_warnings`;
}

/**
 * Checks the names that only the answers of a classifier claim, which is known when the target has been read.
 *
 * @throws {TableError} if a column bears one of them.
 */
export function checkSetColumn(names: Iterable<string>, target: string): void {
  const name = setColumn(target);
  for (const other of names) {
    if (other === name) throw new TableError([{ message: claimedBy(name), column: name }]);
  }
}

function claimedBy(name: string): string {
  return `Answers have a column ${quote(name)} of their own. Rename this column.`;
}

const MAX_LISTED = 20;

/** The longest name, and the characters of all names together: each answer row repeats them. */
const MAX_NAME_LENGTH = 1000;
const MAX_NAMES_LENGTH = 128 * 1024;

/**
 * Checks the names of a table's columns, the target among them. Columns may be without a name, as far as they have no
 * values.
 *
 * @throws {TableError} if there are too many columns, or a name is double, absent (the target) or claimed by the
 *   answer, or none has a name; other faults gathered so far are reported with it.
 */
export function checkColumnNames(names: readonly string[], target: string, faults: FaultList) {
  const count = names.filter((name) => name !== '').length;
  if (count > MAX_COLUMNS) throw tooManyColumns();
  if (count === 0) {
    const message = 'No column has a name. Send the names of the columns in a header.';
    throw new TableError([{ message }]);
  }
  checkPresence(names, faults);
  checkClaimedNames(names, target, faults);
  if (!names.includes(target)) faults.add({ message: absentTarget(names, target), column: target });
  faults.throwIfAny();
}

/** The parameters of `trainModel` that choose the use of columns. */
const CHOOSING = { unused: 'exclude', number: 'as_number', date: 'as_date', category: 'as_category' } as const;

/** @throws {TableError} if the use or the marks of a missing column were named, or it is to choose rows. */
export function checkChosen(
  names: Iterable<string>,
  choices: ColumnChoices = [],
  { columns = [], missingIn = [] }: TableMarks = {},
  validation?: ValidationChoice,
): void {
  const all = [...names];
  checkWords(all, missingIn);
  checkNamed(all, [
    ...choices.map(([name, choice]) => [CHOOSING[choice], name] as const),
    ...columns.map(([name, mark]) => [DECIMALS[mark], name] as const),
    ...(validation?.by === undefined ? [] : [['validate_by', validation.by] as const]),
  ]);
}

/** @throws {TableError} if words are named for a column that is not there. */
function checkWords(names: readonly string[], entries: readonly string[]): void {
  const faults = new FaultList();
  for (const entry of entries) {
    if (names.some((name) => name !== '' && wordsIn([entry], name).length > 0)) continue;
    const column = entry.slice(0, entry.indexOf('='));
    const message = `There is no column ${quote(column)}, which missing_in names. The columns are: ${listNames(names)}.`;
    faults.add({ message, column });
  }
  faults.throwIfAny();
}

/** The parameters of `trainModel` that name the decimal mark of columns. */
const DECIMALS = { '.': 'decimal_point', ',': 'decimal_comma' } as const;

/** @throws {TableError} if a parameter names a column that is not there. */
export function checkNamed(
  names: Iterable<string>,
  named: readonly (readonly [parameter: string, name: string])[],
): void {
  const present = new Set(names);
  const faults = new FaultList();
  for (const [parameter, name] of named) {
    if (present.has(name)) continue;
    const message = `There is no column ${quote(name)}, which ${parameter} names. The columns are: ${listNames([...present])}.`;
    faults.add({ message, column: name });
  }
  faults.throwIfAny();
}

export function tooManyColumns(): TableError {
  const most = MAX_COLUMNS.toLocaleString('en');
  const message = `The table has more than ${most} columns. Send those that bear on the target.`;
  return new TableError([{ message }]);
}

function checkPresence(names: readonly string[], faults: FaultList): void {
  const length = names.reduce((sum, name) => sum + name.length, 0);
  if (length > MAX_NAMES_LENGTH) {
    const most = MAX_NAMES_LENGTH.toLocaleString('en');
    const message = `The names of the columns have ${length.toLocaleString('en')} characters together; at most ${most} are read. Shorten them, or send the columns that bear on the target.`;
    faults.add({ message });
  }
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === '') continue;
    if (name.length > MAX_NAME_LENGTH || name.includes('\0')) {
      const message = `The name of column ${index + 1} is longer than ${MAX_NAME_LENGTH} characters or has the character U+0000 in it. Rename the column.`;
      faults.add({ message });
    } else if (seen.has(name)) {
      const message = `Two columns are named ${quote(name)}. Give each column a name of its own.`;
      faults.add({ message, column: name });
    }
    seen.add(name);
  }
}

/** Every name that an answer row claims for itself: no table column may bear it. */
function checkClaimedNames(names: readonly string[], target: string, faults: FaultList): void {
  const claimed = new Set<string>([...Object.values(derivedColumns(target)), ...ECHO_COLUMNS]);
  for (const name of new Set(names)) {
    if (!claimed.has(name)) continue;
    faults.add({ message: claimedBy(name), column: name });
  }
}

function absentTarget(names: readonly string[], target: string): string {
  const hint =
    names.length === 1 && /[;\t|]/.test(names[0] ?? '') ? ' Separate the fields by commas, semicolons or tabs.' : '';
  return `There is no column ${quote(target)} to be the target. The columns are: ${listNames(names)}.${hint}`;
}

/** Lists names in a message: the first of them, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const named = names.filter((name) => name !== '');
  const listed = named.slice(0, MAX_LISTED).map(quote).join(', ');
  return named.length > MAX_LISTED ? `${listed} and ${named.length - MAX_LISTED} more` : listed;
}

import type { Model } from 'roster-client';
import { createReader, withoutFormula } from 'roster-prediction/browser';
import { profileColumns } from '../tables/column-profile.js';
import type { TableRecord } from '../tables/read-records.js';
import type { TableHead } from '../tables/table-head.js';
import { alignedPercent, whole, within } from '../ui/format.js';
import { targetUnit } from '../ui/units.js';
import { type AddedColumn, probabilityField, reasonFields, warningsField } from './added-columns.js';
import { truthReader } from './score.js';

/** The role of a column of a result. `own` columns of the file are not the model's: they may identify the row. */
export type Role = (typeof ORDER)[number];

/** The roles in the order in which people compare columns: the true value beside the prediction and its error. */
const ORDER = [
  ...(['row', 'own', 'truth', 'prediction', 'error', 'low', 'high', 'confidence', 'set', 'probability'] as const),
  ...(['warnings', 'added', 'reason', 'input'] as const),
] as const;

/** A row of a predicted file, with its place in the file, from 1. */
export interface ResultRow {
  readonly place: number;
  readonly cells: TableRecord;
}

/** A column of the table of predicted rows. */
export interface ResultColumn {
  /** Its name among all columns. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly isNumber: boolean;
  /** Its place in the predicted file; undefined for what is computed here. */
  readonly place: number | undefined;
  /** Returns what is shown of a row. */
  textOf(row: ResultRow): string;
  /** Returns what a row is sorted by; NaN or '' where it has nothing. */
  valueOf(row: ResultRow): number | string;
}

/** How the table of a result is shown. */
export interface ResultTable {
  readonly columns: readonly ResultColumn[];
  /** Returns whether a true value lies outside its interval, or is another class; undefined without true values. */
  readonly isMissed: ((row: ResultRow) => boolean) | undefined;
}

/** The columns of a predicted file, in its order: its own, then the added ones. */
interface FileColumns {
  readonly own: readonly string[];
  readonly added: readonly AddedColumn[];
  readonly hasDecimalComma: boolean;
}

/** Describes the columns of a predicted file, as a table shows them. */
export function describeResult(model: Model, head: TableHead, file: FileColumns): ResultTable {
  const columns = [PLACE, ...ownColumns(model, head, file.own), ...addedColumns(model, file)];
  const [truth, prediction, low, high] = (['truth', 'prediction', 'low', 'high'] as const).map((role) =>
    columns.find((column) => column.role === role),
  );
  const compared = truth && prediction ? compareTruth(model, truth, prediction, [low, high]) : undefined;
  const all = compared ? [...columns, compared.error] : columns;
  return {
    columns: all.toSorted((one, other) => ORDER.indexOf(one.role) - ORDER.indexOf(other.role)),
    isMissed: compared?.isMissed,
  };
}

const PLACE: ResultColumn = {
  id: 'row',
  name: 'Row',
  role: 'row',
  isNumber: true,
  place: undefined,
  textOf: ({ place }) => whole(place),
  valueOf: ({ place }) => place,
};

function ownColumns({ target, columns }: Model, head: TableHead, own: readonly string[]): ResultColumn[] {
  const used = new Set(columns?.filter((column) => column.used).map(({ name }) => name));
  const profiles = new Map(profileColumns(head).map((profile) => [profile.name, profile]));
  return own.map((name, place) => {
    const profile = profiles.get(name);
    const isNumber = profile?.kind === 'number';
    const read = createReader('number', profile?.reading ?? null);
    const textOf = ({ cells }: ResultRow) => cells[place] ?? '';
    return {
      id: `own:${place}`,
      name,
      role: name === target ? 'truth' : used.has(name) ? 'input' : 'own',
      isNumber,
      place,
      textOf,
      valueOf: (row) => (isNumber && textOf(row) !== '' ? read(textOf(row)) : textOf(row)),
    };
  });
}

function addedColumns(model: Model, { own, added, hasDecimalComma }: FileColumns): ResultColumn[] {
  const amount = amountFormat(model);
  const writers: Partial<Record<Role, (value: number) => string>> = {
    ...(model.task !== 'classification' && { prediction: amount }),
    low: amount,
    high: amount,
    confidence: alignedPercent,
    probability: alignedPercent,
    reason: amountFormat(model, true),
  };
  return added.map(({ field, name }, index) => {
    const place = own.length + index;
    const role = roleOf(model, field);
    const write = writers[role];
    const textOf = ({ cells }: ResultRow) => cells[place] ?? '';
    const numberOf = (row: ResultRow) => {
      const cell = textOf(row);
      return cell === '' ? Number.NaN : Number(hasDecimalComma ? cell.replace(',', '.') : cell);
    };
    return {
      id: field,
      name,
      role,
      isNumber: write !== undefined,
      place,
      textOf: (row) => (write === undefined || textOf(row) === '' ? textOf(row) : write(numberOf(row))),
      valueOf: write === undefined ? textOf : numberOf,
    };
  });
}

/** Returns a format for amounts of the target, with the digits that the model's error leaves them. */
function amountFormat(model: Model, isSigned = false): (value: number) => string {
  const error = model.task === 'regression' ? model.metrics?.mae : 0;
  return within(error ?? 0, targetUnit(model), isSigned);
}

function roleOf(model: Model, field: string): Role {
  const { target } = model;
  if (field.startsWith(probabilityField(model, ''))) return 'probability';
  if (reasonFields(model).includes(field)) return 'reason';
  const roles = new Map<string | undefined, Role>([
    [target, 'prediction'],
    [`${target}_min`, 'low'],
    [`${target}_max`, 'high'],
    [`${target}_confidence`, 'confidence'],
    [`${target}_set`, 'set'],
    [warningsField(model), 'warnings'],
  ]);
  return roles.get(field) ?? 'added';
}

/** Compares predictions with the true values of the file: a number by its error, a class by whether it is right. */
function compareTruth(
  model: Model,
  truth: ResultColumn,
  prediction: ResultColumn,
  [low, high]: readonly (ResultColumn | undefined)[],
) {
  const readTruth = truthReader(model);
  const read = (row: ResultRow) => readTruth(truth.textOf(row));
  const errorOf = (row: ResultRow) => Number(prediction.valueOf(row)) - Number(read(row));
  const describeClass = (row: ResultRow) => {
    const name = read(row);
    if (name === undefined) return '';
    return prediction.valueOf(row) === withoutFormula(String(name)) ? 'right' : 'wrong';
  };
  const write = amountFormat(model, true);
  const base = { id: 'error', name: 'Error', role: 'error', place: undefined } as const;
  if (model.task === 'classification') {
    const error: ResultColumn = {
      ...base,
      name: 'Right or wrong',
      isNumber: false,
      textOf: describeClass,
      valueOf: describeClass,
    };
    return { error, isMissed: (row: ResultRow) => describeClass(row) === 'wrong' };
  }
  const error: ResultColumn = {
    ...base,
    isNumber: true,
    textOf: (row) => (read(row) === undefined ? '' : write(errorOf(row))),
    // By its size: people look for the largest, whatever its sign.
    valueOf: (row) => (read(row) === undefined ? Number.NaN : Math.abs(errorOf(row))),
  };
  const isMissed = (row: ResultRow) => {
    const value = Number(read(row) ?? Number.NaN);
    return value < Number(low?.valueOf(row)) || value > Number(high?.valueOf(row));
  };
  return { error, isMissed };
}

import type { Model, PredictionRow } from 'roster-client';
import { withoutFormula } from 'roster-prediction/browser';

/** A column that predictions add to a file. */
export interface AddedColumn {
  /** Its name in the answers of the service. */
  readonly field: string;
  /** Its name in the file. */
  readonly name: string;
}

const ENDINGS = {
  regression: ['', '_min', '_max', '_confidence'],
  forecast: ['', '_min', '_max', '_confidence'],
  classification: ['', '_confidence', '_set'],
} as const;

/** Returns the column of warnings in the answers of the service; undefined if a model has none to ask for. */
export function warningsField({ target, task, columns }: Model): string | undefined {
  const field = `${target}_warnings`;
  const isTaken = columns?.some(({ name }) => name === field) ?? false;
  return task === 'forecast' || isTaken ? undefined : field;
}

/** The most classes whose probabilities are added to a file. */
const MAX_CLASSES = 10;

/** Returns the columns of the probabilities of classes in the answers of the service, if a model can be asked for them. */
export function probabilityFields(model: Model): string[] {
  const classes = model.task === 'classification' ? (model.classes ?? []) : [];
  const fields = classes.map(({ name }) => probabilityField(model, name));
  const isTaken = model.columns?.some(({ name }) => fields.includes(name)) ?? false;
  return fields.length > MAX_CLASSES || isTaken ? [] : fields;
}

export const probabilityField = ({ target }: Model, name: string) => `${target}_probability_${name}`;

/** Returns the columns of what each column adds to a prediction, in the answers of the service. */
export function reasonFields({ target, task, columns }: Model): string[] {
  const base = task === 'classification' ? ['base', 'base_probability'] : ['base'];
  const used = columns?.filter((column) => column.used) ?? [];
  return [...base, ...used.map(({ name }) => `contribution_${name}`)].map((ending) => `${target}_${ending}`);
}

/**
 * Returns the columns that predictions add to a file, with names that the file does not have.
 * @param more those that were chosen: the ids of remembered rows, and reasons
 */
export function addedColumns(model: Model, columns: readonly string[], more: readonly string[]): AddedColumn[] {
  const fields = ENDINGS[model.task].map((ending) => `${model.target}${ending}`);
  return [...fields, ...probabilityFields(model), ...more, warningsField(model) ?? []].flat().map((field) => {
    return { field, name: withoutFormula(freeName(field, columns)) };
  });
}

function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const base = `${name}_predicted`;
  let free = base;
  for (let next = 2; taken.includes(free); next++) free = `${base}_${next}`;
  return free;
}

/**
 * Writes the added cells of a row.
 * @param hasDecimalComma whether numbers of the file have a decimal comma
 */
export function addedCells(columns: readonly AddedColumn[], row: PredictionRow, hasDecimalComma: boolean): string[] {
  return columns.map(({ field }) => {
    const value = row[field];
    if (typeof value === 'number') {
      return hasDecimalComma ? String(value).replace('.', ',') : String(value);
    }
    if (typeof value === 'string') return withoutFormula(value);
    return Array.isArray(value) ? withoutFormula(value.join(' | ')) : '';
  });
}

/** Returns the text that `withoutFormula` has written as a cell. */
export const withFormula = (cell: string) => cell.replace(/^'(?=[=+\-@\t\r])/, '');

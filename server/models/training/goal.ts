import {
  type ColumnChoices,
  columnName,
  type Goal,
  type RowRanges,
  type TableMarks,
  type ValidationChoice,
  wordsIn,
} from 'roster-prediction/predicting';
import type { Input } from '../../api/handlers.js';
import { type FieldError, invalidRequest } from '../../problems/problem.js';
import type { Effort, Model } from '../model-rows.js';

/** The fields that say what a model predicts, and how its columns are used. */
export type GoalFields = Omit<
  Input<'trainModel'>['query'],
  'header' | 'header_line' | 'delimiter' | 'sheet' | 'drop_lines'
>;

/**
 * Returns what a model is to do: a task, or a forecast where `order_by` says so.
 * @param at the place of the fields in the request
 * @throws {ProblemError} if the parameters of a forecast do not fit each other
 */
export function parseGoal(query: GoalFields, at = '/query'): Goal | undefined {
  const { target, task, order_by, group_by = [], horizon, window, known = [], holidays = [], aggregate } = query;
  const errors: FieldError[] = [];
  const fault = (name: string, message: string) => errors.push({ pointer: `${at}/${name}`, message });
  if (order_by === undefined) {
    const of = { group_by: query.group_by, horizon, window, known: query.known, holidays: query.holidays, aggregate };
    for (const [name, value] of Object.entries(of)) {
      if (value !== undefined) fault(name, 'is for forecasts; send order_by with it');
    }
    if (errors.length > 0) throw invalidRequest(errors);
    return task;
  }
  if (task !== undefined) fault('task', 'does not go with order_by, which makes a forecast');
  if (horizon === undefined) fault('horizon', 'is missing; say how many steps are forecast');
  if (aggregate !== undefined && known.length > 0) {
    fault('aggregate', 'does not go with known, whose columns are not aggregated; aggregate them in the query instead');
  }
  const names = [
    ['order_by', order_by],
    ...group_by.map((name) => ['group_by', name] as const),
    ...known.map((name) => ['known', name] as const),
  ] as const;
  const taken = new Map([[columnName(target), 'target']]);
  for (const [parameter, sent] of names) {
    const name = columnName(sent);
    const other = taken.get(name);
    if (other !== undefined) {
      fault(parameter, `must be another column than ${other}, but both are ${JSON.stringify(name)}`);
    }
    taken.set(name, parameter);
  }
  if (errors.length > 0 || horizon === undefined) throw invalidRequest(errors);
  return {
    orderBy: columnName(order_by),
    groupBy: group_by.map(columnName),
    horizon,
    ...(window !== undefined && { window }),
    known: known.map(columnName),
    ...(holidays.length > 0 && { holidays: listRegions(holidays) }),
    ...(aggregate !== undefined && { aggregate }),
  };
}

/** Returns codes of countries and regions in capitals, each once, in the order of the alphabet. */
export function listRegions(codes: readonly string[]): string[] {
  return [...new Set(codes.map((code) => code.toUpperCase()))].sort();
}

/**
 * Returns the uses of columns that were chosen.
 * @param at the place of the fields in the request
 * @throws {ProblemError} if a column is the target or one of the series, or was chosen twice
 */
export function parseChoices(query: GoalFields, at = '/query'): ColumnChoices {
  const errors: FieldError[] = [];
  const choices = new Map<string, ColumnChoices[number][1]>();
  const roles = [
    ['target', [query.target]],
    ['order_by', query.order_by === undefined ? [] : [query.order_by]],
    ['group_by', query.group_by ?? []],
  ] as const;
  const taken = new Map<string, string>();
  for (const [role, names] of roles) for (const name of names) taken.set(columnName(name), role);
  const known = new Set(query.known?.map(columnName));
  for (const [parameter, choice] of CHOOSING) {
    for (const sent of query[parameter] ?? []) {
      const name = columnName(sent);
      // The target may be numbers whatever few of its cells have.
      const role = taken.get(name);
      const isNumbers = role === 'target' && choice === 'number' && query.task !== 'classification';
      const unlearnt = choice === 'unused' && known.has(name) ? 'known' : undefined;
      const other = isNumbers ? undefined : (role ?? unlearnt);
      if (other !== undefined) {
        const message = `must not name ${JSON.stringify(name)}, which ${other} names; leave it out of one`;
        errors.push({ pointer: `${at}/${parameter}`, message });
      }
      taken.set(name, parameter);
      choices.set(name, choice);
    }
  }
  if (errors.length > 0) throw invalidRequest(errors);
  return [...choices];
}

/** The parameters that choose the use of a column, each with its choice. */
export const CHOOSING = [
  ['exclude', 'unused'],
  ['as_category', 'category'],
  ['as_number', 'number'],
  ['as_date', 'date'],
] as const;

/** The fields that say what marks in the texts of a table mean. */
export type MarkFields = Pick<
  Input<'previewTable'>['query'],
  'decimal' | 'group' | 'date_order' | 'decimal_point' | 'decimal_comma' | 'missing' | 'missing_in'
>;

/** The columns of a forecast whose words are all names or moments. */
type SeriesFields = Pick<GoalFields, 'order_by' | 'group_by'>;

/** The parameters that name the decimal mark of a column. */
const DECIMALS = [
  ['decimal_point', '.'],
  ['decimal_comma', ','],
] as const;

/**
 * Returns the named meaning of marks; undefined if the request names none.
 * @param choices of columns, which must not contradict it
 * @param at the place of the fields in the request
 * @throws {ProblemError} if the marks contradict each other, or name a column that has no numbers
 */
export function parseMarks(
  fields: MarkFields & Partial<SeriesFields>,
  choices: ColumnChoices,
  at = '/query',
): TableMarks | undefined {
  const { decimal, group, date_order: dateOrder } = fields;
  const errors: FieldError[] = [];
  if (decimal !== undefined && decimal === group) {
    const message = 'must differ from decimal; thousands and decimals need different marks';
    errors.push({ pointer: `${at}/group`, message });
  }
  const columns = new Map<string, TableColumnMark>();
  const uses = new Map(choices);
  for (const [parameter, mark] of DECIMALS) {
    for (const sent of fields[parameter] ?? []) {
      const name = columnName(sent);
      const use = uses.get(name);
      const other = use === undefined || use === 'number' ? undefined : parameterOf(use);
      const named = columns.has(name) ? 'another' : other;
      if (named !== undefined) {
        const message = `must not name ${JSON.stringify(name)}, which ${named} names; leave it out of one`;
        errors.push({ pointer: `${at}/${parameter}`, message });
      }
      columns.set(name, mark);
    }
  }
  const missing = listWords(fields.missing);
  const missingIn = listWords(fields.missing_in);
  for (const [parameter, name] of wordless(fields, choices)) {
    if (wordsIn(missingIn, name).length === 0) continue;
    const message = `must not name ${JSON.stringify(name)}, which ${parameter} names; leave it out of one`;
    errors.push({ pointer: `${at}/missing_in`, message });
  }
  if (errors.length > 0) throw invalidRequest(errors);
  const marks: TableMarks = {
    ...(decimal !== undefined && { decimal }),
    ...(group !== undefined && { group }),
    ...(dateOrder !== undefined && { dateOrder }),
    ...(columns.size > 0 && { columns: [...columns] }),
    ...(missing.length > 0 && { missing }),
    ...(missingIn.length > 0 && { missingIn }),
  };
  return Object.keys(marks).length > 0 ? marks : undefined;
}

/** The fields that say which rows measure a model. */
export type ValidationFields = Pick<GoalFields, 'target' | 'order_by' | 'validate' | 'validate_by'>;

/**
 * Returns the choice of the rows that measure a model; undefined for random ones.
 * @param at the place of the fields in the request
 * @throws {ProblemError} if the fields do not fit each other
 */
export function parseValidation(fields: ValidationFields, at = '/query'): ValidationChoice | undefined {
  const { target, order_by, validate: method = 'random', validate_by } = fields;
  const refuse = (name: string, message: string) => invalidRequest([{ pointer: `${at}/${name}`, message }]);
  if (order_by !== undefined) {
    const name = fields.validate === undefined ? 'validate_by' : 'validate';
    if (fields[name] === undefined) return undefined;
    throw refuse(name, 'is not for forecasts, which are measured by the ends of their series; leave it out');
  }
  const by = validate_by === undefined ? undefined : columnName(validate_by);
  if (by === columnName(target)) throw refuse('validate_by', 'must be another column than target');
  if (method === 'group') {
    if (by === undefined) throw refuse('validate_by', 'is missing; name the column whose values are the groups');
    return { method, by };
  }
  if (method === 'last') return { method, ...(by !== undefined && { by }) };
  if (by !== undefined) throw refuse('validate_by', 'is for validate=last or validate=group; send one of them with it');
  return undefined;
}

/** Returns the request fields of a choice that `parseValidation` has read. */
export function writeValidation(choice: ValidationChoice | undefined): Omit<ValidationFields, 'target' | 'order_by'> {
  if (choice === undefined) return {};
  const { method: validate, by } = choice;
  return { validate, ...(by !== undefined && { validate_by: by }) };
}

/**
 * Returns the effort of a training; undefined for a forecast, which has none.
 * @param at the place of the fields in the request
 * @throws {ProblemError} if a forecast is to have one
 */
export function parseEffort(fields: Pick<GoalFields, 'order_by' | 'effort'>, at = '/query'): Effort | undefined {
  const { order_by, effort } = fields;
  if (order_by === undefined) return effort ?? 'standard';
  if (effort === undefined) return undefined;
  const message = 'is not for forecasts, all of which are trained with the same effort; leave it out';
  throw invalidRequest([{ pointer: `${at}/effort`, message }]);
}

/** Lists words without blanks at their ends, each once. */
function listWords(sent: readonly string[] = []): string[] {
  return [...new Set(sent.map((word) => word.trim()))];
}

/** Lists the columns in which no word counts as missing, with the parameter that names each. */
function wordless({ order_by, group_by = [] }: Partial<SeriesFields>, choices: ColumnChoices) {
  const unused = choices.filter(([, choice]) => choice === 'unused').map(([name]) => ['exclude', name] as const);
  const order = order_by === undefined ? [] : [['order_by', columnName(order_by)] as const];
  return [...unused, ...order, ...group_by.map((name) => ['group_by', columnName(name)] as const)];
}

type TableColumnMark = NonNullable<TableMarks['columns']>[number][1];

function parameterOf(use: ColumnChoices[number][1]): string {
  return CHOOSING.find(([, choice]) => choice === use)?.[0] ?? 'another';
}

/** Returns the request fields for marks that `parseMarks` has read. */
export function writeMarks({ decimal, group, dateOrder, columns = [], missing, missingIn }: TableMarks): MarkFields {
  const lists = DECIMALS.flatMap(([parameter, mark]) => {
    const names = columns.filter(([, own]) => own === mark).map(([name]) => name);
    return names.length > 0 ? [[parameter, names] as const] : [];
  });
  return {
    ...(decimal !== undefined && { decimal }),
    ...(group !== undefined && { group }),
    ...(dateOrder !== undefined && { date_order: dateOrder }),
    ...Object.fromEntries(lists),
    ...(missing && { missing: [...missing] }),
    ...(missingIn && { missing_in: [...missingIn] }),
  };
}

/**
 * Returns the rows that a request leaves out.
 * @param sent single numbers, or two with a hyphen between them
 * @throws {ProblemError} if a range ends before it begins
 */
export function parseDroppedRows(sent: readonly string[] = []): RowRanges {
  const errors: FieldError[] = [];
  const ranges = sent.map((text): RowRanges[number] => {
    const [first = 0, last = first] = text.split('-').map(Number);
    const message = `must not end before it begins, as ${text} does`;
    if (last < first) errors.push({ pointer: '/query/drop_lines', message });
    return [first, last];
  });
  if (errors.length > 0) throw invalidRequest(errors.slice(0, 1));
  return ranges;
}

export function readGoal(model: Model): Goal {
  if (model.task !== 'forecast') return model.task;
  const { order_by, group_by, horizon, window, known, holidays, aggregate } = model;
  return {
    orderBy: order_by,
    groupBy: group_by,
    horizon,
    known,
    ...(holidays.length > 0 && { holidays }),
    ...(window !== null && { window }),
    ...(aggregate !== undefined && { aggregate }),
  };
}

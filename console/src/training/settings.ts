import type { Model } from 'roster-client';
import type { Remedy } from '../findings/finding.js';
import { type ChosenUses, PARAMETERS, type Use } from './column-uses.js';

/** The choices of a training beside its goal. */
export interface Settings {
  readonly uses: ChosenUses;
  /** The parameters that hold for the table, with their values; one of a list occurs once for each value. */
  readonly table: readonly Remedy[];
}

const NO_SETTINGS: Settings = { uses: new Map(), table: [] };

const DECIMALS = ['.', ','] as const;
const GROUPS = [',', '.', ' ', "'"] as const;
const ORDERS = ['day-first', 'month-first', 'year-first'] as const;

/** Random rows need no parameter. */
const VALIDATIONS = ['last', 'group'] as const;

const EFFORTS = ['fast', 'standard', 'best'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The values of the parameters that have one value for the table. */
const VALUES = { decimal: DECIMALS, group: GROUPS, date_order: ORDERS, validate: VALIDATIONS, effort: EFFORTS };

/** The parameters that name parts of a table, once for each. */
export const NAMED = ['missing', 'missing_in', 'drop_lines'] as const;

/** A parameter that holds for the table. */
export type TableParameter = keyof typeof VALUES | 'validate_by' | (typeof NAMED)[number];

/** The use of a column that each parameter states. */
const USES = new Map<string, Use>(
  (['unused', 'category', 'number', 'date', 'point', 'comma'] as const).map((use) => [PARAMETERS[use], use]),
);

const isList = (parameter: string) => NAMED.some((list) => list === parameter);

/** Returns whether this page can set a parameter to a value. */
export function canSet({ parameter, value }: Remedy): boolean {
  const values: readonly string[] = Object.entries(VALUES).find(([name]) => name === parameter)?.[1] ?? [];
  return USES.has(parameter) || isList(parameter) || parameter === 'validate_by' || values.includes(value);
}

/** Returns whether a parameter has a value. */
export function isSet({ uses, table }: Settings, remedy: Remedy): boolean {
  const use = USES.get(remedy.parameter);
  return use === undefined ? table.some((one) => isSame(one, remedy)) : uses.get(remedy.value) === use;
}

/** Sets a parameter that `canSet` allows. */
export function set(settings: Settings, remedy: Remedy): Settings {
  const { parameter, value } = remedy;
  const use = USES.get(parameter);
  if (use !== undefined) return { ...settings, uses: new Map(settings.uses).set(value, use) };
  const others = settings.table.filter(
    (one) => !(isList(parameter) ? isSame(one, remedy) : one.parameter === parameter),
  );
  return { ...settings, table: [...others, { parameter, value }] };
}

/** Takes back what `set` has set. */
export function unset(settings: Settings, remedy: Remedy): Settings {
  const { parameter, value } = remedy;
  if (USES.has(parameter)) return { ...settings, uses: new Map(settings.uses).set(value, 'found') };
  return { ...settings, table: settings.table.filter((one) => !isSame(one, remedy)) };
}

const isSame = (one: Remedy, other: Remedy) => one.parameter === other.parameter && one.value === other.value;

/** Returns the change that gives a parameter with one value another one; '' takes it back. */
export function choose(parameter: TableParameter, value: string): (settings: Settings) => Settings {
  return (settings) => {
    const others = { ...settings, table: settings.table.filter((one) => one.parameter !== parameter) };
    return value === '' ? others : set(others, { parameter, value });
  };
}

/** Returns the values of a parameter that holds for the table. */
export function valuesOf({ table }: Settings, parameter: TableParameter): string[] {
  return table.filter((one) => one.parameter === parameter).map(({ value }) => value);
}

/** Returns the chosen one of the values of a parameter. */
function findValue<T extends string>(settings: Settings, parameter: TableParameter, values: readonly T[]) {
  return values.find((value) => isSet(settings, { parameter, value }));
}

/** Returns the effort of a training: the chosen one, or that of the model. */
export function findEffort(settings: Settings, model: Model | undefined): Effort {
  const known = model?.task === 'forecast' ? undefined : model?.effort;
  return findValue(settings, 'effort', EFFORTS) ?? known ?? 'standard';
}

/** Returns the parameters by which the rows of a table are chosen that measure the model. */
export function validationQuery(settings: Settings) {
  const validate = findValue(settings, 'validate', VALIDATIONS);
  const [validate_by] = valuesOf(settings, 'validate_by');
  return validate === undefined ? {} : { validate, ...(validate_by && { validate_by }) };
}

/** Returns the parameters by which a table is read, as those of a request. */
export function tableQuery(settings: Settings) {
  const decimal = findValue(settings, 'decimal', DECIMALS);
  const group = findValue(settings, 'group', GROUPS);
  const date_order = findValue(settings, 'date_order', ORDERS);
  const missing = valuesOf(settings, 'missing');
  const missing_in = valuesOf(settings, 'missing_in');
  const drop_lines = valuesOf(settings, 'drop_lines');
  return {
    ...(decimal && { decimal }),
    ...(group && { group }),
    ...(date_order && { date_order }),
    ...(missing.length > 0 && { missing }),
    ...(missing_in.length > 0 && { missing_in }),
    ...(drop_lines.length > 0 && { drop_lines }),
  };
}

/** Reads the settings of an address, such as those that a finding about a model leads to. */
export function settingsOf(query: URLSearchParams): Settings {
  return [...query].reduce((settings, [parameter, value]) => {
    return canSet({ parameter, value }) ? set(settings, { parameter, value }) : settings;
  }, NO_SETTINGS);
}

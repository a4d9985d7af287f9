import type { Column, Model } from 'roster-client';
import type { ColumnProfile } from '../tables/column-profile.js';

/**
 * The use of a column in a training: as its values suggest, as a kind, as numbers with a decimal point or comma, or not
 * at all.
 */
export type Use = 'found' | 'number' | 'point' | 'comma' | 'date' | 'category' | 'unused';

/** A use, and why it was suggested. */
export interface ColumnUse {
  readonly use: Use;
  readonly reason?: string;
}

/** The uses that were chosen, by the name of the column. */
export type ChosenUses = ReadonlyMap<string, Use>;

const FOUND: ColumnUse = { use: 'found' };

/** Names of columns that distinguish rows. */
const ID_NAME = /(^|[^a-z])(id|uuid|guid|key|nr|no|number|nummer|index)$/i;

/** The fewest rows that show that all values differ. */
const MIN_ROWS = 20;

/**
 * Returns the use of each column in turn: the chosen one, that of the model's newest version, or the one that its
 * first values suggest.
 */
export function findUses(
  profiles: readonly ColumnProfile[],
  chosen: ChosenUses,
  existing: Model | undefined,
): ColumnUse[] {
  const known = new Map<string, Use>(existing?.columns?.map((column) => [column.name, usedBefore(column)] as const));
  return profiles.map((profile, index) => {
    const use = chosen.get(profile.name);
    if (use !== undefined) return { use };
    const before = known.get(profile.name);
    if (before !== undefined) return { use: before };
    return suggestUse(profile, index === 0);
  });
}

/** Returns the parameters for columns whose decimal mark was chosen, now or for the model's newest version. */
export function findDecimals(
  names: readonly string[],
  chosen: ChosenUses,
  existing: Model | undefined,
): Pick<UseParameters, 'decimal_point' | 'decimal_comma'> {
  const known = new Map<string, Use>(existing?.columns?.map((column) => [column.name, usedBefore(column)] as const));
  const list = (use: Use) => [...new Set(names)].filter((name) => (chosen.get(name) ?? known.get(name)) === use);
  const [points, commas] = [list('point'), list('comma')];
  return { ...(points.length > 0 && { decimal_point: points }), ...(commas.length > 0 && { decimal_comma: commas }) };
}

/** The use that was chosen for a column of a model. */
function usedBefore({ chosen, reading }: Column): Use {
  if (chosen !== undefined && chosen !== 'number') return chosen;
  if (reading?.kind !== 'number' || reading.decided_by !== 'parameters') return chosen ?? 'found';
  return reading.decimal === ',' ? 'comma' : 'point';
}

function suggestUse({ name, kind, values, isIndex }: ColumnProfile, isFirst: boolean): ColumnUse {
  if (isIndex) return { use: 'unused', reason: 'Has no name: it numbers the rows' };
  const texts = values.map(([text]) => text);
  const areDigits = texts.length > 0 && texts.every((text) => /^\d+$/.test(text));
  if (areDigits && texts.some((text) => /^0\d/.test(text))) {
    return { use: 'category', reason: 'Codes that begin with 0' };
  }
  const isEachNew = texts.length >= MIN_ROWS && values.every(([, rows]) => rows === 1);
  const isNamed = ID_NAME.test(name) || /[a-z]I[Dd]$/.test(name);
  const isCounter = isFirst && areDigits && texts.every((text, at) => Number(text) === Number(texts[0]) + at);
  if (isEachNew && ((kind === 'number' && areDigits && (isNamed || isCounter)) || kind === 'category')) {
    return { use: 'unused', reason: 'Looks like an id' };
  }
  return FOUND;
}

/** The parameters of a training that name the columns of a use. */
export const PARAMETERS = {
  unused: 'exclude',
  category: 'as_category',
  number: 'as_number',
  date: 'as_date',
  point: 'decimal_point',
  comma: 'decimal_comma',
} as const;

type UseParameters = Partial<Record<(typeof PARAMETERS)[keyof typeof PARAMETERS], string[]>>;

/**
 * Returns the parameters of `trainModel` that set the uses of columns.
 * @param roles the columns with a task, such as the target, whose use is not said; their decimal mark is
 */
export function toParameters(
  profiles: readonly ColumnProfile[],
  uses: readonly ColumnUse[],
  roles: readonly string[],
): UseParameters {
  const parameters: UseParameters = {};
  for (const [index, { name }] of profiles.entries()) {
    const use = uses[index]?.use ?? 'found';
    if (use === 'found' || name === '') continue;
    const isMark = use === 'point' || use === 'comma';
    if (!isMark && roles.includes(name)) continue;
    const parameter = PARAMETERS[use];
    parameters[parameter] = [...(parameters[parameter] ?? []), name];
  }
  return parameters;
}

/** Names the columns that are not used as their values suggest. */
export function describeUses(
  profiles: readonly ColumnProfile[],
  uses: readonly ColumnUse[],
  roles: readonly string[],
): string {
  const { exclude, as_category, as_number, as_date, decimal_point, decimal_comma } = toParameters(
    profiles,
    uses,
    roles,
  );
  const groups = [
    ['Left out', exclude],
    ['Categories', as_category],
    ['Numbers', as_number],
    ['Dates', as_date],
    ['Decimal point', decimal_point],
    ['Decimal comma', decimal_comma],
  ] as const;
  return groups.map(([words, names]) => (names ? `${words}: ${names.join(', ')}. ` : '')).join('');
}

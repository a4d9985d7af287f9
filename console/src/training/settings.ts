import type { Remedy } from '../findings/finding.js';
import type { PreviewMarks } from '../tables/preview.js';
import { type ChosenUses, PARAMETERS, type Use } from './column-uses.js';

/** The choices about a table that hold for all of it, as parameters of a training. */
export type TableSettings = Pick<PreviewMarks, 'decimal' | 'group' | 'date_order'>;

/** The choices of a training beside its goal. */
export interface Settings {
  readonly uses: ChosenUses;
  readonly table: TableSettings;
}

export const NO_SETTINGS: Settings = { uses: new Map(), table: {} };

/** The values of the parameters that have one value for the table. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  decimal: ['.', ','],
  group: [',', '.', ' ', "'"],
  date_order: ['day-first', 'month-first', 'year-first'],
} satisfies Record<keyof TableSettings, readonly string[]>;

/** The use of a column that each parameter states. */
const USES = new Map<string, Use>(
  (['unused', 'category', 'number', 'date', 'point', 'comma'] as const).map((use) => [PARAMETERS[use], use]),
);

/** Returns whether this page can set a parameter to a value. */
export function canSet({ parameter, value }: Remedy): boolean {
  return USES.has(parameter) || (VALUES[parameter]?.includes(value) ?? false);
}

/** Returns whether a parameter has a value. */
export function isSet({ uses, table }: Settings, { parameter, value }: Remedy): boolean {
  const use = USES.get(parameter);
  if (use !== undefined) return uses.get(value) === use;
  return Object.entries(table).some(([name, set]) => name === parameter && set === value);
}

/** Sets a parameter that `canSet` allows. */
export function set(settings: Settings, { parameter, value }: Remedy): Settings {
  const use = USES.get(parameter);
  if (use !== undefined) return { ...settings, uses: new Map(settings.uses).set(value, use) };
  return { ...settings, table: { ...settings.table, [parameter]: value } };
}

/** Takes back what `set` has set. */
export function unset(settings: Settings, { parameter, value }: Remedy): Settings {
  if (USES.has(parameter)) return { ...settings, uses: new Map(settings.uses).set(value, 'found') };
  const others = Object.entries(settings.table).filter(([name]) => name !== parameter);
  return others.reduce<Settings>((kept, [name, other]) => set(kept, { parameter: name, value: other }), {
    ...settings,
    table: {},
  });
}

/** Reads the settings of an address, such as those that a finding about a model leads to. */
export function settingsOf(query: URLSearchParams): Settings {
  return [...query].reduce((settings, [parameter, value]) => {
    return canSet({ parameter, value }) ? set(settings, { parameter, value }) : settings;
  }, NO_SETTINGS);
}

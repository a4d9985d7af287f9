/** Columns that close every answer row: null, or what the row itself sent under that name. */
export const ECHO_COLUMNS = ['select_data_query', 'when_data', '__service_row_id'] as const;

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

/** Every name that an answer row claims for itself, so that no table column may bear it. */
export function claimedNames(target: string): ReadonlySet<string> {
  return new Set<string>([...Object.values(derivedColumns(target)), ...ECHO_COLUMNS]);
}

/** Returns whether a JSON value has more than this many levels; an array of numbers has one. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (nestsDeeperThan(levels - 1, child)) return true;
  }
  return false;
}

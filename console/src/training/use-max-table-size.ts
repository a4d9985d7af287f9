import { answered } from 'roster-client';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';

/** Returns how many bytes a table can have; while that is not known, the service itself refuses larger ones. */
export function useMaxTableSize(): number {
  const { loaded } = useLoaded((signal) => answered(roster.GET('/me', { signal })), []);
  return loaded.state === 'ready' ? loaded.value.limits.max_table : Number.POSITIVE_INFINITY;
}

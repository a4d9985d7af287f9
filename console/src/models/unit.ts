import type { Column } from 'roster-client';
import type { Unit } from '../ui/format.js';

/** Returns the unit that all values of a column bear in the table; none if they are plain. */
export const unitOf = (reading: Column['reading']): Unit =>
  reading?.kind === 'number' ? reading.unit : null;

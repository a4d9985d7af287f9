import type { Scenario } from '../scenario.js';
import { killWritesPostgres, killWritesSqlite } from './kill-writes.js';
import { overloadOfGets, overloadOfPredictions } from './overload.js';
import { twoInstances } from './two-instances.js';

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [
  killWritesSqlite,
  killWritesPostgres,
  twoInstances,
  overloadOfGets,
  overloadOfPredictions,
];

import type { Scenario } from '../../scenario/scenario.js';
import { corruptStore } from './corrupt-store.js';
import { disk } from './disk.js';
import { killWritesPostgres, killWritesSqlite } from './kill-writes.js';
import { millionSkills } from './million-skills.js';
import { family as oneAgainstAll } from './one-against-all/index.js';
import { overloadOfGets, overloadOfPredictions } from './overload.js';
import { slowConnections } from './slow-connections.js';
import { twoInstances } from './two-instances.js';

/** The scenarios, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  killWritesSqlite,
  killWritesPostgres,
  twoInstances,
  overloadOfGets,
  overloadOfPredictions,
  slowConnections,
  millionSkills,
  disk,
  corruptStore,
  ...oneAgainstAll,
];

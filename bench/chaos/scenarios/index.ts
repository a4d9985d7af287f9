import type { Scenario } from '../../scenario/scenario.js';
import { corruptStore } from './corrupt-store.js';
import { disk } from './disk.js';
import { hostileFiles } from './hostile-files/index.js';
import { hostileQueries } from './hostile-queries/index.js';
import { killWritesPostgres, killWritesSqlite } from './kill-writes.js';
import { millionSkills } from './million-skills.js';
import { family as noisyNeighbour } from './noisy-neighbour/index.js';
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
  ...noisyNeighbour,
  ...hostileFiles,
  ...hostileQueries,
];

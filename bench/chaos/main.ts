import { runScenarios } from '../scenarios.js';
import { corruptStore, disk } from './damaged-store.js';
import { scenariosOf } from './family.js';
import { hostileFiles } from './hostile-files.js';
import { hostileQueries } from './hostile-queries.js';
import { killWritesPostgres, killWritesSqlite } from './kill-writes.js';
import { millionSkills } from './million-skills.js';
import { noisyNeighbour } from './noisy-neighbour.js';
import { overloadOfGets, overloadOfPredictions } from './overload.js';
import { slowConnections } from './slow-connections.js';
import { twoInstances } from './two-instances.js';

await runScenarios({
  name: 'chaos',
  description:
    'Put the service through failures and attacks, and report whether it keeps its guarantees.',
  file: 'chaos',
  // In the order in which they run.
  scenarios: [
    killWritesSqlite,
    killWritesPostgres,
    twoInstances,
    overloadOfGets,
    overloadOfPredictions,
    slowConnections,
    millionSkills,
    disk,
    corruptStore,
    ...scenariosOf(noisyNeighbour),
    ...scenariosOf(hostileFiles),
    ...scenariosOf(hostileQueries),
  ],
});

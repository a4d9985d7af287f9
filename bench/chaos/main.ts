import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { wire } from '../../testkit/http/load.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { compareRates, measureRate } from '../load.js';
import { runScenarios, type Scenario } from '../scenarios.js';
import { withTwoServices } from '../services.js';
import { corruptStore, disk, diskPostgres } from './damaged-store.js';
import { doors } from './doors.js';
import { listScenarios } from './family.js';
import { hostile } from './hostile.js';
import { killPromises } from './kill-promises.js';
import { killWrites, twoInstances } from './kills.js';
import { manifests } from './manifests.js';
import { noisyNeighbour } from './noisy-neighbour.js';
import { overloadOfGets, overloadOfPredictions, slowConnections } from './overload.js';

interface Size {
  readonly projects: number;
  readonly skills: number;
}
const SMALL: Size = { projects: 1, skills: 1_000 };
const LARGE: Size = { projects: 100, skills: 10_000 };

/** Reads one skill of a million, and one of a thousand for comparison: one after the other, so that none waits. */
const millionSkills: Scenario = {
  name: 'million-skills',
  run: async ({ folder }) => {
    const [small, large] = [join(folder, 'small.db'), join(folder, 'large.db')] as const;
    await fill(folder, small, SMALL);
    await fill(folder, large, LARGE);
    const use = async (few: Service, many: Service) => {
      const both = { first: reading(many, LARGE), second: reading(few, SMALL), rounds: 7 };
      const asked = 'reading one of 1,000,000 skills beside one of 1,000';
      return [
        await compareRates({ asked: `${asked}: processor ≤ 1.5`, ...both, what: 'cost', most: 1.5 }),
        await compareRates({ asked: `${asked}: requests a second ≥ 2/3`, ...both, least: 1 / 1.5 }),
      ];
    };
    const first = { databaseUrl: `file:${small}` };
    return withTwoServices(folder, use, { first, second: { databaseUrl: `file:${large}` } });
  },
};

function reading(service: Service, { projects, skills }: Size) {
  const request = () => {
    const project = Math.floor(Math.random() * projects);
    const skill = Math.floor(Math.random() * skills);
    return wire(service.url, 'GET', `/projects/project_${project}/skills/skill_${skill}`);
  };
  return () => measureRate({ service, request, seconds: 1.5 });
}

/** Lets the service create a store, and fills it directly: over HTTP it would take an hour. */
async function fill(folder: string, file: string, { projects, skills }: Size): Promise<void> {
  await (await startService(folder, `file:${file}`)).stop();
  const database = new DatabaseSync(file);
  const now = new Date().toISOString();
  const addProject = database.prepare(
    "insert into projects (id, owner, name, created_at, skills) values (?, 'local', ?, ?, ?)",
  );
  const addSkill = database.prepare(
    `insert into skills (id, project_id, name, type, params, created_at, updated_at)
     values (?, ?, ?, 'lookup', '{"tables":["orders"],"limit":100}', ?, ?)`,
  );
  database.exec('begin');
  for (let project = 0; project < projects; project += 1) {
    const id = uuidv7();
    addProject.run(id, `project_${project}`, now, skills);
    for (let skill = 0; skill < skills; skill += 1) {
      addSkill.run(uuidv7(), id, `skill_${skill}`, now, now);
    }
  }
  database.exec('commit');
  database.close();
}

await runScenarios({
  name: 'chaos',
  description: 'Put the service through failures and attacks, and report whether it keeps its guarantees.',
  file: 'chaos',
  longest: 20,
  // In the order in which they run.
  scenarios: [
    ...killWrites,
    twoInstances,
    ...killPromises,
    overloadOfGets,
    overloadOfPredictions,
    slowConnections,
    millionSkills,
    manifests,
    disk,
    diskPostgres,
    corruptStore,
    ...listScenarios(noisyNeighbour),
    ...listScenarios(doors),
    ...listScenarios(hostile),
  ],
});

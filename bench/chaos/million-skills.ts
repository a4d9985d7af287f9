import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { Crowd, wire } from '../../testkit/http/load.js';
import { median } from '../../testkit/numbers.js';
import {
  processorTime,
  type Service,
  startService,
} from '../../testkit/service/measured-service.js';
import type { Finding, Scenario } from '../scenarios.js';

/** The number of projects, and of skills in each. */
interface Size {
  readonly projects: number;
  readonly skills: number;
}
const SMALL: Size = { projects: 1, skills: 1_000 };
const LARGE: Size = { projects: 100, skills: 10_000 };

const ROUNDS = 7;
const SECONDS = 1.5;
/** One request after the other, so that none waits for another. */
const CONNECTIONS = 1;

/** Reads one skill of a million, and one of a thousand for comparison. */
export const millionSkills: Scenario = {
  name: 'million-skills',
  run: async (folder) => {
    const files = [join(folder, 'small.db'), join(folder, 'large.db')] as const;
    await fill(folder, files[0], SMALL);
    await fill(folder, files[1], LARGE);
    const small = await startService(folder, `file:${files[0]}`);
    try {
      const large = await startService(folder, `file:${files[1]}`);
      try {
        return await compare(small, large);
      } finally {
        await large.kill();
      }
    } finally {
      await small.kill();
    }
  },
};

/** The cost of one request, in microseconds. */
interface Cost {
  readonly time: number;
  readonly processor: number;
}

async function compare(small: Service, large: Service): Promise<Finding[]> {
  const costs: Record<'small' | 'large', Cost[]> = { small: [], large: [] };
  const readSmall = reading(small, SMALL);
  const readLarge = reading(large, LARGE);
  await Promise.all([readSmall(), readLarge()]);
  for (let round = 0; round < ROUNDS; round += 1) {
    costs.small.push(await readSmall());
    costs.large.push(await readLarge());
  }
  return (['processor', 'time'] as const).map((what) => {
    const [few, many] = [costs.small, costs.large].map((all) =>
      median(all.map((cost) => cost[what])),
    );
    const ratio = (many ?? Number.NaN) / (few ?? Number.NaN);
    const name = what === 'time' ? 'time' : "service's processor time";
    return {
      asked: `reading one of 1,000,000 skills costs ≤ 1.5 times the ${name} of reading one of 1,000`,
      measured: `${ratio.toFixed(2)} times: ${many?.toFixed(0)} µs a request, ${few?.toFixed(0)} µs; ${ROUNDS} rounds in turn, medians`,
      passed: ratio <= 1.5,
    };
  });
}

function reading({ url, pid }: Service, { projects, skills }: Size): () => Promise<Cost> {
  const any = () => {
    const project = Math.floor(Math.random() * projects);
    const skill = Math.floor(Math.random() * skills);
    return wire(url, 'GET', `/projects/project_${project}/skills/skill_${skill}`);
  };
  return async () => {
    const crowd = new Crowd(url, any);
    const before = processorTime(pid);
    const { served, sent, seconds } = await crowd.closedLoop(CONNECTIONS, SECONDS);
    const processor = processorTime(pid) - before;
    crowd.close();
    if (served < sent - CONNECTIONS) throw new Error(`${sent - served} of ${sent} were not served`);
    return { time: (seconds * 1e6) / served, processor: (processor * 1e3) / served };
  };
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertSameAnswers } from './agreement.js';
import type { Contender } from './contenders.js';
import { type Cores, pin } from './cores.js';
import type { Group } from './groups.js';
import { type Cell, measure } from './measure.js';
import type { Running } from './running.js';
import { seed } from './seed.js';

interface Run {
  /** The cores, if there are two. */
  readonly cores: Cores | undefined;
  readonly rounds: number;
  /** The duration of a round, in seconds. */
  readonly seconds: number;
  /** Called when the measurement of a group begins. */
  readonly onGroup: (group: Group) => void;
}

/** Starts the servers of the groups, each with a copy of the same store, and measures group by group. */
export async function run(groups: readonly Group[], options: Run): Promise<Cell[]> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-bench-'));
  pin(process.pid, options.cores?.load);
  const servers = new Map<Contender, Running>();
  try {
    const store = join(folder, 'seed.db');
    const key = await seed(`file:${store}`);
    for (const [contender] of groups.flatMap(({ cells }) => cells)) {
      if (servers.has(contender)) continue;
      const server = await contender.start(join(folder, contender.name), store);
      servers.set(contender, server);
      pin(server.pid, options.cores?.servers);
    }
    const keeping = [...servers].filter(([{ keeps }]) => keeps);
    await assertSameAnswers(keeping, key);
    const measured: Cell[] = [];
    for (const group of groups) {
      options.onGroup(group);
      measured.push(...(await measure(group.cells, { ...options, servers, key })));
    }
    return measured;
  } finally {
    await Promise.all([...servers.values()].map((server) => server.kill()));
    await rm(folder, { recursive: true });
  }
}

import type { Findings } from './checks/findings.js';
import type { World } from './fixture.js';
import { searchRequests } from './search.js';
import { searchSequences } from './sequences/search.js';

/**
 * Goes from seed to seed, until so many requests were sent.
 * @param nextSeed a seed that nobody else goes through
 */
export async function explore(
  world: World,
  findings: Findings,
  wanted: number,
  nextSeed: () => number,
): Promise<void> {
  await world.prepare();
  while (world.tally.requests < wanted) {
    const seed = nextSeed();
    await searchRequests(world, findings, seed);
    await searchSequences(world, findings, seed);
  }
}

import type { Findings } from './checks/findings.js';
import type { Fixture } from './fixture.js';
import { searchRequests } from './search.js';
import { searchSequences } from './sequences/search.js';

/**
 * Sends requests, seed by seed, until the wanted number is reached.
 * @param nextSeed returns a seed that no other lane uses
 */
export async function explore(
  fixture: Fixture,
  findings: Findings,
  wanted: number,
  nextSeed: () => number,
): Promise<void> {
  await fixture.prepare();
  while (fixture.tally.requests < wanted) {
    const seed = nextSeed();
    await searchRequests(fixture, findings, seed);
    await searchSequences(fixture, findings, seed);
  }
}

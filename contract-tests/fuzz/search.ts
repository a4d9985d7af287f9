import fc from 'fast-check';
import { type Case, targetOf } from './case.js';
import { cases } from './cases.js';
import { faultsOfAnswer } from './checks/expectations.js';
import type { Finding, Findings } from './checks/findings.js';
import { faultsAfter } from './checks/follow-ups.js';
import type { Exchange, Fixture } from './fixture.js';
import { curlOf } from './http.js';
import { requestOf } from './requests.js';

/** The number of requests per seed: the more, the longer the path to a finding. */
const ROUND = 200;

const SHRINKS = 300;

/**
 * Sends the requests of one seed, until one has a new finding or the round is over. Records the finding in its
 * smallest form.
 * @param path the path at which fast-check reproduces one request, instead of a round
 */
export async function searchRequests(
  fixture: Fixture,
  findings: Findings,
  seed: number,
  path?: string,
): Promise<void> {
  let last: Omit<Finding, 'seed' | 'path'> | undefined;
  let left = SHRINKS;
  const property = fc.asyncProperty(cases, async (made) => {
    if (last !== undefined && left-- <= 0) return;
    const exchange = await exchangeOf(made, fixture);
    const faults = [...(await faultsOfAnswer(exchange)), ...(await faultsAfter(exchange))];
    if (faults.length === 0) return;
    const what = `${made.operationId}: ${fingerprintOf(faults[0] ?? '')}`;
    // Known findings are skipped, and so are other ones found while shrinking.
    if (findings.has(what) || (last !== undefined && last.what !== what)) return;
    last = { what, faults, shown: curlOf(fixture.url, exchange.request), kind: 'request' };
    throw new Error(faults.join('\n'));
  });
  const replay = path === undefined ? { numRuns: ROUND } : { path, numRuns: 1, endOnFailure: true };
  const details = await fc.check(property, { seed, ...replay });
  if (!details.failed) return;
  if (last === undefined) throw details.errorInstance;
  findings.add({ ...last, seed, path: details.counterexamplePath ?? '' });
}

async function exchangeOf(made: Case, fixture: Fixture): Promise<Exchange> {
  const filled = await fixture.fill(made);
  const request = requestOf(made, filled);
  fixture.noteIdempotencyKey(request.headers['Idempotency-Key']);
  const answer = await fixture.send(request, targetOf(made).id);
  return { made, filled, request, answer, fixture };
}

/** Returns a fault without the parts that vary between requests. */
function fingerprintOf(fault: string): string {
  return fault
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\/\d+/g, '/…')
    .slice(0, 120);
}

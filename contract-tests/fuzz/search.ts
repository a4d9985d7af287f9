import fc from 'fast-check';
import { type Case, targetOf } from './case.js';
import { cases } from './cases.js';
import { faultsOfAnswer } from './checks/expectations.js';
import type { Finding, Findings } from './checks/findings.js';
import { faultsAfter } from './checks/follow-ups.js';
import type { Exchange, World } from './fixture.js';
import { curlOf } from './http.js';
import { requestOf } from './requests.js';

/** How many requests are made from one seed: the more, the longer the path to a finding. */
const ROUND = 200;

/** How many smaller requests are tried once there is a finding. */
const SHRINKS = 300;

/**
 * Makes requests up from one seed, until one finds something new or the round is over. What was found is
 * noted, in its smallest form.
 * @param path where fast-check finds one request again, in place of a round
 */
export async function searchRequests(
  world: World,
  findings: Findings,
  seed: number,
  path?: string,
): Promise<void> {
  let last: Omit<Finding, 'seed' | 'path'> | undefined;
  let left = SHRINKS;
  const property = fc.asyncProperty(cases, async (made) => {
    if (last !== undefined && left-- <= 0) return;
    const exchange = await exchangeOf(made, world);
    const faults = [...(await faultsOfAnswer(exchange)), ...(await faultsAfter(exchange))];
    if (faults.length === 0) return;
    const what = `${made.operationId}: ${wordsOf(faults[0] ?? '')}`;
    // What is known already is not found again; and another finding, on the way to a smaller request, waits.
    if (findings.has(what) || (last !== undefined && last.what !== what)) return;
    last = { what, faults, shown: curlOf(world.url, exchange.request), kind: 'request' };
    throw new Error(faults.join('\n'));
  });
  const replay = path === undefined ? { numRuns: ROUND } : { path, numRuns: 1, endOnFailure: true };
  const details = await fc.check(property, { seed, ...replay });
  if (!details.failed) return;
  if (last === undefined) throw details.errorInstance;
  findings.add({ ...last, seed, path: details.counterexamplePath ?? '' });
}

async function exchangeOf(made: Case, world: World): Promise<Exchange> {
  const filled = await world.fill(made);
  const request = requestOf(made, filled);
  world.noteIdempotencyKey(request.headers['Idempotency-Key']);
  const answer = await world.send(request, targetOf(made).id);
  return { made, filled, request, answer, world };
}

/** A fault without what differs from request to request. */
function wordsOf(fault: string): string {
  return fault
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\/\d+/g, '/…')
    .slice(0, 120);
}

import fc from 'fast-check';
import { type Case, findTarget, writeRequest } from './case.js';
import { cases } from './cases.js';
import { faultsOfAnswer } from './checks/expectations.js';
import { faultsAfter } from './checks/follow-ups.js';
import type { Finding, Findings } from './findings.js';
import type { Exchange, Fixture } from './fixture.js';
import { writeCurl } from './http.js';
import type { Command } from './sequences/commands.js';
import { Mismatch, Project } from './sequences/project.js';
import { runSequence, sequences } from './sequences/sequences.js';

/** Something to draw and to try, and what it reveals. */
interface Search<T> {
  readonly kind: Finding['kind'];
  readonly drawn: fc.Arbitrary<T>;
  /** The number of draws per seed: the more, the longer the path to a finding. */
  readonly round: number;
  readonly shrinks: number;
  readonly reveal: (fixture: Fixture, drawn: T) => Promise<Pick<Finding, 'what' | 'faults' | 'shown'> | undefined>;
}

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

export const searchRequests = searching({
  kind: 'request',
  drawn: cases,
  round: 200,
  shrinks: 300,
  reveal: async (fixture, made) => {
    const exchange = await sendCase(made, fixture);
    const faults = [...(await faultsOfAnswer(exchange)), ...(await faultsAfter(exchange))];
    const [first] = faults;
    if (first === undefined) return undefined;
    const what = `${made.operationId}: ${maskFault(first)}`;
    return { what, faults, shown: writeCurl(fixture.url, exchange.request) };
  },
});

/** Runs sequences of commands, each in its own project and on a model of it. */
export const searchSequences = searching<Command[]>({
  kind: 'sequence',
  drawn: sequences,
  round: 10,
  shrinks: 200,
  reveal: async (fixture, sequence) => {
    const project = new Project(fixture, fixture.freshName());
    try {
      await runSequence(project, sequence);
      return undefined;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      const what = error.message.replace(/[:].*/s, '');
      return { what, faults: [error.message], shown: project.sent.join('\n') };
    }
  },
});

/**
 * Returns a function that tries the draws of one seed, until one has a new finding or the round is over. It records
 * the finding in its smallest form. With the path at which fast-check reproduces a draw, it tries this one alone.
 */
function searching<T>({ kind, drawn, round, shrinks, reveal }: Search<T>) {
  return async (fixture: Fixture, findings: Findings, seed: number, path?: string): Promise<void> => {
    let last: Awaited<ReturnType<typeof reveal>>;
    let left = shrinks;
    const property = fc.asyncProperty(drawn, async (one) => {
      if (last !== undefined && left-- <= 0) return;
      const found = await reveal(fixture, one);
      // Known findings are skipped, and so are other ones found while shrinking.
      if (found === undefined || findings.has(found.what)) return;
      if (last !== undefined && last.what !== found.what) return;
      last = found;
      throw new Error(found.faults.join('\n'));
    });
    const replay = path === undefined ? { numRuns: round } : { path, numRuns: 1, endOnFailure: true };
    const details = await fc.check(property, { seed, ...replay });
    if (!details.failed) return;
    if (last === undefined) throw details.errorInstance;
    findings.add({ ...last, kind, seed, path: details.counterexamplePath ?? '' });
  };
}

async function sendCase(made: Case, fixture: Fixture): Promise<Exchange> {
  const filled = await fixture.fill(made);
  const request = writeRequest(made, filled);
  fixture.noteIdempotencyKey(request.headers['Idempotency-Key']);
  const answer = await fixture.send(request, findTarget(made).id);
  return { made, filled, request, answer, fixture };
}

/** Returns a fault without the parts that vary between requests. */
function maskFault(fault: string): string {
  return fault
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\/\d+/g, '/…')
    .slice(0, 120);
}

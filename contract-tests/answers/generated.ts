import fc from 'fast-check';
import { cases } from '../fuzz/cases.js';
import { faultsAfter } from '../fuzz/checks/follow-ups.js';
import { Fixture } from '../fuzz/fixture.js';
import { exchangeOf } from '../fuzz/search.js';
import { Project } from '../fuzz/sequences/project.js';
import { runSequence, sequences } from '../fuzz/sequences/search.js';
import { Tally } from '../fuzz/tally.js';
import type { Recorder } from './recorder.js';
import type { Session } from './session.js';

/** The number of requests and of sequences of a seed. */
const CASES = 200;
const SEQUENCES = 10;

/** Sends the requests of the fuzzing, each seed to a project of its own. */
export async function sendGenerated({ name, url, recorder, keys, seeds }: Session): Promise<void> {
  if (keys === undefined) throw new Error('Generated requests need keys');
  for (const seed of seeds) {
    const fixture = new Fixture(url, keys, new Tally(), `seed${seed}`, recorder);
    recorder.begin(`${name}: seed ${seed}, fixture`);
    await fixture.prepare();
    for (const [number, made] of fc.sample(cases, { seed, numRuns: CASES }).entries()) {
      recorder.begin(`${name}: seed ${seed}, case ${number}, ${made.fault?.what ?? 'valid'}`);
      await untilWrong(recorder, async () => {
        await faultsAfter(await exchangeOf(made, fixture));
      });
    }
    for (const [number, all] of fc.sample(sequences, { seed, numRuns: SEQUENCES }).entries()) {
      recorder.begin(`${name}: seed ${seed}, sequence ${number}`);
      const project = new Project(fixture, fixture.freshName());
      await untilWrong(recorder, () => runSequence(project, all));
    }
  }
}

/** An answer that is not as the model expects ends a case, and is recorded like any other. */
async function untilWrong(recorder: Recorder, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    recorder.note('none', 'the case ends', error instanceof Error ? error.message : String(error));
  }
}

import fc from 'fast-check';
import type { Findings } from '../checks/findings.js';
import type { Fixture } from '../fixture.js';
import { EDGE_NUMBERS, EDGE_TEXTS } from '../values/edge-values.js';
import { anything } from '../values/values.js';
import { type Command, create, list, predict, read, remove, train, update } from './commands.js';
import type { Draft, Written } from './fields.js';
import { Mismatch, Project } from './project.js';
import { type Kind, type Reference, State } from './state.js';

/** Few names, so that they collide; some are easily confused. */
const names = fc.constantFrom('a', 'A', 'a.b', '__proto__', 'constructor', '0', 'a-', 'toString');
const kinds = fc.constantFrom<Kind>('skills', 'agents', 'chatbots', 'models');
const written = fc.constantFrom<Written>('skills', 'agents', 'chatbots');
const values = fc.oneof(
  fc.constant(null),
  fc.constantFrom(...EDGE_NUMBERS.filter((number) => !Object.is(number, -0))),
  fc.constantFrom(...EDGE_TEXTS.filter((text) => !/\p{Surrogate}/u.test(text))),
  fc.constantFrom({}, [], { a: null }, [null]),
);
const open = fc.dictionary(fc.constantFrom('a', 'b', '', '__proto__', 'é', 'a/b'), values, {
  noNullPrototype: true,
});
/** References, mostly to existing resources. */
const references: fc.Arbitrary<Reference> = fc.record({
  name: names,
  nth: fc.option(fc.nat(5), { nil: undefined, freq: 8 }),
});
const several = fc.array(references, { maxLength: 3 });
const types = fc.constantFrom('lookup', '💎');

const creations: fc.Arbitrary<Draft> = fc.record(
  { type: types, open, skills: several, agent: references },
  { requiredKeys: [] },
);

/** Updates with the whole list of skills, or with changes to it. */
const updates: fc.Arbitrary<Draft> = fc.oneof(
  fc.record(
    { name: names, type: types, open, skills: several, agent: references },
    { requiredKeys: [] },
  ),
  fc.record({ name: names, open, add: several, remove: several }, { requiredKeys: [] }),
);

function drawn<T extends unknown[]>(
  weight: number,
  arguments_: fc.Arbitrary<T>,
  made: (...values: T) => Command,
): fc.WeightedArbitrary<Command> {
  return { weight, arbitrary: arguments_.map((values) => made(...values)) };
}

const limits = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 3 });
const rows = fc.array(anything, { maxLength: 4 });

const creation = drawn(40, fc.tuple(written, names, creations), create);

const commands: fc.Arbitrary<Command> = fc.oneof(
  creation,
  drawn(30, fc.tuple(written, references, updates), update),
  drawn(10, fc.tuple(kinds, references), remove),
  drawn(15, fc.tuple(kinds, references, fc.boolean()), read),
  drawn(20, fc.tuple(kinds, limits, several), list),
  drawn(1, fc.tuple(references), train),
  drawn(3, fc.tuple(references, rows), predict),
);

/** The number of sequences per seed, and their maximum length. */
const ROUND = 10;
const MAX_STEPS_IN_SEQUENCE = 40;

const SHRINKS = 200;

/** Sequences that begin with some creations, so that there are resources to change. */
const sequences: fc.Arbitrary<Command[]> = fc
  .tuple(
    fc.array(creation.arbitrary, { minLength: 3, maxLength: 6, size: 'max' }),
    fc.array(commands, { maxLength: MAX_STEPS_IN_SEQUENCE, size: 'max' }),
  )
  .map((parts) => parts.flat());

/**
 * Runs the command sequences of one seed, each in its own project and on a model of it, until an answer differs
 * from the model or the round is over.
 * @param path the path at which fast-check reproduces one sequence, instead of a round
 */
export async function searchSequences(
  fixture: Fixture,
  findings: Findings,
  seed: number,
  path?: string,
): Promise<void> {
  let last: { what: string; faults: string[]; shown: string } | undefined;
  let left = SHRINKS;
  const property = fc.asyncProperty(sequences, async (sequence) => {
    if (last !== undefined && left-- <= 0) return;
    const project = new Project(fixture, fixture.freshName());
    try {
      await runSequence(project, sequence);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      const what = error.message.replace(/[:].*/s, '');
      if (findings.has(what) || (last !== undefined && last.what !== what)) return;
      last = { what, faults: [error.message], shown: project.sent.join('\n') };
      throw error;
    }
  });
  const replay = path === undefined ? { numRuns: ROUND } : { path, numRuns: 1, endOnFailure: true };
  const details = await fc.check(property, { seed, ...replay });
  if (!details.failed) return;
  if (last === undefined) throw details.errorInstance;
  findings.add({ ...last, kind: 'sequence', seed, path: details.counterexamplePath ?? '' });
}

/**
 * Runs commands in a new project and on a model of it, then deletes the project.
 * @throws {Mismatch} if an answer differs from the model
 */
async function runSequence(project: Project, sequence: readonly Command[]): Promise<void> {
  const state = new State();
  await project.ask('createProject', 'POST', '/projects', [201], {
    project: { name: project.name },
  });
  await fc.asyncModelRun(() => ({ model: state, real: project }), sequence);
  await clear(state, project);
}

/** Deletes a project: it is refused while the project has resources, and succeeds once they are deleted. */
async function clear(state: State, project: Project): Promise<void> {
  const all = (['chatbots', 'agents', 'skills', 'models'] as const).flatMap((kind) =>
    state.all(kind).map(({ name }) => remove(kind, { name: String(name), nth: undefined })),
  );
  const address = `/projects/${project.name}`;
  if (all.length > 0) await project.ask('deleteProject', 'DELETE', address, [409]);
  for (const command of all) await command.run(state, project);
  await project.ask('deleteProject', 'DELETE', address, [204]);
}

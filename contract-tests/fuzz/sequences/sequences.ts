import fc from 'fast-check';
import { EDGE_NUMBERS, EDGE_TEXTS } from '../values/edge-values.js';
import { anything } from '../values/values.js';
import { type Command, create, list, predict, read, remove, train, update } from './commands.js';
import type { Project } from './project.js';
import { type Fields, type Kind, type Reference, State, type Written } from './state.js';

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
const open = fc.dictionary(fc.constantFrom('a', 'b', '', '__proto__', 'é', 'a/b'), values, { noNullPrototype: true });
/** References, mostly to existing resources. */
const references: fc.Arbitrary<Reference> = fc.record({
  name: names,
  nth: fc.option(fc.nat(5), { nil: undefined, freq: 8 }),
});
const several = fc.array(references, { maxLength: 3 });
const types = fc.constantFrom('lookup', '💎');

const creations: fc.Arbitrary<Fields<Reference>> = fc.record(
  { type: types, open, skills: several, agent: references },
  { requiredKeys: [] },
);

/** Updates with the whole list of skills, or with changes to it. */
const updates: fc.Arbitrary<Fields<Reference>> = fc.oneof(
  fc.record({ name: names, type: types, open, skills: several, agent: references }, { requiredKeys: [] }),
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

/** The maximum length of a sequence, without its creations. */
const MAX_STEPS = 40;

/** Sequences that begin with some creations, so that there are resources to change. */
export const sequences: fc.Arbitrary<Command[]> = fc
  .tuple(
    fc.array(creation.arbitrary, { minLength: 3, maxLength: 6, size: 'max' }),
    fc.array(commands, { maxLength: MAX_STEPS, size: 'max' }),
  )
  .map((parts) => parts.flat());

/**
 * Runs commands in a new project and on a model of it, then deletes the project: it is refused while the project
 * has resources, and succeeds once they are deleted.
 * @throws {Mismatch} if an answer differs from the model
 */
export async function runSequence(project: Project, sequence: readonly Command[]): Promise<void> {
  const state = new State();
  await project.ask('createProject', { body: { project: { name: project.name } } }, 201);
  for (const command of sequence) await command(state, project);
  const deletions = (['chatbots', 'agents', 'skills', 'models'] as const).flatMap((kind) =>
    state.all(kind).map(({ name }) => remove(kind, { name, nth: undefined })),
  );
  if (deletions.length > 0) await project.ask('deleteProject', {}, 409);
  for (const command of deletions) await command(state, project);
  await project.ask('deleteProject', {}, 204);
}

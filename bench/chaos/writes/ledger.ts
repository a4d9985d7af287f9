import { ask } from '../../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../../testkit/json.js';

/** The acknowledged writes of clients that retry until they are acknowledged. */
export interface Ledger {
  /** The id and the last value, by name. */
  readonly skills: Map<string, { readonly id: string; readonly value: number }>;
  /** The id, by name. Each agent has the skill of the same name. */
  readonly agents: Map<string, { readonly id: string }>;
  /** Answers that no client should get. */
  readonly faults: string[];
  writes: number;
}

/** Returns the differences between a project and the acknowledged writes. */
export async function compareWith(ledger: Ledger, project: string): Promise<string[]> {
  const skills = arrayOf(await ask('GET', `${project}/skills`));
  const agents = arrayOf(await ask('GET', `${project}/agents`));
  return [
    ...misplaced('skills', ledger.skills, skills),
    ...misplaced('agents', ledger.agents, agents),
    ...skills
      .filter((skill) => storedValue(skill) !== ledger.skills.get(textOf(skill, 'name'))?.value)
      .map((skill) => `the skill ${textOf(skill, 'name')} has the value ${storedValue(skill)}`),
    ...agents
      .filter(
        (agent) => textOf(arrayOf(fieldOf(agent, 'skills'))[0], 'name') !== textOf(agent, 'name'),
      )
      .map((agent) => `the agent ${textOf(agent, 'name')} is without its skill`),
  ];
}

export function storedValue(skill: unknown): unknown {
  return fieldOf(fieldOf(skill, 'params'), 'value');
}

/** Returns the resources that are missing, duplicated, or not as acknowledged. */
function misplaced(
  what: string,
  acknowledged: ReadonlyMap<string, { readonly id: string }>,
  there: readonly unknown[],
): string[] {
  const faults = [...acknowledged]
    .filter(([name, { id }]) => {
      const found = there.filter((resource) => textOf(resource, 'name') === name);
      return found.length !== 1 || textOf(found[0], 'id') !== id;
    })
    .map(([name]) => `${name} of the ${what} is not there once as acknowledged`);
  const more = there.length - acknowledged.size;
  return more > 0 ? [...faults, `${more} ${what} more than were acknowledged`] : faults;
}

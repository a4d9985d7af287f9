import { ask } from '../../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../../testkit/json.js';

export const LISTS = ['skills', 'agents', 'chatbots', 'models'] as const;

/** What a project holds: of each kind, by name, what the writers know of it, as JSON. */
export type Contents = Readonly<Record<(typeof LISTS)[number], ReadonlyMap<string, string>>>;

/**
 * Reads what a project holds, from its lists.
 * @param project its address
 */
export async function contentsOf(project: string): Promise<Contents> {
  const models = project.replace('/projects/', '/api/projects/');
  const [skills, agents, chatbots, trained] = await Promise.all([
    ask('GET', `${project}/skills`),
    ask('GET', `${project}/agents`),
    ask('GET', `${project}/chatbots`),
    ask('GET', `${models}/models`),
  ]);
  return {
    skills: byName(skills, (skill) => sorted(fieldOf(skill, 'params'))),
    agents: byName(agents, (agent) =>
      arrayOf(fieldOf(agent, 'skills')).map((skill) => textOf(skill, 'name')),
    ),
    chatbots: byName(chatbots, (chatbot) => sorted(fieldOf(chatbot, 'settings'))),
    models: byName(trained, () => true),
  };
}

/** An object as a list of its fields, in the order of their names. */
export function sorted(value: unknown): unknown {
  const fields = Object.entries(Object(value));
  return fields.sort(([one], [other]) => (one < other ? -1 : 1));
}

function byName(list: unknown, known: (resource: unknown) => unknown): Map<string, string> {
  return new Map(
    arrayOf(list).map((resource) => [textOf(resource, 'name'), JSON.stringify(known(resource))]),
  );
}

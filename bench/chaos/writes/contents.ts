import { ask } from '../../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../../testkit/json.js';

export const LISTS = ['skills', 'agents', 'chatbots', 'models'] as const;

/** The contents of a project: for each kind, by name, the fields that the writers set, as JSON. */
export type Contents = Readonly<Record<(typeof LISTS)[number], ReadonlyMap<string, string>>>;

/**
 * Reads the contents of a project from its lists.
 * @param project the URL of the project
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

/** Converts an object to a list of its fields, sorted by name. */
export function sorted(value: unknown): unknown {
  const fields = Object.entries(Object(value));
  return fields.sort(([one], [other]) => (one < other ? -1 : 1));
}

function byName(list: unknown, known: (resource: unknown) => unknown): Map<string, string> {
  return new Map(
    arrayOf(list).map((resource) => [textOf(resource, 'name'), JSON.stringify(known(resource))]),
  );
}

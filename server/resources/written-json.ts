import type { Selectable } from 'kysely';
import type { Database } from '../store/database/schema.js';

/**
 * Returns the JSON of a skill, as `JSON.stringify` writes it. Stored JSON is inserted unchanged,
 * because `JSON.stringify` wrote it too.
 * @param agentIds the ids of its agents, with `","` between them; null if it has none
 */
export function skillJson(row: Selectable<Database['skills']>, agentIds: string | null): string {
  const { id, name, type, params, created_at, updated_at } = row;
  const own = JSON.stringify({ id, name, type }).slice(0, -1);
  const agents = agentIds === null ? '[]' : `["${agentIds}"]`;
  return `${own},"params":${params},"agent_ids":${agents},${times(created_at, updated_at)}`;
}

/** Returns the JSON of an agent, with that of its skills, in pieces. */
export function agentJson(
  row: Selectable<Database['agents']>,
  skills: readonly string[],
): readonly string[] {
  const { id, name, model_name, provider, prompt_template, model, data, settings } = row;
  const own = JSON.stringify({ id, name, model_name, provider, prompt_template }).slice(0, -1);
  return [
    `${own},"model":${model},"data":${data},"skills":[`,
    ...skills.map((skill, index) => (index === 0 ? skill : `,${skill}`)),
    `],"settings":${settings},"params":${settings},${times(row.created_at, row.updated_at)}`,
  ];
}

export function chatbotJson(
  row: Selectable<Database['chatbots']> & { readonly agent_name: string | null },
): string {
  const { id, name, agent_id, agent_name, model_name, database_name, settings } = row;
  const own = { id, name, agent_id, agent_name, model_name, database_name };
  const open = `"settings":${settings},"params":${settings}`;
  return `${JSON.stringify(own).slice(0, -1)},${open},${times(row.created_at, row.updated_at)}`;
}

/** Returns the last members of a resource, and the closing brace. */
function times(created_at: string, updated_at: string): string {
  return JSON.stringify({ created_at, updated_at }).slice(1);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { Database } from '../database/schema.js';

/** A resource of a list: its identifier, and about how many bytes its JSON has. */
export interface ListEntry {
  readonly id: string;
  readonly bytes: number;
}

/** How much is read from the store at once. */
const PART = { bytes: 256 * 1024, rows: 128 };

/** Cuts a list into parts that are read at once: a few large resources, or many small ones. */
export function* partsOf<T extends ListEntry>(entries: readonly T[]): Generator<readonly T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (part.length === PART.rows || (part.length > 0 && bytes + entry.bytes > PART.bytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += entry.bytes;
  }
  if (part.length > 0) yield part;
}

/** How long the event loop is kept between two pauses, in milliseconds. */
const BETWEEN_PAUSES = 4;

/** Returns a function that lets others be served, if that was not done for a few milliseconds. */
export function pausing(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < BETWEEN_PAUSES) return;
    await nextTurn();
    since = performance.now();
  };
}

/**
 * The JSON of a skill, as `JSON.stringify` writes it. JSON that the store keeps goes into it as it is: it was
 * written by `JSON.stringify` too.
 * @param agentIds the identifiers of its agents, with `","` between them; null if it has none
 */
export function skillJson(row: Selectable<Database['skills']>, agentIds: string | null): string {
  const { id, name, type, params, created_at, updated_at } = row;
  const own = JSON.stringify({ id, name, type }).slice(0, -1);
  const agents = agentIds === null ? '[]' : `["${agentIds}"]`;
  return `${own},"params":${params},"agent_ids":${agents},${times(created_at, updated_at)}`;
}

/** The JSON of an agent, in pieces, with that of its skills. */
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

/** The JSON of a chatbot. */
export function chatbotJson(
  row: Selectable<Database['chatbots']> & { readonly agent_name: string | null },
): string {
  const { id, name, agent_id, agent_name, model_name, database_name, settings } = row;
  const own = { id, name, agent_id, agent_name, model_name, database_name };
  const open = `"settings":${settings},"params":${settings}`;
  return `${JSON.stringify(own).slice(0, -1)},${open},${times(row.created_at, row.updated_at)}`;
}

/** The last members of a resource, and its end. */
function times(created_at: string, updated_at: string): string {
  return JSON.stringify({ created_at, updated_at }).slice(1);
}

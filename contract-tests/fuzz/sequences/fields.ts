/** The fields of a write, and their effect on the model of a project. */

import { recordOf } from '../../../testkit/json.js';
import type { Answer } from '../http.js';
import {
  type Agent,
  type Chatbot,
  merged,
  named,
  type Open,
  type Reference,
  type Skill,
  type State,
} from './state.js';

/** The fields of a write; each kind uses its own. */
export interface Fields {
  name?: string;
  type?: string;
  open?: Open;
  /** An agent's skills, by name. */
  skills?: readonly string[];
  add?: readonly string[];
  remove?: readonly string[];
  /** A chatbot's agent, by name. */
  agent?: string;
}

/** The same fields with references that are not yet resolved. */
export interface Draft {
  name?: string;
  type?: string;
  open?: Open;
  skills?: readonly Reference[];
  add?: readonly Reference[];
  remove?: readonly Reference[];
  agent?: Reference;
}

export type Written = 'skills' | 'agents' | 'chatbots';

/** Formats a reference for the output of fast-check. */
export function shown({ name, nth }: Reference): string {
  return nth === undefined ? name : `#${nth}`;
}

export function fieldsOf(state: State, { skills, add, remove, agent, ...others }: Draft): Fields {
  const all = (references: readonly Reference[]) => [
    ...new Set(references.map((one) => named(state, 'skills', one))),
  ];
  const added = add && all(add);
  return {
    ...others,
    ...(skills && { skills: all(skills) }),
    ...(added && { add: added }),
    // The contract's text forbids a skill in both lists.
    ...(remove && { remove: all(remove).filter((name) => !added?.includes(name)) }),
    ...(agent && { agent: named(state, 'agents', agent) }),
  };
}

/**
 * Returns the statuses of an update of a missing resource. Only a chatbot is created by an update, and only
 * under the name in its address.
 */
export function refusalsOfNew(state: State, kind: Written, fields: Fields, name: string): number[] {
  if (kind !== 'chatbots') return [404];
  const others = refusals(state, kind, fields, name);
  return (fields.name ?? name) === name ? others : [400, ...others];
}

/** Returns the statuses with which an invalid write is refused; empty if it is valid. */
export function refusals(
  state: State,
  kind: Written,
  fields: Fields,
  present: string | undefined,
): number[] {
  const { name, skills = [], add = [], remove = [], agent } = fields;
  const isTaken = name !== undefined && name !== present && state.shown(kind, name) !== undefined;
  const named = kind === 'agents' ? [...skills, ...add, ...remove] : [];
  const isUnknown =
    named.some((one) => state.shown('skills', one) === undefined) ||
    (kind === 'chatbots' && agent !== undefined && state.shown('agents', agent) === undefined);
  return [...(isTaken ? [409] : []), ...(isUnknown ? [422] : [])];
}

export function bodyOf(
  kind: Written,
  { name, type, open, skills, add, remove, agent }: Fields,
): object {
  const named = name === undefined ? {} : { name };
  switch (kind) {
    case 'skills':
      return { ...named, ...(type && { type }), ...(open && { params: open }) };
    case 'agents':
      return {
        ...named,
        ...(open && { settings: open }),
        ...(skills && { skills }),
        ...(add && { skills_to_add: add }),
        ...(remove && { skills_to_remove: remove.map((one) => ({ name: one })) }),
      };
    default:
      return { ...named, ...(open && { params: open }), ...(agent && { agent_name: agent }) };
  }
}

export function make(state: State, kind: Written, name: string, { json }: Answer): void {
  const id = String(recordOf(json)['id']);
  if (kind === 'skills') state.skills.push({ id, name, type: '', open: {} });
  else if (kind === 'agents') state.agents.push({ id, name, skills: [], open: {} });
  else state.chatbots.push({ id, name, agent: null, open: {} });
}

export function change(state: State, kind: Written, present: string, fields: Fields): void {
  const resource: Skill | Agent | Chatbot | undefined = state[kind].find(
    (one) => one.name === present,
  );
  if (resource === undefined) throw new Error(`The model has no ${present}`);
  const { name, type, open, skills, add = [], remove = [], agent } = fields;
  resource.name = name ?? present;
  resource.open = merged(resource.open, open ?? {});
  if ('type' in resource) resource.type = type ?? resource.type;
  if ('skills' in resource) {
    const find = (names: readonly string[]) =>
      state.skills.filter((one) => names.includes(one.name));
    const inOrder = (names: readonly string[]) => names.flatMap((one) => find([one]));
    const kept = skills
      ? inOrder(skills)
      : resource.skills.filter((one) => !remove.includes(one.name));
    resource.skills = [...kept, ...inOrder(add).filter((one) => !kept.includes(one))];
  }
  if ('agent' in resource && agent !== undefined) {
    resource.agent = state.agents.find((one) => one.name === agent) ?? null;
  }
}

/** Commands that write: what is sent, and what the project must then hold. */
import type { AsyncCommand } from 'fast-check';
import type { Answer } from '../http.js';
import { recordOf } from '../schema.js';
import { compare, type Project } from './project.js';
import {
  type Agent,
  type Chatbot,
  type Kind,
  merged,
  named,
  type Open,
  type Reference,
  type Skill,
  type State,
} from './state.js';

export type Command = AsyncCommand<State, Project>;

/** What a write may carry, of which each kind takes its own. */
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

/** The same before it is known what there is. */
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

const WORDS = { skills: 'skill', agents: 'agent', chatbots: 'chatbot' } as const;
const IDS = { skills: 'Skill', agents: 'Agent', chatbots: 'Chatbot' } as const;

/** Creates a resource. */
export class Create implements Command {
  constructor(
    private readonly kind: Written,
    private readonly name: string,
    private readonly draft: Draft,
  ) {}

  check(): boolean {
    return true;
  }

  async run(state: State, project: Project): Promise<void> {
    const { kind, name } = this;
    const fields = { type: 'sql', ...fieldsOf(state, this.draft), name };
    const statuses = refusals(state, kind, fields, undefined);
    const answer = await project.ask(
      `create${IDS[kind]}`,
      'POST',
      project.address(kind),
      statuses.length > 0 ? statuses : [201],
      { [WORDS[kind]]: bodyOf(kind, fields) },
    );
    if (statuses.length > 0) return;
    make(state, kind, name, answer);
    change(state, kind, name, fields);
    compare(`the new ${WORDS[kind]}`, answer.json, state.shown(kind, name));
  }

  toString(): string {
    return `create ${this.kind} ${this.name} ${JSON.stringify(this.draft)}`;
  }
}

/** Changes a resource, or creates a chatbot. */
export class Update implements Command {
  constructor(
    private readonly kind: Written,
    private readonly reference: Reference,
    private readonly draft: Draft,
  ) {}

  check(): boolean {
    return true;
  }

  async run(state: State, project: Project): Promise<void> {
    const { kind } = this;
    const name = named(state, kind, this.reference);
    const fields = fieldsOf(state, this.draft);
    const isNew = state.shown(kind, name) === undefined;
    const statuses = isNew
      ? refusalsOfNew(state, kind, fields, name)
      : refusals(state, kind, fields, name);
    const success = isNew ? 201 : 200;
    const answer = await project.ask(
      `update${IDS[kind]}`,
      'PUT',
      project.address(kind, name),
      statuses.length > 0 ? statuses : [success],
      { [WORDS[kind]]: bodyOf(kind, fields) },
    );
    if (statuses.length > 0) return;
    if (isNew) make(state, kind, name, answer);
    change(state, kind, name, fields);
    compare(`the changed ${WORDS[kind]}`, answer.json, state.shown(kind, fields.name ?? name));
  }

  toString(): string {
    return `update ${this.kind} ${shown(this.reference)} ${JSON.stringify(this.draft)}`;
  }
}

/** Deletes a resource. */
export class Delete implements Command {
  constructor(
    private readonly kind: Kind,
    private readonly reference: Reference,
  ) {}

  check(): boolean {
    return true;
  }

  async run(state: State, project: Project): Promise<void> {
    const { kind } = this;
    const name = named(state, kind, this.reference);
    const isThere = state.shown(kind, name) !== undefined;
    const id =
      kind === 'models'
        ? 'deleteModel'
        : `delete${IDS[kind]}${kind === 'agents' ? 'ByPlural' : ''}`;
    await project.ask(id, 'DELETE', project.address(kind, name), [isThere ? 204 : 404]);
    state.remove(kind, name);
  }

  toString(): string {
    return `delete ${this.kind} ${shown(this.reference)}`;
  }
}

/** How a reference is written in what fast-check tells. */
export function shown({ name, nth }: Reference): string {
  return nth === undefined ? name : `#${nth}`;
}

function fieldsOf(state: State, { skills, add, remove, agent, ...others }: Draft): Fields {
  const all = (references: readonly Reference[]) => [
    ...new Set(references.map((one) => named(state, 'skills', one))),
  ];
  const added = add && all(add);
  return {
    ...others,
    ...(skills && { skills: all(skills) }),
    ...(added && { add: added }),
    // What is in both lists is refused, by the contract's words.
    ...(remove && { remove: all(remove).filter((name) => !added?.includes(name)) }),
    ...(agent && { agent: named(state, 'agents', agent) }),
  };
}

/** Only a chatbot is created by an update, and only under the name of its address. */
function refusalsOfNew(state: State, kind: Written, fields: Fields, name: string): number[] {
  if (kind !== 'chatbots') return [404];
  const others = refusals(state, kind, fields, name);
  return (fields.name ?? name) === name ? others : [400, ...others];
}

/** The statuses of a write that cannot be done; none, if it can. */
function refusals(
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

function bodyOf(kind: Written, { name, type, open, skills, add, remove, agent }: Fields): object {
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

function make(state: State, kind: Written, name: string, { json }: Answer): void {
  const id = String(recordOf(json)['id']);
  if (kind === 'skills') state.skills.push({ id, name, type: '', open: {} });
  else if (kind === 'agents') state.agents.push({ id, name, skills: [], open: {} });
  else state.chatbots.push({ id, name, agent: null, open: {} });
}

function change(state: State, kind: Written, present: string, fields: Fields): void {
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

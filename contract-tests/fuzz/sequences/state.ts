/** A model of a project: the expected effect of every write, in a few lines. */

export type Kind = 'skills' | 'agents' | 'chatbots' | 'models';

/** The kinds that are written as JSON. */
export type Written = Exclude<Kind, 'models'>;

/** The keys that are the user's own. */
type Open = Readonly<Record<string, unknown>>;

/** A resource of any kind; each kind shows its own fields. */
interface Resource {
  readonly kind: Kind;
  readonly id: string;
  name: string;
  type: string;
  open: Open;
  /** An agent's skills. */
  skills: readonly Resource[];
  /** A chatbot's agent. */
  agent: Resource | undefined;
  /** A model's latest version. */
  version: number;
}

/** The fields of a write; each kind uses its own. `To` refers to another resource. */
export interface Fields<To = string> {
  name?: string;
  type?: string;
  open?: Open;
  skills?: readonly To[];
  add?: readonly To[];
  remove?: readonly To[];
  agent?: To;
}

/** A name, or the nth of the resources that exist when the command runs. */
export interface Reference {
  readonly name: string;
  readonly nth: number | undefined;
}

/** The bodies of writes, without the name. */
const BODIES: Readonly<Record<Written, (fields: Fields) => object>> = {
  skills: ({ type, open }) => ({ type, params: open }),
  agents: ({ open, skills, add, remove }) => ({
    settings: open,
    skills,
    skills_to_add: add,
    skills_to_remove: remove?.map((name) => ({ name })),
  }),
  chatbots: ({ open, agent }) => ({ params: open, agent_name: agent }),
};

export function makeBody(kind: Written, fields: Fields): object {
  return { name: fields.name, ...BODIES[kind](fields) };
}

export class State {
  /** In order of creation. */
  #resources: Resource[] = [];

  all(kind: Kind): Resource[] {
    return this.#resources.filter((one) => one.kind === kind);
  }

  find(kind: Kind, name: string): Resource | undefined {
    return this.all(kind).find((one) => one.name === name);
  }

  add(kind: Kind, name: string, id: string): Resource {
    const own = { type: '', open: {}, skills: [], agent: undefined, version: 1 };
    const resource = { kind, id, name, ...own };
    this.#resources.push(resource);
    return resource;
  }

  /**
   * Removes a resource. A skill is removed from its agents, and the chatbots of an agent are left without one.
   */
  remove(resource: Resource): void {
    this.#resources = this.#resources.filter((one) => one !== resource);
    for (const other of this.#resources) {
      other.skills = other.skills.filter((skill) => skill !== resource);
      if (other.agent === resource) other.agent = undefined;
    }
  }

  change(resource: Resource, fields: Fields): void {
    const { name, type, open = {}, skills, add = [], remove = [], agent } = fields;
    const found = (kind: Kind, names: readonly string[]) => names.flatMap((one) => this.find(kind, one) ?? []);
    const kept = skills ? found('skills', skills) : resource.skills.filter((one) => !remove.includes(one.name));
    resource.skills = [...kept, ...found('skills', add).filter((one) => !kept.includes(one))];
    if (agent !== undefined) [resource.agent] = found('agents', [agent]);
    resource.name = name ?? resource.name;
    resource.type = type ?? resource.type;
    resource.open = merged(resource.open, open);
  }

  /** Returns a resource as the service shows it, without timestamps. */
  shown(resource: Resource): object {
    const { kind, id, name, type, open, skills, agent, version } = resource;
    switch (kind) {
      case 'skills': {
        const users = this.all('agents').filter((user) => user.skills.includes(resource));
        return { id, name, type, params: open, agent_ids: users.map((user) => user.id) };
      }
      case 'agents': {
        const shown = skills.map((skill) => this.shown(skill));
        return { id, name, skills: shown, settings: open, params: open };
      }
      case 'chatbots': {
        const [agent_id, agent_name] = [agent?.id ?? null, agent?.name ?? null];
        return { id, name, agent_id, agent_name, settings: open, params: open };
      }
      default:
        return { id, name, version };
    }
  }

  /** Resolves a reference to the name of a resource. */
  named(kind: Kind, { name, nth }: Reference): string {
    const there = this.all(kind);
    return nth === undefined ? name : (there[nth % there.length]?.name ?? name);
  }

  /** Resolves the references of a write. */
  resolve({ skills, add, remove, agent, ...others }: Fields<Reference>): Fields {
    const all = (references: readonly Reference[]) => [...new Set(references.map((one) => this.named('skills', one)))];
    const added = add && all(add);
    return {
      ...others,
      ...(skills && { skills: all(skills) }),
      ...(added && { add: added }),
      // The contract's text forbids a skill in both lists.
      ...(remove && { remove: all(remove).filter((name) => !added?.includes(name)) }),
      ...(agent && { agent: this.named('agents', agent) }),
    };
  }

  /**
   * Returns the statuses with which an invalid write is refused; empty if it is valid.
   * @param at the name in the address of an update; undefined for a creation
   */
  refusals(kind: Written, fields: Fields, at: string | undefined): number[] {
    const { name, skills = [], add = [], remove = [], agent } = fields;
    const isMissing = at !== undefined && this.find(kind, at) === undefined;
    // Only a chatbot is created by an update, and only under the name in its address.
    if (isMissing && kind !== 'chatbots') return [404];
    const isElsewhere = isMissing && name !== undefined && name !== at;
    const isTaken = name !== undefined && name !== at && this.find(kind, name) !== undefined;
    const isUnknown =
      kind === 'agents'
        ? [...skills, ...add, ...remove].some((one) => this.find('skills', one) === undefined)
        : kind === 'chatbots' && agent !== undefined && this.find('agents', agent) === undefined;
    return [...(isElsewhere ? [400] : []), ...(isTaken ? [409] : []), ...(isUnknown ? [422] : [])];
  }
}

/** Merges one level deep: sent keys replace, null removes, other keys stay. */
function merged(stored: Open, sent: Open): Open {
  const changed = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(sent)) {
    if (value === null) changed.delete(key);
    else changed.set(key, value);
  }
  return Object.fromEntries(changed);
}

/** Commands that write to the service and to the model. */
import type { AsyncCommand } from 'fast-check';
import {
  bodyOf,
  change,
  type Draft,
  fieldsOf,
  make,
  refusals,
  refusalsOfNew,
  shown,
  type Written,
} from './fields.js';
import { compare, type Project } from './project.js';
import { type Kind, named, type Reference, type State } from './state.js';

export type Command = AsyncCommand<State, Project>;

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
    const fields = { type: 'lookup', ...fieldsOf(state, this.draft), name };
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

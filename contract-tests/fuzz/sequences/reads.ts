/** Commands that read, and compare the answers with the model. */
import { setTimeout as pause } from 'node:timers/promises';
import { recordOf } from '../values/schema.js';
import { keptTable, TARGET } from '../values/tables.js';
import { shown } from './fields.js';
import { compare, Mismatch, type Project } from './project.js';
import { type Kind, named, type Reference, type State } from './state.js';
import type { Command } from './writes.js';

const SINGULAR = {
  skills: 'Skill',
  agents: 'Agent',
  chatbots: 'Chatbot',
  models: 'Model',
} as const;

/** Reads one resource, by its name or by its identifier. */
export class Read implements Command {
  constructor(
    private readonly kind: Kind,
    private readonly reference: Reference,
    private readonly byId: boolean,
  ) {}

  check(): boolean {
    return true;
  }

  async run(state: State, project: Project): Promise<void> {
    const { kind, byId } = this;
    const name = named(state, kind, this.reference);
    const expected = state.shown(kind, name);
    const address = byId && expected ? String(expected['id']) : name;
    const isFound = expected !== undefined && (!byId || kind === 'skills' || kind === 'agents');
    const path = project.address(kind, address);
    const answer = await project.ask(`get${SINGULAR[kind]}`, 'GET', path, [isFound ? 200 : 404]);
    if (isFound) compare(`${kind} ${name}`, answer.json, expected);
  }

  toString(): string {
    return `read ${this.kind} ${shown(this.reference)}${this.byId ? ' by its identifier' : ''}`;
  }
}

/** Reads a whole list, page by page, or the skills of some agents. */
export class List implements Command {
  constructor(
    private readonly kind: Kind,
    private readonly limit: number | undefined,
    private readonly agents: readonly Reference[],
  ) {}

  check(): boolean {
    return true;
  }

  async run(state: State, project: Project): Promise<void> {
    const { kind, limit } = this;
    const asked = kind === 'skills' ? this.agents : [];
    const agents = asked.map((agent) => named(state, 'agents', agent));
    const query = [
      ...(limit === undefined ? [] : [`limit=${limit}`]),
      ...agents.map((agent) => `agent=${agent}`),
    ];
    let path = project.address(kind) + (query.length > 0 ? `?${query.join('&')}` : '');
    const all: unknown[] = [];
    for (;;) {
      const { json, headers } = await project.ask(`list${SINGULAR[kind]}s`, 'GET', path, [200]);
      const page = Array.isArray(json) ? json : [];
      if (limit !== undefined && page.length > limit)
        throw new Mismatch(`${kind}: a page too long`);
      all.push(...page);
      const [, next] = /^<(.+)>; rel="next"$/.exec(headers.get('Link') ?? '') ?? [];
      if (next === undefined) break;
      path = next;
    }
    const users = state.agents.filter(({ name }) => agents.includes(name)).map(({ id }) => id);
    const expected = state.all(kind).filter(({ agent_ids: ids }) => {
      return agents.length === 0 || (Array.isArray(ids) && ids.some((id) => users.includes(id)));
    });
    compare(`the list of ${kind}`, all, expected);
  }

  toString(): string {
    return `list ${this.kind} ${this.limit ?? ''} ${this.agents.map(shown).join(' ')}`;
  }
}

/** Trains a model, and waits until it is ready. */
export class Train implements Command {
  constructor(private readonly reference: Reference) {}

  check(): boolean {
    return true;
  }

  async run(state: State, project: Project): Promise<void> {
    const name = named(state, 'models', this.reference);
    const path = project.address('models', name);
    const address = `${path}?target=${TARGET}`;
    const { json } = await project.ask('trainModel', 'PUT', address, [202], keptTable);
    const known = state.models.find((model) => model.name === name);
    const version = (known?.version ?? 0) + 1;
    if (known === undefined) state.models.push({ id: String(recordOf(json)['id']), name, version });
    else known.version = version;
    compare(`the model ${name}`, json, state.shown('models', name));
    for (;;) {
      const latest = await project.ask('getModel', 'GET', path, [200]);
      const { status } = recordOf(latest.json);
      if (status === 'ready') return;
      if (status === 'failed') throw new Mismatch(`the training failed: ${latest.text}`);
      await pause(20);
    }
  }

  toString(): string {
    return `train ${shown(this.reference)}`;
  }
}

/** Predicts rows, each of which is answered. */
export class Predict implements Command {
  constructor(
    private readonly reference: Reference,
    private readonly rows: readonly unknown[],
  ) {}

  check(): boolean {
    return true;
  }

  async run(state: State, project: Project): Promise<void> {
    const { rows } = this;
    const name = named(state, 'models', this.reference);
    const isThere = state.shown('models', name) !== undefined;
    const path = `${project.address('models', name)}/predict`;
    const { json } = await project.ask('predict', 'POST', path, [isThere ? 200 : 404], rows);
    if (isThere && (!Array.isArray(json) || json.length !== rows.length)) {
      throw new Mismatch(`predict: ${rows.length} rows were not answered one by one`);
    }
  }

  toString(): string {
    return `predict ${shown(this.reference)} ${JSON.stringify(this.rows)}`;
  }
}

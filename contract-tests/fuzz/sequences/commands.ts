/** Commands to the service and to the model of a project, whose answers are compared with the model. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AsyncCommand } from 'fast-check';
import { recordOf } from '../../../testkit/json.js';
import { keptTable, TARGET } from '../values/tables.js';
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
import { compare, Mismatch, type Project } from './project.js';
import { type Kind, named, type Reference, type State } from './state.js';

export type Command = AsyncCommand<State, Project>;

const SINGULAR = {
  skills: 'Skill',
  agents: 'Agent',
  chatbots: 'Chatbot',
  models: 'Model',
} as const;

/** @param text what fast-check shows of the command */
function command(text: string, run: Command['run']): Command {
  return { check: () => true, run, toString: () => text };
}

/** Returns the body of a write, in the object that wraps it. */
function wrapped(kind: Written, body: object): object {
  return { [SINGULAR[kind].toLowerCase()]: body };
}

export function create(kind: Written, name: string, draft: Draft): Command {
  return command(`create ${kind} ${name} ${JSON.stringify(draft)}`, async (state, project) => {
    const fields = { type: 'lookup', ...fieldsOf(state, draft), name };
    const refused = refusals(state, kind, fields, undefined);
    const statuses = refused.length > 0 ? refused : [201];
    const body = wrapped(kind, bodyOf(kind, fields));
    const id = `create${SINGULAR[kind]}`;
    const answer = await project.ask(id, 'POST', project.address(kind), statuses, body);
    if (refused.length > 0) return;
    make(state, kind, name, answer);
    change(state, kind, name, fields);
    compare(`the new resource of ${kind}`, answer.json, state.shown(kind, name));
  });
}

/** Changes a resource, or creates a chatbot. */
export function update(kind: Written, reference: Reference, draft: Draft): Command {
  const text = `update ${kind} ${shown(reference)} ${JSON.stringify(draft)}`;
  return command(text, async (state, project) => {
    const name = named(state, kind, reference);
    const fields = fieldsOf(state, draft);
    const isNew = state.shown(kind, name) === undefined;
    const refused = (isNew ? refusalsOfNew : refusals)(state, kind, fields, name);
    const statuses = refused.length > 0 ? refused : [isNew ? 201 : 200];
    const body = wrapped(kind, bodyOf(kind, fields));
    const id = `update${SINGULAR[kind]}`;
    const answer = await project.ask(id, 'PUT', project.address(kind, name), statuses, body);
    if (refused.length > 0) return;
    if (isNew) make(state, kind, name, answer);
    change(state, kind, name, fields);
    compare(`a changed one of ${kind}`, answer.json, state.shown(kind, fields.name ?? name));
  });
}

export function remove(kind: Kind, reference: Reference): Command {
  return command(`delete ${kind} ${shown(reference)}`, async (state, project) => {
    const name = named(state, kind, reference);
    const isThere = state.shown(kind, name) !== undefined;
    const id = `delete${SINGULAR[kind]}${kind === 'agents' ? 'ByPlural' : ''}`;
    await project.ask(id, 'DELETE', project.address(kind, name), [isThere ? 204 : 404]);
    state.remove(kind, name);
  });
}

/** Reads one resource, by its name or by its identifier. */
export function read(kind: Kind, reference: Reference, byId: boolean): Command {
  const text = `read ${kind} ${shown(reference)}${byId ? ' by its identifier' : ''}`;
  return command(text, async (state, project) => {
    const name = named(state, kind, reference);
    const expected = state.shown(kind, name);
    const address = byId && expected ? String(expected['id']) : name;
    const isFound = expected !== undefined && (!byId || kind === 'skills' || kind === 'agents');
    const path = project.address(kind, address);
    const answer = await project.ask(`get${SINGULAR[kind]}`, 'GET', path, [isFound ? 200 : 404]);
    if (isFound) compare(`${kind} ${name}`, answer.json, expected);
  });
}

/** Reads a whole list, page by page, or the skills of some agents. */
export function list(
  kind: Kind,
  limit: number | undefined,
  references: readonly Reference[],
): Command {
  const text = `list ${kind} ${limit ?? ''} ${references.map(shown).join(' ')}`;
  return command(text, async (state, project) => {
    const asked = kind === 'skills' ? references : [];
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
  });
}

/** Trains a model, and waits until it is ready. */
export function train(reference: Reference): Command {
  return command(`train ${shown(reference)}`, async (state, project) => {
    const name = named(state, 'models', reference);
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
  });
}

/** Predicts rows, each of which is answered. */
export function predict(reference: Reference, rows: readonly unknown[]): Command {
  const text = `predict ${shown(reference)} ${JSON.stringify(rows)}`;
  return command(text, async (state, project) => {
    const name = named(state, 'models', reference);
    const isThere = state.shown('models', name) !== undefined;
    const path = `${project.address('models', name)}/predict`;
    const { json } = await project.ask('predict', 'POST', path, [isThere ? 200 : 404], rows);
    if (isThere && (!Array.isArray(json) || json.length !== rows.length)) {
      throw new Mismatch(`predict: ${rows.length} rows were not answered one by one`);
    }
  });
}

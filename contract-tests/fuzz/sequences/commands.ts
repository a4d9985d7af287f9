/** Commands to the service and to the model of a project, whose answers are compared with the model. */
import { setTimeout as pause } from 'node:timers/promises';
import { asRecord } from '../../../contract/json-record.js';
import { isFoundById, listPathParameters, targetNamed } from '../operations.js';
import { keptTable } from '../values/tables.js';
import { compare, Mismatch, type Project } from './project.js';
import { type Fields, type Kind, makeBody, type Reference, type State, type Written } from './state.js';

export type Command = (state: State, project: Project) => Promise<void>;

const SINGULAR = { skills: 'Skill', agents: 'Agent', chatbots: 'Chatbot', models: 'Model' } as const;

export const create =
  (kind: Written, name: string, draft: Fields<Reference>): Command =>
  (state, project) =>
    write(state, project, kind, { type: 'lookup', ...state.resolve(draft), name });

/** Changes a resource, or creates a chatbot. */
export const update =
  (kind: Written, reference: Reference, draft: Fields<Reference>): Command =>
  (state, project) =>
    write(state, project, kind, state.resolve(draft), state.named(kind, reference));

/** @param at the name in the address of an update; undefined for a creation */
async function write(state: State, project: Project, kind: Written, fields: Fields, at?: string): Promise<void> {
  const present = at === undefined ? undefined : state.find(kind, at);
  const refused = state.refusals(kind, fields, at);
  const statuses = refused.length > 0 ? refused : [present === undefined ? 201 : 200];
  const id = `${at === undefined ? 'create' : 'update'}${SINGULAR[kind]}`;
  const body = { [SINGULAR[kind].toLowerCase()]: makeBody(kind, fields) };
  const { json } = await project.ask(id, { name: at, body }, ...statuses);
  if (refused.length > 0) return;
  const name = fields.name ?? at ?? '';
  const resource = present ?? state.add(kind, name, String(asRecord(json)['id']));
  state.change(resource, fields);
  const what = at === undefined ? 'the new resource' : 'a changed one';
  compare(`${what} of ${kind}`, json, state.shown(resource));
}

export const remove =
  (kind: Kind, reference: Reference): Command =>
  async (state, project) => {
    const name = state.named(kind, reference);
    const present = state.find(kind, name);
    const id = `delete${SINGULAR[kind]}${kind === 'agents' ? 'ByPlural' : ''}`;
    await project.ask(id, { name }, present === undefined ? 404 : 204);
    if (present !== undefined) state.remove(present);
  };

/** Reads one resource, by its name or by its identifier. */
export const read =
  (kind: Kind, reference: Reference, byId: boolean): Command =>
  async (state, project) => {
    const name = state.named(kind, reference);
    const present = state.find(kind, name);
    const id = `get${SINGULAR[kind]}`;
    const target = targetNamed(id);
    const parameter = listPathParameters(target).at(-1) ?? '';
    const isFound = present !== undefined && (!byId || isFoundById(target, parameter));
    const address = byId && present !== undefined ? present.id : name;
    const { json } = await project.ask(id, { name: address }, isFound ? 200 : 404);
    if (isFound) compare(`${kind} ${name}`, json, state.shown(present));
  };

/** Reads a whole list, page by page, or the skills of some agents. */
export const list =
  (kind: Kind, limit: number | undefined, references: readonly Reference[]): Command =>
  async (state, project) => {
    const asked = kind === 'skills' ? references : [];
    const agents = asked.map((agent) => state.named('agents', agent));
    const query = Object.entries({ limit, agent: agents.length > 0 ? agents : undefined })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ({ name, in: 'query', value }));
    const id = `list${SINGULAR[kind]}s`;
    let request = project.request(id, { query });
    const all: unknown[] = [];
    for (;;) {
      const { json, headers } = await project.send(id, request, 200);
      const page = Array.isArray(json) ? json : [];
      if (limit !== undefined && page.length > limit) throw new Mismatch(`${kind}: a page too long`);
      all.push(...page);
      const [, path] = /^<(.+)>; rel="next"$/.exec(headers.get('Link') ?? '') ?? [];
      if (path === undefined) break;
      request = { ...request, path };
    }
    const users = state.all('agents').filter(({ name }) => agents.includes(name));
    const expected = state
      .all(kind)
      .filter((one) => agents.length === 0 || users.some(({ skills }) => skills.includes(one)));
    compare(
      `the list of ${kind}`,
      all,
      expected.map((one) => state.shown(one)),
    );
  };

/** Trains a model, and waits until it is ready. */
export const train =
  (reference: Reference): Command =>
  async (state, project) => {
    const name = state.named('models', reference);
    const { json } = await project.ask('trainModel', { name, body: keptTable }, 202);
    const present = state.find('models', name);
    if (present !== undefined) present.version += 1;
    const model = present ?? state.add('models', name, String(asRecord(json)['id']));
    compare(`the model ${name}`, json, state.shown(model));
    for (;;) {
      const latest = await project.ask('getModel', { name }, 200);
      const { status } = asRecord(latest.json);
      if (status === 'ready') return;
      if (status === 'failed') throw new Mismatch(`the training failed: ${latest.text}`);
      await pause(20);
    }
  };

/** Predicts rows, each of which is answered. */
export const predict =
  (reference: Reference, rows: readonly unknown[]): Command =>
  async (state, project) => {
    const name = state.named('models', reference);
    const isThere = state.find('models', name) !== undefined;
    const { json } = await project.ask('predict', { name, body: rows }, isThere ? 200 : 404);
    if (isThere && (!Array.isArray(json) || json.length !== rows.length)) {
      throw new Mismatch(`predict: ${rows.length} rows were not answered one by one`);
    }
  };

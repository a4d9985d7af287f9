/** Tests that each writable field of the contract is stored, and can be read in each place that shows it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { operations, type Place } from '../../../testkit/openapi/document.js';
import { ownProject, readObject, send, sendJson } from '../../target.js';

type Resource = Record<string, unknown>;

/** A value of a field, and what the resource shows after it was sent. */
interface Sample {
  sent: unknown;
  shown: Resource;
}

let project: string;
/** Two skills and two agents to refer to: the second is for changes. */
const skills = ['skill_one', 'skill_two'] as const;
const agents = ['agent_one', 'agent_two'] as const;
const agentIds: unknown[] = [];

beforeAll(async () => {
  project = await ownProject();
  for (const name of skills) await create('skill', { name, type: 'lookup' });
  for (const name of agents) agentIds.push((await create('agent', { name }))['id']);
});

const KINDS = [
  { kind: 'skill', create: 'createSkill', update: 'updateSkill', required: { type: 'lookup' } },
  { kind: 'agent', create: 'createAgent', update: 'updateAgent', required: {} },
  { kind: 'chatbot', create: 'createChatbot', update: 'updateChatbot', required: {} },
];

const listOf = (kind: string) => `/projects/${project}/${kind}s`;

async function create(kind: string, fields: Resource): Promise<Resource> {
  const answer = await sendJson('POST', listOf(kind), { [kind]: fields });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return readObject(answer);
}

/** Returns the fields that an operation accepts, by the contract. */
function fieldsOf(operationId: string, kind: string): [string, Place][] {
  const operation = operations.find(({ id }) => id === operationId);
  const schema = ['requestBody', 'content', 'application/json', 'schema'];
  return operation?.place.entries(...schema, 'properties', kind, 'properties') ?? [];
}

/** Returns a value of the field's schema that contains the number. */
function valueFor(schema: Place, name: string, number: number): unknown {
  const [type] = [schema.at('type').value].flat().filter((one) => one !== 'null');
  const choices = schema.entries('enum').map(([, choice]) => choice.value);
  if (choices.length > 0) return choices[number % choices.length];
  switch (type) {
    case 'string':
      return `${name}_${number}`;
    case 'integer':
    case 'number':
      return numberFor(schema, number);
    case 'boolean':
      return number % 2 === 0;
    case 'array':
      return [valueFor(schema.at('items'), name, number)];
    default: {
      const own = schema.entries('properties');
      return own.length === 0
        ? { [name]: { deep: [number, 'two', { three: null }] } }
        : Object.fromEntries(own.map(([field, inner]) => [field, valueFor(inner, field, number)]));
    }
  }
}

/** Returns one of the numbers that a schema allows. */
function numberFor(schema: Place, number: number): number {
  const least = Number(schema.find('minimum')?.value ?? 0);
  const most = Number(schema.find('maximum')?.value ?? Number.POSITIVE_INFINITY);
  return Math.min(least + number, most);
}

/**
 * Returns a value to send for a field, and the fields shown afterwards. Most fields are shown under the same
 * name.
 */
function sampleOf(field: string, schema: Place, number: number): Sample {
  const [skill, agent] = [skills[number % 2], agents[number % 2]];
  const agentShown = { agent_id: agentIds[number % 2], agent_name: agent };
  const skillsShown = { skills: [expect.objectContaining({ name: skill })] };
  switch (field) {
    case 'skills':
    case 'skills_to_add':
      return { sent: [skill], shown: skillsShown };
    case 'agent_id':
      return { sent: agentIds[number % 2], shown: agentShown };
    case 'agent_name':
      return { sent: agent, shown: agentShown };
    default: {
      const sent = valueFor(schema, field, number);
      return { sent, shown: { [field]: sent } };
    }
  }
}

/** Synonyms: a write has one of them, and an answer both. */
const SYNONYMS: Record<string, string> = { params: 'settings', settings: 'params' };

async function shownEverywhere(kind: string, name: unknown): Promise<Resource> {
  const read = await readObject(await send(`${listOf(kind)}/${name}`));
  const list: unknown = await (await send(listOf(kind))).json();
  expect(list).toContainEqual(read);
  return read;
}

let names = 0;

describe.each(KINDS)('a $kind', ({ kind, create: createId, update, required }) => {
  const base = (): Resource => {
    names += 1;
    return { ...required, name: `base_${names}` };
  };

  test.each(fieldsOf(createId, kind))('is created with %s', async (field, schema) => {
    const { sent, shown } = sampleOf(field, schema, 1000 + names);
    const created = await create(kind, { ...base(), [field]: sent });
    expect(created).toMatchObject(shown);
    expect(await shownEverywhere(kind, created['name'])).toEqual(created);
  });

  test('is created with all fields at once', async () => {
    const samples = fieldsOf(createId, kind)
      .filter(([field]) => field !== 'name' && field !== 'agent_id')
      .filter(([field]) => kind === 'skill' || field !== 'params')
      .map(([field, schema]) => [field, sampleOf(field, schema, 2)] as const);
    const fields = Object.fromEntries(samples.map(([field, { sent }]) => [field, sent]));
    const created = await create(kind, { ...base(), ...fields });
    for (const [, { shown }] of samples) expect(created).toMatchObject(shown);
    expect(await shownEverywhere(kind, created['name'])).toEqual(created);
  });

  test.each(fieldsOf(update, kind))('is changed in %s, and in nothing else', async (field, schema) => {
    const before = await create(kind, base());
    if (field === 'skills_to_remove') return expectSkillRemoved(before);
    const { sent, shown } = sampleOf(field, schema, 2001 + names);
    const address = `${listOf(kind)}/${before['name']}`;
    const changed = await readObject(await sendJson('PUT', address, { [kind]: { [field]: sent } }));
    const synonym = kind === 'skill' ? undefined : SYNONYMS[field];
    expect(changed).toEqual({
      ...before,
      ...shown,
      ...(synonym === undefined ? {} : { [synonym]: sent }),
      updated_at: expect.any(String),
    });
    expect(await shownEverywhere(kind, changed['name'])).toEqual(changed);
  });
});

describe.each(KINDS)('null in a change of a $kind', ({ kind, create: createId, update, required }) => {
  const samples = fieldsOf(createId, kind)
    .filter(([field]) => !['name', 'params', 'agent_id'].includes(field) || kind === 'skill')
    .filter(([field]) => field !== 'name')
    .map(([field, schema]) => [field, sampleOf(field, schema, 2).sent]);
  const createFull = () => {
    names += 1;
    return create(kind, { ...required, ...Object.fromEntries(samples), name: `full_${names}` });
  };
  const put = async ({ name }: Resource, fields: Resource) => {
    const answer = await sendJson('PUT', `${listOf(kind)}/${name}`, { [kind]: fields });
    expect(answer.status, await answer.clone().text()).toBe(200);
    return readObject(answer);
  };
  /** The fields of an answer, without the time of the change. */
  const shown = (resource: Resource) => ({ ...resource, updated_at: null });

  test.each(fieldsOf(update, kind))('for %s does what the contract says', async (field, schema) => {
    const said = String(schema.at('description').value).replace(/\s+/g, ' ');
    const isRemoved = /null removes/i.test(said);
    expect(isRemoved || /null (for all )?counts as not sent/i.test(said), said).toBe(true);
    const before = await createFull();
    const changed = await put(before, { [field]: null });
    const agent = { agent_id: null, agent_name: null };
    const gone = field in agent ? agent : { [field]: null };
    expect(shown(changed)).toEqual(shown({ ...before, ...(isRemoved && gone) }));
    expect(await shownEverywhere(kind, before['name'])).toEqual(changed);
  });

  test('counts as not sent together with params, which existing clients send', async () => {
    const before = await createFull();
    const nulls = fieldsOf(update, kind).map(([field]) => [field, null]);
    const changed = await put(before, { ...Object.fromEntries(nulls), params: {} });
    expect(shown(changed)).toEqual(shown(before));
  });
});

test('a chatbot keeps the agent that one field names, whatever null the other has', async () => {
  const { name } = await create('chatbot', { name: 'renamed_agent', agent_name: agents[0] });
  const put = async (chatbot: Resource) =>
    readObject(await sendJson('PUT', `${listOf('chatbot')}/${name}`, { chatbot }));
  const byId = await put({ agent_name: null, agent_id: agentIds[1] });
  expect(byId).toMatchObject({ agent_id: agentIds[1], agent_name: agents[1] });
  const byName = await put({ agent_name: agents[0], agent_id: null });
  expect(byName).toMatchObject({ agent_id: agentIds[0], agent_name: agents[0] });
});

async function expectSkillRemoved({ name }: Resource): Promise<void> {
  const put = (fields: Resource) => sendJson('PUT', `${listOf('agent')}/${name}`, { agent: fields });
  await put({ skills: [...skills] });
  const changed = await readObject(await put({ skills_to_remove: [skills[0]] }));
  expect(changed['skills']).toMatchObject([{ name: skills[1] }]);
  expect(await shownEverywhere('agent', name)).toEqual(changed);
}

describe('a list', () => {
  const train = (name: string) =>
    send(`/api/projects/${project}/models/${name}?target=y`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Array.from({ length: 60 }, (_, row) => ({ x: row, y: row * 2 }))),
    });
  const idsOf = (list: unknown) => [list].flat().map((one) => Object(one).id);

  test.each(['skill', 'agent', 'chatbot', 'model'])(
    'of each %s has every resource on its pages, with the address of the next page',
    async (kind) => {
      if (kind === 'model') for (const name of ['one', 'two']) await train(name);
      const at = kind === 'model' ? `/api/projects/${project}/models` : listOf(kind);
      const paged: unknown[] = [];
      let next: string | undefined = `${at}?limit=1`;
      while (next !== undefined) {
        const page = await send(next);
        paged.push(...idsOf(await page.json()));
        next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1];
      }
      expect(paged).toEqual(idsOf(await (await send(at)).json()));
    },
  );

  test('of projects has the address of the next page', async () => {
    const page = await send('/projects?limit=1');
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1];
    const [first] = idsOf(await page.json());
    const following = idsOf(await (await send(`${next}`)).json());
    expect(following).toHaveLength(1);
    expect(following).not.toContain(first);
  });
});

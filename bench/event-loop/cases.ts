import { FAULTY_ITEMS, MEMBERS, VALUES } from './bodies.js';
import { LARGE_MODELS, trainVersions } from './large-models.js';

/** A request that takes much work. */
export interface Case {
  readonly name: string;
  /** Sends the request, and reads the whole answer. */
  readonly send: () => Promise<{ status: number; bytes: number }>;
}

/** The parts of a request. */
interface Made {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const PROJECT = '/projects/default';

/** The selection of cases. */
export interface Choice {
  /** Selects the cases whose names contain the words. */
  readonly words: string;
  /** Excludes the cases that need much stored data. */
  readonly isShort: boolean;
}

/** Yields the selected cases, and stores the data that they need. */
export async function* cases(url: string, { words, isShort }: Choice): AsyncGenerator<Case> {
  const send = (made: Made) => sent(url, made);
  const stored = [firstPredictions(url, words), lists(send), models(send)];
  const groups = [bodies(send), longRequests(), ...(isShort ? [] : stored)];
  for (const group of groups) {
    for await (const [name, made] of group) {
      if (name.includes(words)) yield { name, send: () => send(made()) };
    }
  }
}

type Named = readonly [name: string, made: () => Made];

async function sent(url: string, { method = 'GET', path, body, headers = {} }: Made) {
  const type = { 'Content-Type': 'application/json' };
  const init = body === undefined ? {} : { body, headers: { ...type, ...headers } };
  const response = await fetch(`${url}${path}`, { method, headers, ...init });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return { status: response.status, bytes };
}

/** Counts the unique names of resources. */
let names = 0;
const newName = () => {
  names += 1;
  return `n${names}`;
};

/** For each operation with a JSON body, the field that holds an object with arbitrary keys. */
const WRITES = [
  { id: 'createSkill', method: 'POST', path: 'skills', kind: 'skill', open: 'params' },
  { id: 'updateSkill', method: 'PUT', path: 'skills/x', kind: 'skill', open: 'params' },
  { id: 'createAgent', method: 'POST', path: 'agents', kind: 'agent', open: 'settings' },
  { id: 'updateAgent', method: 'PUT', path: 'agents/x', kind: 'agent', open: 'settings' },
  { id: 'createChatbot', method: 'POST', path: 'chatbots', kind: 'chatbot', open: 'settings' },
  { id: 'updateChatbot', method: 'PUT', path: 'chatbots/x', kind: 'chatbot', open: 'settings' },
] as const;

/** Creates a project, and in it a resource `x` for updates. One project for all bodies would soon be full. */
async function newTarget(
  send: (made: Made) => Promise<{ status: number }>,
  { id, path, kind }: (typeof WRITES)[number],
): Promise<string> {
  const name = newName();
  const type = kind === 'skill' ? { type: 'lookup' } : {};
  const to = `/projects/${name}`;
  await send(write('/projects', JSON.stringify({ project: { name } })));
  if (id.startsWith('update')) {
    await send(write(`${to}/${kind}s`, JSON.stringify({ [kind]: { name: 'x', ...type } })));
  }
  return `${to}/${path}`;
}

async function* bodies(send: (made: Made) => Promise<{ status: number }>): AsyncGenerator<Named> {
  yield ['createProject: unknown fields', () => write('/projects', `{"project":{${MEMBERS}}}`)];
  for (const operation of WRITES) {
    const { id, method, kind, open } = operation;
    const empty = await newTarget(send, operation);
    const field = (name: string, value: string) => {
      const own = id.startsWith('create') ? `"name":"${newName()}",` : '';
      const type = kind === 'skill' ? '"type":"lookup",' : '';
      return `{"${kind}":{${own}${type}"${name}":${value}}}`;
    };
    yield [`${id}: unknown fields`, () => write(empty, `{"${kind}":{${MEMBERS}}}`, method)];
    yield [`${id}: unknown fields around`, () => write(empty, `{${MEMBERS}}`, method)];
    for (const [what, value] of Object.entries(VALUES)) {
      const nested = `{"v":${value}}`;
      const to = await newTarget(send, operation);
      yield [`${id}: ${open}, ${what}`, () => write(to, field(open, nested), method)];
      if (id !== 'createSkill') continue;
      const headers = () => ({ 'Idempotency-Key': newName().padStart(20, 'x') });
      yield [
        `${id}, once: ${open}, ${what}`,
        () => ({ ...write(to, field(open, nested), method), headers: headers() }),
      ];
    }
    if (kind !== 'agent') continue;
    const fields = id === 'createAgent' ? ['skills'] : ['skills', 'skills_to_add'];
    for (const [what, items] of Object.entries(FAULTY_ITEMS)) {
      for (const name of fields) {
        yield [`${id}: ${name}, ${what}`, () => write(empty, field(name, items), method)];
      }
      const data = `{"tables":${items},"knowledge_bases":${items}}`;
      yield [`${id}: data, ${what}`, () => write(empty, field('data', data), method)];
    }
    const items = FAULTY_ITEMS['numbers'];
    const all = `${items},"skills_to_add":${items},"skills_to_remove":${items},${MEMBERS},"x":1`;
    yield [`${id}: everything`, () => write(empty, field('skills', all), method)];
    const unknown = `[${Array.from({ length: 1000 }, (_, index) => `"unknown${index}"`)}]`;
    yield [`${id}: 1,000 unknown skills`, () => write(empty, field('skills', unknown), method)];
  }
}

function write(path: string, body: string, method = 'POST'): Made {
  return { method, path, body };
}

/** Queries and headers of the maximum length in Node. */
async function* longRequests(): AsyncGenerator<Named> {
  const of = (part: string) => part.repeat(Math.floor(15_000 / part.length));
  yield ['listSkills: unknown parameters', () => ({ path: `${PROJECT}/skills?${of('a=1&')}` })];
  const different = Array.from({ length: 2000 }, (_, index) => `a${index}=1`).join('&');
  yield ['listSkills: different parameters', () => ({ path: `${PROJECT}/skills?${different}` })];
  yield ['listSkills: agents', () => ({ path: `${PROJECT}/skills?${of('agent=a&')}agent=b` })];
  yield ['listSkills: faulty agents', () => ({ path: `${PROJECT}/skills?${of('agent=!&')}` })];
  yield ['listSkills: empty agents', () => ({ path: `${PROJECT}/skills?${of('agent&')}` })];
  yield ['listSkills: brackets', () => ({ path: `${PROJECT}/skills?${of('a[b]=1&')}` })];
  yield ['getSkill: conditions', () => conditions('skills')];
  yield ['getAgent: conditions', () => conditions('agents')];
  yield ['/openapi.json', () => ({ path: '/openapi.json' })];
  yield ['/openapi.yaml', () => ({ path: '/openapi.yaml' })];
  yield ['/metrics', () => ({ path: '/metrics' })];
  yield ['/docs', () => ({ path: '/docs/' })];
}

function conditions(kind: string): Made {
  return { path: `${PROJECT}/${kind}/x`, headers: { 'If-None-Match': '"x", '.repeat(400) } };
}

/** The number of versions that each large model gets: each loads once, and the best of some rounds counts. */
const LOADS = 3;

/** The first predictions of versions of models that take long to load. */
async function* firstPredictions(url: string, words: string): AsyncGenerator<Named> {
  for (const [index, { name, csv }] of LARGE_MODELS.entries()) {
    const title = `first prediction: ${name}`;
    // Their trainings take long.
    if (!title.includes(words)) continue;
    const model = `/api/projects/default/models/large${index}`;
    await trainVersions(`${url}${model}`, csv(), LOADS);
    let version = 0;
    yield [
      title,
      () => {
        version += 1;
        return write(`${model}.${version}/predict`, '[{}]');
      },
    ];
  }
}

/** Lists and single resources of the maximum size in a project. */
async function* lists(send: (made: Made) => Promise<{ status: number }>): AsyncGenerator<Named> {
  const made = async (project: string, kind: string, resource: object) => {
    const path = `/projects/${project}/${kind}s`;
    const { status } = await send(write(path, JSON.stringify({ [kind]: resource })));
    if (status !== 201) throw new Error(`${path}: ${status}`);
  };
  const project = async (name: string) =>
    send(write('/projects', JSON.stringify({ project: { name } })));
  const shown = (name: string, kind: string, of = ''): Named[] => {
    const path = `/projects/${name}/${kind}s`;
    return [
      [`list ${kind}s: ${of}`, () => ({ path })],
      [`list ${kind}s, a page: ${of}`, () => ({ path: `${path}?limit=1000` })],
      [`get ${kind}: ${of}`, () => ({ path: `${path}/x1` })],
      [
        `get ${kind}, known: ${of}`,
        () => ({ path: `${path}/x1`, headers: { 'If-None-Match': '*' } }),
      ],
      [
        `update ${kind}: ${of}`,
        () => ({ ...write(`${path}/x1`, `{"${kind}":{}}`, 'PUT'), headers: { 'If-Match': '*' } }),
      ],
    ];
  };
  const merge = (path: string, kind: string, open: string, first: number) =>
    send(write(`/projects/${path}`, JSON.stringify({ [kind]: { [open]: objects(first) } }), 'PUT'));
  const skills = Array.from({ length: 1000 }, (_, index) => `x${index}`);

  await project('many');
  for (const name of skills) await made('many', 'skill', { name, type: 'lookup' });
  for (let index = 0; index < 99; index += 1) {
    await made('many', 'agent', { name: `x${index}`, skills });
  }
  yield* shown('many', 'agent', '99 of 1,000 skills each');
  yield* shown('many', 'skill', '1,000, used by 99 agents each');
  yield [
    'list skills: of 1,000 agents',
    () => ({ path: `/projects/many/skills?${skills.map((name) => `agent=${name}`).join('&')}` }),
  ];

  await project('large');
  const params = { x: 'x'.repeat(15 * 1024) };
  for (const name of skills) await made('large', 'skill', { name, type: 'lookup', params });
  for (let index = 0; index < 20; index += 1) {
    await made('large', 'agent', { name: `x${index}`, skills });
  }
  yield* shown('large', 'agent', '20 of 1,000 skills of 15 KiB each');
  yield* shown('large', 'skill', '1,000 of 15 KiB each');

  await project('dense');
  const few = skills.slice(0, 15);
  for (const name of few) await made('dense', 'skill', { name, type: 'lookup' });
  for (const name of few) {
    await made('dense', 'agent', { name, skills: few });
    await made('dense', 'chatbot', { name });
    for (let merged = 0; merged < 24; merged += 4) {
      for (const [kind, open] of OPEN) await merge(`dense/${kind}s/${name}`, kind, open, merged);
    }
  }
  yield* shown('dense', 'skill', '15 of 24,000 objects each');
  yield* shown('dense', 'agent', '15 of 15 skills of 24,000 objects each');
  yield* shown('dense', 'chatbot', '15 of 24,000 objects each');
}

/** The kinds of resource that merge objects with arbitrary keys, each with its field. */
const OPEN = [
  ['skill', 'params'],
  ['agent', 'settings'],
  ['chatbot', 'settings'],
] as const;

/** Four members with a thousand objects each, the maximum of a body. */
function objects(first: number): object {
  return Object.fromEntries(
    [0, 1, 2, 3].map((index) => [
      `k${first + index}`,
      Array.from({ length: 1000 }, (_, at) => ({ [`k${(first + index) * 1000 + at}`]: 1 })),
    ]),
  );
}

/** Predictions. */
async function* models(send: (made: Made) => Promise<{ status: number }>): AsyncGenerator<Named> {
  const path = '/api/projects/default/models/line';
  const rows = Array.from({ length: 100 }, (_, x) => ({ x, y: 2 * x }));
  const { status } = await send(write(`${path}?target=y`, JSON.stringify(rows), 'PUT'));
  if (status !== 202) throw new Error(`training: ${status}`);
  const to = `${path}/predict`;
  await ready(send, to);
  const bodies: Readonly<Record<string, () => string>> = {
    'unknown fields': () => `{${MEMBERS}}`,
    'unknown fields beside the rows': () => `{"data":[],${MEMBERS}}`,
    params: () => `{"data":[],"params":{${MEMBERS}}}`,
    '100,000 rows of nothing': () => `[${'0,'.repeat(99_999)}0]`,
    '100,000 rows': () => `[${'{"x":1.5},'.repeat(99_999)}{"x":1}]`,
    '480 rows of 10,000 values': () => `[${`[${'0,'.repeat(9_990)}0],`.repeat(479)}0]`,
    '480 rows of 5,000 members': () =>
      `[${`{${Array.from({ length: 4_990 }, (_, index) => `"k${index}":1`)}},`.repeat(479)}0]`,
    '30 rows of 1 MiB of text': () =>
      `[${`{"x":"${'x'.repeat(1024 * 1024 - 100)}"},`.repeat(29)}0]`,
    '30 rows of 1 MiB of escapes': () =>
      `[${`{"x":"${'\\"'.repeat(512 * 1024 - 100)}"},`.repeat(29)}0]`,
    '100,000 rows of arrays in arrays': () =>
      `[${`${'['.repeat(90)}${']'.repeat(90)},`.repeat(100_000)}0]`,
  };
  for (const [what, body] of Object.entries(bodies)) {
    yield [`predict: ${what}`, () => write(to, body())];
  }
}

async function ready(send: (made: Made) => Promise<{ status: number }>, to: string): Promise<void> {
  for (;;) {
    const { status } = await send(write(to, '[]'));
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

import type { Headers } from '../../testkit/http/client.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { train, upload } from '../services.js';
import { LARGE_MODELS } from './large-models.js';

/** A request that takes much work because of what is stored. */
export interface Case {
  readonly name: string;
  /** Sends the request, and reads the whole answer. */
  readonly send: () => Promise<{ status: number; bytes: number }>;
}

interface Made {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Named = readonly [name: string, made: () => Made];
type Send = (made: Made) => Promise<{ status: number; bytes: number }>;

/** The members of an object that has as many as a body may have, without its rows. */
const MEMBERS = Array.from({ length: 9_900 }, (_, index) => `"k${index}":1`).join();

/** Yields the cases whose names contain some words, and stores the data that they need. */
export async function* storedCases(url: string, key: string, words: string): AsyncGenerator<Case> {
  const send: Send = async ({ method = 'GET', path, body, headers = {} }) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const all = { Authorization: `Bearer ${key}`, ...type, ...headers };
    const init = { method, headers: all, ...(body !== undefined && { body }) };
    const response = await fetch(`${url}${path}`, init);
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    return { status: response.status, bytes };
  };
  const authorization = { Authorization: `Bearer ${key}` };
  const groups = [firstPredictions(url, words, authorization), lists(send), predictions(url, authorization)];
  for (const group of groups) {
    for await (const [name, made] of group) {
      if (name.includes(words)) yield { name, send: () => send(made()) };
    }
  }
}

function write(path: string, body: string, method = 'POST'): Made {
  return { method, path, body };
}

/** The kinds of resource, each with its field that holds an object with arbitrary keys. */
const OPEN = [
  ['skill', 'params'],
  ['agent', 'settings'],
  ['chatbot', 'settings'],
] as const;

/** The number of versions that each large model gets: each loads once, and the best of some rounds counts. */
const LOADS = 3;

/** The first predictions of versions of models that take long to load, and that nothing was predicted with. */
async function* firstPredictions(url: string, words: string, headers: Headers): AsyncGenerator<Named> {
  for (const [index, { name, csv }] of LARGE_MODELS.entries()) {
    const title = `first prediction: ${name}`;
    // Their trainings take long.
    if (!title.includes(words)) continue;
    const model = `/api/projects/default/models/large${index}`;
    const table = csv();
    for (let version = 1; version <= LOADS; version++) {
      await upload(`${url}${model}?target=y`, table, headers);
      await untilReadyAt(url + model, headers);
    }
    let version = 0;
    yield [title, () => write(`${model}.${++version}/predict`, '[{}]')];
  }
}

/** Lists and single resources of the maximum size in a project. */
async function* lists(send: Send): AsyncGenerator<Named> {
  const make = async (kind: string, resource: object, project?: string) => {
    const path = project === undefined ? '/projects' : `/projects/${project}/${kind}s`;
    const { status } = await send(write(path, JSON.stringify({ [kind]: resource })));
    if (status !== 201) throw new Error(`${path}: ${status}`);
  };
  const shown = (name: string, kind: string, of: string): Named[] => {
    const path = `/projects/${name}/${kind}s`;
    const one = `${path}/x1`;
    return [
      [`list ${kind}s: ${of}`, () => ({ path })],
      [`list ${kind}s, a page: ${of}`, () => ({ path: `${path}?limit=1000` })],
      [`get ${kind}: ${of}`, () => ({ path: one })],
      [`get ${kind}, known: ${of}`, () => ({ path: one, headers: { 'If-None-Match': '*' } })],
      [`update ${kind}: ${of}`, () => ({ ...write(one, `{"${kind}":{}}`, 'PUT'), headers: { 'If-Match': '*' } })],
    ];
  };
  const skills = Array.from({ length: 1000 }, (_, index) => `x${index}`);
  const fill = async (project: string, agents: number, fields: object = {}) => {
    await make('project', { name: project });
    for (const name of skills) await make('skill', { name, type: 'lookup', ...fields }, project);
    for (const name of skills.slice(0, agents)) await make('agent', { name, skills }, project);
  };
  await fill('many', 99);
  yield* shown('many', 'agent', '99 of 1,000 skills each');
  yield* shown('many', 'skill', '1,000, used by 99 agents each');
  const agents = skills.map((name) => `agent=${name}`).join('&');
  yield ['list skills: of 1,000 agents', () => ({ path: `/projects/many/skills?${agents}` })];

  await fill('large', 20, { params: { x: 'x'.repeat(15 * 1024) } });
  yield* shown('large', 'agent', '20 of 1,000 skills of 15 KiB each');
  yield* shown('large', 'skill', '1,000 of 15 KiB each');

  await make('project', { name: 'dense' });
  const few = skills.slice(0, 15);
  for (const name of few) await make('skill', { name, type: 'lookup' }, 'dense');
  for (const name of few) {
    await make('agent', { name, skills: few }, 'dense');
    await make('chatbot', { name }, 'dense');
    for (let first = 0; first < 24; first += 4) {
      for (const [kind, open] of OPEN) {
        const body = JSON.stringify({ [kind]: { [open]: objects(first) } });
        await send(write(`/projects/dense/${kind}s/${name}`, body, 'PUT'));
      }
    }
  }
  yield* shown('dense', 'skill', '15 of 24,000 objects each');
  yield* shown('dense', 'agent', '15 of 15 skills of 24,000 objects each');
  yield* shown('dense', 'chatbot', '15 of 24,000 objects each');
}

/** Four members with a thousand objects each, the maximum of a body. */
function objects(first: number): object {
  const thousand = (index: number) => Array.from({ length: 1000 }, (_, at) => ({ [`k${index * 1000 + at}`]: 1 }));
  const members = [0, 1, 2, 3].map((index) => first + index);
  return Object.fromEntries(members.map((index) => [`k${index}`, thousand(index)]));
}

const MEBIBYTE = 1024 * 1024;
const NESTED = `${'['.repeat(90)}${']'.repeat(90)},`;

/** The bodies of predictions. Each is made when it is sent: some are as large as a body may be. */
const ROWS: Readonly<Record<string, () => string>> = {
  'unknown fields': () => `{${MEMBERS}}`,
  'unknown fields beside the rows': () => `{"data":[],${MEMBERS}}`,
  params: () => `{"data":[],"params":{${MEMBERS}}}`,
  '100,000 rows of nothing': () => `[${'0,'.repeat(99_999)}0]`,
  '100,000 rows': () => `[${'{"x":1.5},'.repeat(99_999)}{"x":1}]`,
  '480 rows of 10,000 values': () => `[${`[${'0,'.repeat(9_990)}0],`.repeat(479)}0]`,
  '480 rows of 5,000 members': () =>
    `[${`{${Array.from({ length: 4_990 }, (_, index) => `"k${index}":1`)}},`.repeat(479)}0]`,
  '30 rows of 1 MiB of text': () => `[${`{"x":"${'x'.repeat(MEBIBYTE - 100)}"},`.repeat(29)}0]`,
  '30 rows of 1 MiB of escapes': () => `[${`{"x":"${'\\"'.repeat(MEBIBYTE / 2 - 100)}"},`.repeat(29)}0]`,
  '100,000 rows of arrays in arrays': () => `[${NESTED.repeat(100_000)}0]`,
};

async function* predictions(url: string, headers: Headers): AsyncGenerator<Named> {
  const model = '/api/projects/default/models/line';
  const rows = Array.from({ length: 100 }, (_, x) => `${x},${2 * x}\n`);
  await train(`${url}${model}?target=y`, `x,y\n${rows.join('')}`, headers);
  const to = `${model}/predict`;
  for (const [what, body] of Object.entries(ROWS)) {
    yield [`predict: ${what}`, () => write(to, body())];
  }
}

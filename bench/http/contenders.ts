import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOCAL_OWNER } from '../../server/auth/caller.js';
import { createProject } from '../../server/projects/projects.js';
import { createAgent } from '../../server/resources/agents.js';
import { createSkill as storeSkill } from '../../server/resources/skills.js';
import { Store } from '../../server/store/index.js';
import { root } from '../../testkit/root.js';
import { NODE_FLAGS, type Service, startService } from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import { ENVIRONMENT } from '../services.js';

export interface Keys {
  readonly own: string;
  readonly limited: string;
}

/** A request that is sent repeatedly, and its expected answer. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** JSON. Each request gets another text for `[<id>]`. */
  readonly body?: string;
  /** The Prefer header for a mock, which has no state and answers 404 only on request. */
  readonly prefer?: string;
  readonly statuses: readonly number[];
  /** Sent while another key of the owner goes on beyond its limit of requests. */
  readonly isBesideRefusals?: true;
  /** Refused by validation: for contenders that validate requests. */
  readonly isRefused?: boolean;
  /**
   * Adds a row, and each row makes the next one more expensive, so a round has a fixed number of requests
   * instead of a duration.
   */
  readonly addsRows?: boolean;
}

const LISTED = 'listed';
const WRITTEN = 'written';

const SKILLS = `/projects/${LISTED}/skills`;
const NEW_SKILLS = `/projects/${WRITTEN}/skills`;

function reading(name: string, path: string, more: Partial<Operation> = {}): Operation {
  return { name, method: 'GET', path: SKILLS + path, statuses: [200], ...more };
}

const refused = { statuses: [400, 422], isRefused: true };

export const getSkill = reading('getSkill', '/skill-50');
export const besideRefusals = reading('getSkill, beside a refused key', '/skill-50', { isBesideRefusals: true });
export const listSkills = reading('listSkills', '');
export const listOneSkill = reading('listSkills, one of them', '?limit=1');
export const refusedList = reading('listSkills, refused', '?limit=0', refused);
export const unknownSkill = reading('getSkill, 404', '/missing', { prefer: 'code=404', statuses: [404] });

export const createSkill: Operation = {
  name: 'createSkill',
  method: 'POST',
  path: NEW_SKILLS,
  statuses: [201],
  addsRows: true,
  body: JSON.stringify({ skill: { name: 'skill-[<id>]', type: 'lookup', params: { database: 'sales', depth: 3 } } }),
};

/** A body with an unknown field, a field of the wrong type, and a missing field. */
export const refusedCreate: Operation = {
  name: 'createSkill, refused',
  method: 'POST',
  path: NEW_SKILLS,
  ...refused,
  body: JSON.stringify({ skill: { name: 'skill-[<id>]', params: 'sales', kind: 'lookup' } }),
};

export const updateAgent: Operation = {
  name: 'updateAgent',
  method: 'PUT',
  path: `/projects/${LISTED}/agents/analyst`,
  body: JSON.stringify({ agent: { prompt_template: 'Answer in one sentence: {{question}}', settings: { depth: 3 } } }),
  statuses: [200],
};

export type Running = Pick<Service, 'url' | 'pid' | 'kill'>;

export interface Contender {
  readonly name: string;
  readonly title: string;
  /** The program to run, relative to this file, which gets the name as its argument; by default Roster as it is shipped. */
  readonly main?: string;
  /** False if it does not validate requests against the contract. */
  readonly validates?: false;
  /** The operations that it implements; by default all. */
  readonly operations?: readonly Operation[];
  /** The operations that Roster's contract has beside its own. */
  readonly more?: number;
  /** False if writes leave no events in the audit log. */
  readonly audits?: false;
  /** Prism's own program, which has no store. */
  readonly isMock?: true;
}

const onExpress = { main: './baselines/express.js' };
const onFastify = { main: './baselines/fastify.js' };

export const roster: Contender = { name: 'roster', title: 'Roster' };

/** The plain framework that Roster's cost is compared with. */
export const express: Contender = { name: 'express', title: 'bare Express', ...onExpress, validates: false };

/** The minimum cost of a read. */
export const prepared: Contender = {
  name: 'prepared',
  title: 'Express with one prepared statement',
  ...onExpress,
  validates: false,
  operations: [getSkill],
};

/** The service that a careful team would build instead. */
export const equippedFastify: Contender = {
  name: 'equipped',
  title: 'Fastify with keys, limits, log and metrics',
  ...onFastify,
  operations: [getSkill],
};

export const baselines: readonly Contender[] = [
  express,
  prepared,
  { name: 'validator', title: 'Express with express-openapi-validator', ...onExpress },
  { name: 'fastify', title: 'Fastify with compiled schemas', ...onFastify },
  equippedFastify,
  { name: 'prism', title: "Prism's mock", isMock: true },
];

const variant = { main: './variant.js', more: 0 };

/** Returns Roster on a contract with more operations, which must not make a request more expensive. */
function grown(more: number): Contender {
  return { ...variant, name: `grown-${more}`, title: `with ${more} more operations`, more };
}

export const unchanged: Contender = { ...variant, name: 'unchanged', title: 'Roster as it is' };
export const unaudited: Contender = { ...variant, name: 'unaudited', title: 'without events', audits: false };
export const larger = grown(500);
export const growing: readonly Contender[] = [unchanged, grown(50), larger];
/** Those that are compared with each other alone. */
export const variants: readonly Contender[] = [...growing, unaudited];

/**
 * Starts the server of a contender.
 * @param folder its own, which is made
 * @param store the file of the store, which is copied
 */
export async function start(contender: Contender, folder: string, store: string): Promise<Running> {
  await mkdir(folder);
  const { name, main, more, audits, isMock } = contender;
  if (isMock) return startPrism(folder);
  const copy = join(folder, 'roster.db');
  await copyFile(store, copy);
  const env = { ...ENVIRONMENT, BASELINE: name, MORE: String(more), AUDITS: String(audits) };
  const program = main ? { main: fileURLToPath(new URL(main, import.meta.url)) } : {};
  return startService(folder, `file:${copy}`, env, program);
}

const PRISM = fileURLToPath(new URL('node_modules/.bin/prism', root));

/**
 * Starts Prism's own program on the contract, with its log in a file. In one process: with multiprocess, as in
 * production, a second one would serve, which would not be measured.
 * @throws if it ends before it listens
 */
async function startPrism(folder: string): Promise<Running> {
  const logFile = join(folder, 'prism.log');
  const output = openSync(logFile, 'a');
  const mock = ['mock', fileURLToPath(new URL('openapi.yaml', root)), '--multiprocess=false'];
  const address = ['--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, [...NODE_FLAGS, PRISM, ...mock, ...address], {
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  for (;;) {
    const log = readFileSync(logFile, 'utf8');
    const [, url] = /listening on (http:\S+)/.exec(log) ?? [];
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`Prism ended:\n${log}`);
    if (url) return { url, pid: child.pid, kill };
    await delay(20);
  }
}

/**
 * Creates the store that every server gets a copy of: a project with 100 skills and an agent that uses three of
 * them, and an empty project to write to.
 * @returns two keys of its owner, the second of which may send one request a minute
 */
export async function seed(url: string): Promise<Keys> {
  const store = await Store.open(url);
  const { id } = await store.transaction(async (store) => {
    await createProject(store, LOCAL_OWNER, WRITTEN);
    return createProject(store, LOCAL_OWNER, LISTED);
  });
  // One at a time: on a busy machine, all together take longer than a transaction may.
  for (let number = 1; number <= 100; number++) {
    const params = { database: 'sales', tables: ['orders', 'customers'], depth: number };
    const skill = { name: `skill-${number}`, type: 'lookup', params };
    await store.transaction((store) => storeSkill(store, id, skill));
  }
  await store.transaction((store) =>
    createAgent(store, id, {
      name: 'analyst',
      model_name: 'prices',
      provider: 'roster',
      model: null,
      prompt_template: 'Answer the question: {{question}}',
      data: { tables: ['orders'], knowledge_bases: [] },
      skills: ['skill-25', 'skill-50', 'skill-75'],
      settings: { depth: 1, language: 'en' },
    }),
  );
  await store.close();
  const owner = LOCAL_OWNER;
  return {
    own: await makeKey(url, { name: 'bench', owner }),
    limited: await makeKey(url, { name: 'limited', owner, limits: { requests: 1 } }),
  };
}

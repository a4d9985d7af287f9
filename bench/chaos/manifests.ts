import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../../testkit/http/client.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import { PRELOAD } from '../preload.js';
import type { Finding, Scenario } from '../scenarios.js';
import { withService } from '../services.js';

/** The most resources of a manifest. */
const ENTRIES = 5000;

/** The bytes of text in each skill: together almost as many as a manifest may have. */
const TEXT_BYTES = 3000;

/** Agents, and the skills that each uses: as many uses as a project may have. */
const AGENTS = 100;
const SKILLS_OF_AGENT = 1000;

/** The longest that a write of another owner may take, and that a turn of the event loop may, in milliseconds. */
const MAX_WRITE_MS = 200;
const MAX_HOLD_MS = 50;

/** The time after a request in which its rest, such as garbage collection, may still hold others. */
const AFTER_MS = 100;

interface Case {
  readonly name: string;
  readonly method: 'GET' | 'PUT';
  readonly project: string;
  readonly query?: string;
  readonly body?: string;
}

/** The largest manifests: while one is served, another owner writes one skill after the other. */
export const manifests: Scenario = {
  name: 'manifests',
  run: async ({ folder }) => {
    const url = `file:${folder}/roster.db`;
    const keys = {
      own: await makeKey(url, { name: 'own', owner: 'own' }),
      other: await makeKey(url, { name: 'other', owner: 'other' }),
    };
    const start = { databaseUrl: url, env: { RATE_LIMIT: '0' }, preload: PRELOAD };
    return withService(folder, (service) => measureCases(service, keys), start);
  },
};

async function measureCases(
  service: Service,
  keys: { readonly own: string; readonly other: string },
): Promise<Finding[]> {
  const client = new Client();
  const headers = { Authorization: `Bearer ${keys.other}` };
  const write = (method: string, path: string, body: unknown) => client.send(method, service.url + path, body, headers);
  await write('POST', '/projects/default/skills', { skill: { name: 'small', type: 'note' } });
  for (const name of ['skills', 'uses']) {
    await send(service, keys.own, { method: 'POST', path: '/projects', body: JSON.stringify({ project: { name } }) });
  }
  const findings: Finding[] = [];
  for (const { name, method, project, query = '', body } of listCases()) {
    await service.ask('begin');
    let isOver = false;
    const path = `/projects/${project}/manifest${query}`;
    const sent = send(service, keys.own, { method, path, ...(body !== undefined && { body }) })
      .then(async (answer) => {
        await delay(AFTER_MS);
        return answer;
      })
      .finally(() => {
        isOver = true;
      });
    let [longest, writes] = [0, 0];
    while (!isOver) {
      const begun = performance.now();
      const skill = { params: { number: writes } };
      const { status } = await write('PUT', '/projects/default/skills/small', { skill });
      if (status !== 200) throw new Error(`A write was answered with ${status}`);
      longest = Math.max(longest, performance.now() - begun);
      writes += 1;
      await delay(1);
    }
    const { status, seconds } = await sent;
    if (status !== 200) throw new Error(`${name} was answered with ${status}`);
    const hold = Number(await service.ask('lap'));
    findings.push({
      asked: `${name}: another owner's writes ≤ ${MAX_WRITE_MS} ms, a turn of the event loop ≤ ${MAX_HOLD_MS} ms`,
      measured: `${longest.toFixed(0)} ms, the longest of ${writes}; ${hold.toFixed(0)} ms; answered after ${seconds.toFixed(1)} s`,
      passed: longest <= MAX_WRITE_MS && hold <= MAX_HOLD_MS,
    });
  }
  client.close();
  return findings;
}

function listCases(): Case[] {
  const [first, second] = [listSkills(), listSkills()];
  const project = 'skills';
  const put = { method: 'PUT', project } as const;
  const uses = listUses();
  return [
    { name: 'dry run that would create', ...put, query: '?dry_run=true', body: first },
    { name: 'apply that creates', ...put, body: first },
    { name: 'apply that changes nothing', ...put, body: first },
    { name: 'export', method: 'GET', project },
    { name: 'dry run that would change', ...put, query: '?dry_run=true', body: second },
    { name: 'apply that changes', ...put, body: second },
    { name: 'dry run that would delete', ...put, query: '?dry_run=true&prune=true', body: '[]' },
    { name: 'apply that deletes', ...put, query: '?prune=true', body: '[]' },
    { name: 'apply of many uses', method: 'PUT', project: 'uses', body: uses },
    { name: 'export of many uses', method: 'GET', project: 'uses' },
    { name: 'apply that deletes many uses', method: 'PUT', project: 'uses', query: '?prune=true', body: '[]' },
  ];
}

/** Makes the JSON of skills, each with a text by chance. */
function listSkills(): string {
  const skills = Array.from({ length: ENTRIES }, (_, at) => ({
    skill: {
      name: `skill_${at}`,
      type: 'note',
      params: { text: randomBytes(TEXT_BYTES / 2).toString('hex'), number: at },
    },
  }));
  return JSON.stringify(skills);
}

function listUses(): string {
  const names = Array.from({ length: SKILLS_OF_AGENT }, (_, at) => `s${at}`);
  const skills = names.map((name) => ({ skill: { name, type: 'note' } }));
  const agents = Array.from({ length: AGENTS }, (_, at) => ({
    agent: { name: `a${at}`, skills: names.map((_, place) => names[(at + place) % names.length]) },
  }));
  return JSON.stringify([...skills, ...agents]);
}

/** Sends a request, and reads the answer without parsing it, which would hold this process. */
async function send(
  { url }: Service,
  key: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: string },
) {
  const begun = performance.now();
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  for await (const _ of response.body ?? []);
  return { status: response.status, seconds: (performance.now() - begun) / 1000 };
}

import { setTimeout as delay } from 'node:timers/promises';
import { Client as PostgresClient } from 'pg';
import { createKey } from '../../server/auth/callers.js';
import { type Headers, send } from '../../testkit/http/client.js';
import { percent } from '../../testkit/numbers.js';
import { type Service, treeMemory } from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import type { Finding, Scenario } from '../scenarios.js';
import { withPostgres, withService } from '../services.js';
import { servedFinding, Tenant } from './tenant.js';
import { p99Of, type Timed, timeAnswer, timeInWords } from './timing.js';
import { USUAL_BOUNDS, Watch } from './watch.js';

/** The duration of the lock, in seconds: longer than a write may wait. */
const SECONDS = 15;
const SHORT_SECONDS = 3;
const AFTER_SECONDS = 3;
const BETWEEN = 200;

/** The limit of the p99, in milliseconds. */
const P99 = 1000;
const DEADLINE = 5000;
const LATE = `more than ${DEADLINE} ms`;
/** The longest that a write may wait for the lock before it is answered, in milliseconds. */
const WRITE_ANSWERED = 15_000;
const WRITE_DEADLINE = 30_000;
/** The longest that the readiness may take to detect the lock, in milliseconds. */
const READINESS_FOUND = 2500;

/** Another session of PostgreSQL locks the table of projects: requests that need no project must go on. */
export const lockedTable: Scenario = {
  name: 'noisy-neighbour/locked-table',
  run: (folder) => play(folder, SECONDS),
  runShort: (folder) => play(folder, SHORT_SECONDS),
};

function play(folder: string, seconds: number): Promise<Finding[]> {
  return withPostgres((database) =>
    withService([folder, database], (service) => attack(service, database, seconds)),
  );
}

async function attack(service: Service, database: string, seconds: number): Promise<Finding[]> {
  const key = await makeKey(database, { name: 'tenant', owner: 'tenant' });
  const headers = { Authorization: `Bearer ${key}` };
  await send('GET', `${service.url}/health/live`);
  const idle = treeMemory(service.pid);
  const tenant = await Tenant.settle(service.url, headers);
  const watch = new Watch(service, USUAL_BOUNDS, idle);
  watch.begin('locked-table');
  tenant.start();
  const meanwhile = await whileLocked(database, () => askOthers(service.url, headers, seconds));
  const kept = await tenant.stop();
  tenant.start();
  await delay(AFTER_SECONDS * 1000);
  const after = servedFinding(await tenant.stop());
  tenant.close();
  return [
    ...meanwhile,
    { ...servedFinding(kept), asked: 'what the owner gets meanwhile', passed: undefined },
    { ...after, asked: `at once after the lock, ${after.asked}` },
    await watch.stop(),
    watch.memory(),
  ];
}

/** Works while another session holds the lock, and releases it afterwards. */
async function whileLocked<T>(url: string, work: () => Promise<T>): Promise<T> {
  const session = new PostgresClient({ connectionString: url });
  // The server may stop before the session does; the cause is then reported elsewhere.
  session.on('error', () => {});
  await session.connect();
  try {
    await session.query('begin');
    await session.query('lock table projects in access exclusive mode');
    return await work();
  } finally {
    await session.end();
  }
}

/** Sends requests that need no project, and writes that need one. */
async function askOthers(url: string, owner: Headers, seconds: number): Promise<Finding[]> {
  const stranger = { Authorization: `Bearer ${createKey().text}` };
  const rounds: Promise<[Timed, Timed]>[] = [];
  const end = performance.now() + seconds * 1000;
  const skill = { skill: { name: 'waits', type: 'lookup' } };
  const write = timed('POST', `${url}/projects/home/skills`, owner, skill, WRITE_DEADLINE);
  while (performance.now() < end) {
    rounds.push(
      Promise.all([
        timed('GET', `${url}/projects`, stranger),
        timed('GET', `${url}/health/ready`, {}),
      ]),
    );
    await delay(BETWEEN);
  }
  const pairs = await Promise.all(rounds);
  const written = seconds * 1000 > WRITE_ANSWERED ? [writeFinding(await write)] : [];
  return [
    strangerFinding(pairs.map(([asked]) => asked)),
    readyFinding(pairs.map(([, ready]) => ready)),
    ...written,
  ];
}

function timed(
  method: string,
  url: string,
  headers: Headers,
  body?: unknown,
  deadline = DEADLINE,
): Promise<Timed> {
  return timeAnswer(() => send(method, url, body, headers, { deadline }));
}

function strangerFinding(answers: readonly Timed[]): Finding {
  const refused = answers.filter(({ status }) => status === 401).length;
  const share = refused / answers.length;
  const p99 = p99Of(answers);
  return {
    asked: `projects is locked: an unknown key gets 401, p99 ≤ ${P99} ms`,
    measured: `${percent(share)} of ${answers.length}, p99 ${timeInWords(p99, LATE)}`,
    passed: share === 1 && p99 <= P99,
  };
}

/**
 * Nearly every request needs a project, so the service must report that it is not ready, after two failed
 * checks.
 */
function readyFinding(answers: readonly Timed[]): Finding {
  const p99 = p99Of(answers);
  const later = answers.slice(READINESS_FOUND / BETWEEN);
  const others = later.filter(({ status }) => status !== 503);
  return {
    asked: `projects is locked: /health/ready says 503 from ${READINESS_FOUND} ms on; p99 ≤ ${P99} ms`,
    measured: `otherwise ${others.length} of ${later.length} times, p99 ${timeInWords(p99, LATE)}`,
    passed: others.length === 0 && p99 <= P99,
  };
}

function writeFinding({ status, milliseconds }: Timed): Finding {
  return {
    asked: `projects is locked: a write that waits for it gets 503 within ${WRITE_ANSWERED} ms`,
    measured: `${status ?? 'no answer'} after ${timeInWords(milliseconds, `more than ${WRITE_DEADLINE} ms`)}`,
    passed: status === 503 && milliseconds <= WRITE_ANSWERED,
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { Client as PostgresClient } from 'pg';
import { createKey } from '../../../../server/auth/callers.js';
import { type Headers, NoAnswer, send } from '../../../../testkit/http/client.js';
import { percent, quantile } from '../../../../testkit/numbers.js';
import { startService, treeMemory } from '../../../../testkit/service/measured-service.js';
import { makeKey } from '../../../../testkit/store/keys.js';
import { startPostgres } from '../../../../testkit/store/postgres-database.js';
import type { Finding, Scenario } from '../../../scenario/scenario.js';
import { servedFinding, Tenant } from '../../attacks/tenant.js';
import { USUAL_BOUNDS, Watch } from '../../attacks/watch.js';

/** The duration of the lock, in seconds: longer than a write may wait. */
const SECONDS = 15;
const SHORT_SECONDS = 3;
const AFTER_SECONDS = 3;
const BETWEEN = 200;

/** The limit of the p99, in milliseconds. */
const P99 = 1000;
const DEADLINE = 5000;
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

async function play(folder: string, seconds: number): Promise<Finding[]> {
  const database = await startPostgres();
  try {
    const owner = 'tenant';
    const headers = {
      Authorization: `Bearer ${await makeKey(database.url, { name: owner, owner })}`,
    };
    const service = await startService(folder, database.url);
    try {
      await send('GET', `${service.url}/health/live`);
      const idle = treeMemory(service.pid);
      const tenant = await Tenant.settle(service.url, headers);
      const watch = new Watch(service, USUAL_BOUNDS, idle);
      watch.begin('locked-table');
      tenant.start();
      const meanwhile = await whileLocked(database.url, () =>
        askOthers(service.url, headers, seconds),
      );
      const kept = await tenant.stop();
      tenant.start();
      await delay(AFTER_SECONDS * 1000);
      const after = await tenant.stop();
      tenant.close();
      const health = await watch.stop();
      return [
        ...meanwhile,
        { ...servedFinding(kept), asked: 'what the owner gets meanwhile', passed: undefined },
        { ...servedFinding(after), asked: `at once after the lock, ${servedFinding(after).asked}` },
        health,
        watch.memory(),
      ];
    } finally {
      await service.kill();
    }
  } finally {
    await database.remove();
  }
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

/** The status of an answer, and its time in milliseconds, which is infinite if there was none. */
interface Answered {
  readonly status: number | undefined;
  readonly milliseconds: number;
}

/** Sends requests that need no project, and writes that need one. */
async function askOthers(url: string, owner: Headers, seconds: number): Promise<Finding[]> {
  const stranger = { Authorization: `Bearer ${createKey().text}` };
  const rounds: Promise<[Answered, Answered]>[] = [];
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

async function timed(
  method: string,
  url: string,
  headers: Headers,
  body?: unknown,
  deadline = DEADLINE,
): Promise<Answered> {
  const begun = performance.now();
  try {
    const { status } = await send(method, url, body, headers, { deadline });
    return { status, milliseconds: performance.now() - begun };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { status: undefined, milliseconds: Number.POSITIVE_INFINITY };
  }
}

function strangerFinding(answers: readonly Answered[]): Finding {
  const refused = answers.filter(({ status }) => status === 401).length;
  const share = refused / answers.length;
  const p99 = quantile(
    answers.map(({ milliseconds }) => milliseconds),
    0.99,
  );
  return {
    asked: `projects is locked: an unknown key gets 401, p99 ≤ ${P99} ms`,
    measured: `${percent(share)} of ${answers.length}, p99 ${inWords(p99, DEADLINE)}`,
    passed: share === 1 && p99 <= P99,
  };
}

/**
 * Nearly every request needs a project, so the service must report that it is not ready, after two failed
 * checks.
 */
function readyFinding(answers: readonly Answered[]): Finding {
  const p99 = quantile(
    answers.map(({ milliseconds }) => milliseconds),
    0.99,
  );
  const later = answers.slice(READINESS_FOUND / BETWEEN);
  const others = later.filter(({ status }) => status !== 503);
  return {
    asked: `projects is locked: /health/ready says 503 from ${READINESS_FOUND} ms on; p99 ≤ ${P99} ms`,
    measured: `otherwise ${others.length} of ${later.length} times, p99 ${inWords(p99, DEADLINE)}`,
    passed: others.length === 0 && p99 <= P99,
  };
}

function writeFinding({ status, milliseconds }: Answered): Finding {
  return {
    asked: `projects is locked: a write that waits for it gets 503 within ${WRITE_ANSWERED} ms`,
    measured: `${status ?? 'no answer'} after ${inWords(milliseconds, WRITE_DEADLINE)}`,
    passed: status === 503 && milliseconds <= WRITE_ANSWERED,
  };
}

function inWords(milliseconds: number, deadline: number): string {
  return Number.isFinite(milliseconds)
    ? `${milliseconds.toFixed(0)} ms`
    : `more than ${deadline} ms`;
}

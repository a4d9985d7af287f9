import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, open, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asArray } from '../../contract/json-record.js';
import { Client, NoAnswer, send } from '../../testkit/http/client.js';
import { readField, readText } from '../../testkit/json.js';
import { DidNotStart, type Service, startService } from '../../testkit/service/measured-service.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { withService } from '../services.js';

const SKILLS_PATH = '/projects/default/skills';
const run = promisify(execFile);

/** Starts a service that may fail to start, and judges that it serves its data, or says in one line why not. */
async function judgeStart(folder: string, databaseUrl: string, what: string): Promise<Finding> {
  const asked = `${what}: a start says what is wrong in one line, or serves`;
  try {
    const read = ({ url }: Service) => send('GET', `${url}${SKILLS_PATH}?limit=1`);
    const { status } = await withService(folder, read, { databaseUrl });
    const measured = `it starts, and reads: ${status}`;
    return { asked, measured, passed: status === 200 || status === 503 };
  } catch (error) {
    if (!(error instanceof DidNotStart)) throw error;
    const lines = error.log.trim().split('\n');
    const output = lines.join(' / ').replaceAll(folder, '…');
    const isLine = lines.length === 1 && lines[0]?.startsWith('Roster did') === true;
    const measured = `exit code ${error.code}: ${output}`;
    return { asked, measured, passed: isLine && error.code === 1 };
  }
}

const SMALL = '4m';
/** A new PostgreSQL has a log of 8 MiB. */
const SMALL_LOG = '16m';
const ROOMY = '64m';
/** More writes than fit on a small disk. */
const WRITES = 200;

type Remount = (options: string) => Promise<unknown>;

/**
 * Does some work on a small disk, which is mounted on an empty folder.
 * @param what what is tried on it, in words
 */
async function onSmallDisk(
  { at, size, what }: { readonly at: string; readonly size: string; readonly what: string },
  work: (remount: Remount) => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at]);
  } catch (error) {
    // Only root may mount.
    return [{ asked: what, measured: `not tried: ${String(error).replaceAll('\n', ' ').trim()}` }];
  }
  try {
    return await work((options) => run('mount', ['-o', `remount,${options}`, at]));
  } finally {
    await run('umount', [at]);
  }
}

/** A full disk, and a read-only one. */
export const disk: Scenario = {
  name: 'disk',
  run: async ({ folder }) => {
    const at = join(folder, 'disk');
    await mkdir(at);
    return onSmallDisk({ at, size: SMALL, what: 'a full and a read-only disk' }, (remount) =>
      fillAndProtect(folder, `file:${join(at, 'roster.db')}`, remount),
    );
  },
};

/** A full disk of the write-ahead log of PostgreSQL, which ends PostgreSQL. */
export const diskPostgres: Scenario = {
  name: 'disk-postgres',
  run: async ({ folder }) => {
    // PostgreSQL runs as another user, who may not enter the folder of the scenario.
    const at = await mkdtemp(join(tmpdir(), 'roster-wal-'));
    try {
      return await onSmallDisk({ at, size: SMALL_LOG, what: 'a full disk of pg_wal' }, async (remount) => {
        const database = await startPostgres({ wal: at });
        try {
          return await withService(folder, (service) => fillLog(service, database, remount), {
            databaseUrl: database.url,
          });
        } finally {
          await database.remove();
        }
      });
    } finally {
      await rmdir(at);
    }
  },
};

const LOG_WRITERS = 3;
/** The time without room, and the longest time until writes are taken again, in milliseconds. */
const FULL_MS = 5_000;
const RECOVERY_MS = 30_000;

async function fillLog({ url }: Service, database: PostgresDatabase, remount: Remount): Promise<Finding[]> {
  const list = url + SKILLS_PATH;
  const client = new Client({ connections: LOG_WRITERS });
  const written = new Set<number>();
  const otherwise: string[] = [];
  let refused = 0;
  let sent = 0;
  const write = async () => {
    sent += 1;
    const number = sent;
    const answer = await client.send('POST', list, { skill: largeSkill(number) }).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      otherwise.push(error.message);
    });
    if (!answer) return 0;
    const { status, body, headers } = answer;
    const isRefusal = status === 503 && headers['retry-after'] !== undefined;
    if (status === 201) written.add(number);
    else if (isRefusal) refused += 1;
    else otherwise.push(`${status} ${readText(body, 'type')}`);
    return status;
  };
  /** Runs all writers until each gets a matching answer, or the time is up. */
  const writeUntil = async (isEnough: (status: number) => boolean, timeMs: number) => {
    const end = performance.now() + timeMs;
    const writers = Array.from({ length: LOG_WRITERS }, async () => {
      while (performance.now() < end) if (isEnough(await write())) return true;
      return false;
    });
    return (await Promise.all(writers)).every(Boolean);
  };
  try {
    const isFull = await writeUntil((status) => status === 503, RECOVERY_MS);
    await writeUntil(() => false, FULL_MS);
    const before = `${written.size} acknowledged, ${refused} refused`;
    await remount(`rw,size=${ROOMY}`);
    await database.start();
    const begun = performance.now();
    const isBack = await writeUntil((status) => status === 201, RECOVERY_MS);
    const seconds = (performance.now() - begun) / 1000;
    const writes = `${written.size} acknowledged, ${refused} refused`;
    const missing = await findMissing(client, list, written);
    return [
      none('a full pg_wal: each write is taken, or refused with 503 and Retry-After', otherwise, writes),
      { asked: 'a full pg_wal is met at all', measured: before, passed: isFull },
      {
        asked: 'with room, and PostgreSQL started: writes are taken again, without a restart of the service',
        measured: `each of ${LOG_WRITERS} writers after ${seconds.toFixed(1)} s at most`,
        passed: isBack,
      },
      none('with room again: what was acknowledged is there', missing, writes),
    ];
  } finally {
    client.close();
  }
}

async function fillAndProtect(folder: string, databaseUrl: string, remount: Remount): Promise<Finding[]> {
  // Killed afterwards, as by a power cut: data that was not on the disk is lost.
  const use = <T>(work: (client: Client, list: string) => Promise<T>) => {
    const client = new Client();
    const onSkills = ({ url }: Service) => work(client, url + SKILLS_PATH);
    return withService(folder, onSkills, { databaseUrl }).finally(() => client.close());
  };
  const written = new Set<number>();
  const otherwise: string[] = [];
  let refused = 0;
  const unreadable = await use(async (client, list) => {
    for (let number = 0; number < WRITES; number += 1) {
      const { status, body } = await client.send('POST', list, { skill: largeSkill(number) });
      const type = readText(body, 'type');
      if (status === 201) written.add(number);
      else if (status === 503 && type === '/problems/service-unavailable') refused += 1;
      else otherwise.push(`${status} ${type}`);
    }
    return findMissing(client, list, written);
  });
  const writes = `${written.size} acknowledged, ${refused} refused`;
  const full = [
    none('a full disk: each write is taken, or refused with 503 as a problem', otherwise, writes),
    { asked: 'a full disk is met at all', measured: `${refused} refused`, passed: refused > 0 },
    none('a full disk: what was there is readable meanwhile', unreadable, writes),
    await judgeStart(folder, databaseUrl, 'a full disk'),
  ];
  await remount(`rw,size=${ROOMY}`);
  const roomy = await use(async (client, list) => {
    const missing = await findMissing(client, list, written, WRITES);
    const { status } = await client.send('POST', list, { skill: largeSkill(WRITES) });
    if (status === 201) written.add(WRITES);
    const asked = 'with room again, and a start: what was acknowledged is there, and no more';
    const taken = { asked: 'with room again: a write is taken', measured: `${status}` };
    return [none(asked, missing, writes), { ...taken, passed: status === 201 }];
  });
  await remount('ro');
  const readOnly = await judgeStart(folder, databaseUrl, 'a read-only store');
  await remount(`rw,size=${ROOMY}`);
  const missing = await use((client, list) => findMissing(client, list, written));
  const writable = none('writable again: what was there is there', missing, `${written.size}`);
  return [...full, ...roomy, readOnly, writable];
}

/** Returns a skill of about ten pages, whose contents derive from its number. */
function largeSkill(number: number) {
  // It cannot be compressed by much, as PostgreSQL would.
  const text = createHash('shake256', { outputLength: 19_200 }).update(String(number)).digest('hex');
  return { name: `large_${number}`, type: 'lookup', params: { text } };
}

/**
 * Reads skills one by one, and returns those that differ from what was written.
 * @param all if given, skills with lower numbers than this that were not written must not exist
 */
async function findMissing(
  client: Client,
  list: string,
  written: ReadonlySet<number>,
  all?: number,
): Promise<string[]> {
  const faults: string[] = [];
  const numbers = all === undefined ? written : Array.from({ length: all }, (_, number) => number);
  for (const number of numbers) {
    const { name, params } = largeSkill(number);
    const { status, body } = await client.send('GET', `${list}/${name}`);
    const isWhole = readField(readField(body, 'params'), 'text') === params.text;
    const isRight = written.has(number) ? status === 200 && isWhole : status === 404;
    if (!isRight) faults.push(`${name}: ${status} ${readText(body, 'title')}`);
  }
  return faults;
}

const SKILLS = 2000;
const PAGE = 4096;
/** The positions of the overwritten pages, as fractions of the file. */
const PLACES = [0.2, 0.35, 0.5, 0.65, 0.8];

/** A store whose file was overwritten, at its beginning or in its middle. */
export const corruptStore: Scenario = {
  name: 'corrupt-store',
  run: async ({ folder }) => {
    const good = join(folder, 'good.db');
    const service = await startService(folder, `file:${good}`);
    const client = new Client();
    for (let number = 0; number < SKILLS; number += 1) {
      await client.send('POST', service.url + SKILLS_PATH, { skill: smallSkill(number) });
    }
    client.close();
    await service.stop();
    const { size } = await stat(good);
    /** Copies the store, and overwrites a part. Returns its URL. */
    const damage = async (name: string, at: number, length: number) => {
      const copy = join(folder, name);
      await copyFile(good, copy);
      const handle = await open(copy, 'r+');
      // As random as any bytes, and the same in each run.
      const bytes = createHash('shake256', { outputLength: length }).update(name).digest();
      await handle.write(bytes, 0, length, at);
      await handle.close();
      return `file:${copy}`;
    };
    const bad = await damage('bad.db', 0, 100);
    const header = await judgeStart(folder, bad, 'the header is overwritten');
    const tally: Tally = { right: 0, refused: 0, faults: [] };
    for (const place of PLACES) {
      const at = Math.floor((place * size) / PAGE) * PAGE;
      await useDamaged(folder, await damage(`damaged-${place}.db`, at, PAGE), tally);
    }
    const { right, refused, faults } = tally;
    const asks = `${right} right answers and ${refused} refusals, pages at ${PLACES.join(', ')} of the file`;
    return [
      { ...header, passed: header.passed && header.measured.startsWith('exit') },
      none('a page is overwritten: each answer is right, a problem, or broken off', faults, asks),
      {
        asked: 'a page is overwritten: what is on the others is readable',
        measured: `${right} of ${PLACES.length * SKILLS}`,
        passed: right >= 0.9 * PLACES.length * SKILLS,
      },
    ];
  },
};

function smallSkill(number: number) {
  return { name: `skill_${number}`, type: 'lookup', params: { number } };
}

interface Tally {
  right: number;
  refused: number;
  readonly faults: string[];
}

/** Reads every resource, lists them, writes some, and after a restart reads the acknowledged ones again. */
async function useDamaged(folder: string, databaseUrl: string, tally: Tally): Promise<void> {
  const start = await judgeStart(folder, databaseUrl, 'a page is overwritten');
  if (start.measured.startsWith('exit')) {
    tally.refused += SKILLS;
    if (!start.passed) tally.faults.push(start.measured);
    return;
  }
  const client = new Client();
  /** Sends a request, and counts its answer. One that breaks off is a refusal: no client takes it for complete. */
  const ask = async (
    [method, url, sent]: readonly [method: string, url: string, sent?: object],
    isRight: (status: number, body: unknown) => boolean,
  ) => {
    const answer = await client.send(method, url, sent).catch((error) => {
      if (!(error instanceof NoAnswer)) throw error;
      return { status: 500, body: undefined };
    });
    const { status, body } = answer;
    const passed = isRight(status, body);
    if (passed) tally.right += 1;
    else if (status >= 500) tally.refused += 1;
    else tally.faults.push(`${databaseUrl}: ${method} ${url}: ${status} ${readText(body, 'title')}`);
    return passed;
  };
  const read = (url: string, number: number) =>
    ask(['GET', `${url}${SKILLS_PATH}/skill_${number}`], (status, body) => {
      return status === 200 && readField(readField(body, 'params'), 'number') === number;
    });
  const written: number[] = [];
  const use = async ({ url }: Service) => {
    const list = url + SKILLS_PATH;
    for (let number = 0; number < SKILLS; number += 1) await read(url, number);
    await ask(['GET', list], (_, body) => asArray(body).length === SKILLS);
    for (let number = SKILLS; number < SKILLS + 20; number += 1) {
      const create = ['POST', list, { skill: smallSkill(number) }] as const;
      if (await ask(create, (status) => status === 201)) written.push(number);
    }
  };
  await withService(folder, use, { databaseUrl });
  const readAgain = async ({ url }: Service) => {
    for (const number of written) await read(url, number);
  };
  await withService(folder, readAgain, { databaseUrl });
  client.close();
}

/** Tests what long searches take from others, and how they end. The documents' own tests are about results. */

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ON_POSTGRES } from '../../../contract-tests/tested-store.js';
import { WAIT_MS } from '../../../testkit/patience.js';
import { startPostgres } from '../../../testkit/store/postgres-database.js';
import { createProject, findProjectRow } from '../../projects/projects.js';
import { Store } from '../../store/index.js';
import { createSkill } from '../skills.js';
import { putDocument, storeText } from './documents.js';
import { openPassageSearch, PassageSearch, SearchError, type SearchLimits } from './passage-search.js';
import { preparePassages } from './split-text.js';

const WORKER = new URL('../../../dist/testkit/store/endless-search-worker.js', import.meta.url);

const FOREVER = new AbortController().signal;

interface OpenStore {
  readonly store: Store;
  readonly passages: PassageSearch;
  close(): Promise<void>;
}

async function openStore(url: string, limits?: Partial<SearchLimits>): Promise<OpenStore> {
  const store = await Store.open(url);
  const passages = openPassageSearch(store, limits, WORKER);
  return { store, passages, close: () => passages.close().then(() => store.close()) };
}

/** A database of a store, in which searches for "endless" in a skill have no end. */
interface EndlessDatabase {
  open(limits?: Partial<SearchLimits>): Promise<OpenStore>;
  /** Makes the searches of a skill endless, on PostgreSQL all of them. */
  makeEndless(skillId: string): Promise<void>;
  /** Returns the processes that run endless searches. */
  processes(): Promise<number[]>;
  /** Ends a process of the service, or a statement of PostgreSQL, as nobody expects. */
  kill(pid: number): Promise<void>;
  remove(): Promise<void>;
}

async function endlessFile(): Promise<EndlessDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-search-'));
  return {
    open: (limits) => openStore(`file:${join(folder, 'roster.db')}`, limits),
    makeEndless: async () => {},
    processes: async () => {
      const names = await readdir(folder);
      return names
        .filter((name) => name.endsWith('.pid'))
        .map((name) => Number.parseInt(name, 10))
        .filter(isAlive);
    },
    kill: async (pid) => {
      process.kill(pid, 'SIGKILL');
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function endlessPostgres(): Promise<EndlessDatabase> {
  const database = await startPostgres();
  const client = new pg.Client(database.url);
  await client.connect();
  return {
    open: (limits) => openStore(database.url, limits),
    makeEndless: async (skillId) => {
      await client.query(`
        alter table passage_terms rename to awake_terms;
        create view passage_terms as select * from awake_terms
          where case when skill_id = '${skillId}' then pg_sleep(600) is null else true end`);
    },
    processes: async () => {
      const { rows } = await client.query(
        `select pid from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'`,
      );
      return rows.map(({ pid }) => Number(pid));
    },
    kill: async (pid) => {
      await client.query('select pg_cancel_backend($1)', [pid]);
    },
    remove: async () => {
      await client.end();
      await database.remove();
    },
  };
}

async function newSkill(store: Store, owner: string): Promise<string> {
  const { id: project } = await store.transaction((store) => createProject(store, owner, 'shop'));
  const skill = { name: 'care', type: 'retrieval', params: {} };
  return (await store.transaction((store) => createSkill(store, project, skill))).id;
}

async function put(store: Store, owner: string, skillId: string, content: string): Promise<void> {
  const passages = await preparePassages(content, false);
  const text = await storeText(store, owner, skillId, { bytes: content.length, passages });
  await store.transaction((tx) => putDocument(tx, { id: skillId, name: 'care' }, 'a.txt', 'text/plain', text));
}

describe('an endless search', () => {
  let database: EndlessDatabase;
  let opened: OpenStore;
  let store: Store;
  let anns: string;
  let bobs: string;
  beforeAll(async () => {
    database = await (ON_POSTGRES ? endlessPostgres() : endlessFile());
    // A busy machine may take long to start a process.
    opened = await database.open({ maxWaitMs: WAIT_MS, timeoutMs: WAIT_MS });
    ({ store } = opened);
    [anns, bobs] = [await newSkill(store, 'ann'), await newSkill(store, 'bob')];
    await put(store, 'ann', anns, 'An endless diamond.');
    await put(store, 'bob', bobs, 'A diamond.');
    await database.makeEndless(anns);
  });
  afterAll(async () => {
    await opened.close();
    await database.remove();
  });

  const ofAnn = (searching = opened, signal = FOREVER) =>
    searching.passages.search({ owner: 'ann', skillId: anns, query: 'endless', limit: 5 }, signal);
  const ofBob = (signal = FOREVER) =>
    opened.passages.search({ owner: 'bob', skillId: bobs, query: 'diamonds', limit: 5 }, signal);
  const FOUND = [{ document: 'a.txt', number: 1, headings: '', content: 'A diamond.' }];
  const running = (count: number) => expect.poll(database.processes, { interval: 20 }).toHaveLength(count);

  test('leaves reads and the searches of others alone, however many wait, and ends with its caller', async () => {
    const gone = new AbortController();
    const searches = Array.from({ length: 8 }, () => ofAnn(opened, gone.signal));
    const failed = Promise.allSettled(searches);
    await running(2);
    expect(await ofBob()).toEqual(FOUND);
    const reads = Array.from({ length: 8 }, () => findProjectRow(store, 'bob', 'shop'));
    expect(await Promise.all(reads)).toHaveLength(8);
    expect(await database.processes()).toHaveLength(2);
    gone.abort(new Error('gone'));
    for (const search of searches) await expect(search).rejects.toThrow('gone');
    await failed;
    await running(0);
    expect(await ofBob()).toEqual(FOUND);
  });

  test('ends when its time is up, and says what to search for', async () => {
    const impatient = await database.open({ timeoutMs: 1500 });
    const search = ofAnn(impatient);
    await expect(search).rejects.toThrow(SearchError);
    await expect(search).rejects.toThrow('1.5 seconds and was ended; search for fewer and rarer');
    await running(0);
    await impatient.close();
  });

  test('ends when the search closes', async () => {
    const closing = await database.open({ maxWaitMs: WAIT_MS, timeoutMs: WAIT_MS });
    const search = ofAnn(closing);
    const refused = expect(search).rejects.toThrow('is stopping');
    await running(1);
    await closing.close();
    await refused;
    await running(0);
    await expect(ofAnn(closing)).rejects.toThrow('is stopping');
  });

  test('fails alone when something else ends it', async () => {
    const [killed, other] = [ofAnn(), ofAnn(opened, AbortSignal.timeout(WAIT_MS))];
    await running(2);
    const [pid = 0] = await database.processes();
    const lost = Promise.any([killed, other].map((search) => search.catch((error) => error)));
    await database.kill(pid);
    expect(await lost).toBeInstanceOf(Error);
    expect(await ofBob()).toEqual(FOUND);
    expect(await database.processes()).toHaveLength(1);
  });
});

describe('a search in memory', () => {
  /** Paragraphs of words, so many that they are searched in several steps. */
  const content = Array.from({ length: 2600 }, (_, paragraph) =>
    Array.from({ length: 140 }, (_, word) => `w${(paragraph * paragraph + word * word) % 997}`),
  )
    .map((words) => words.join(' '))
    .join('\n\n');
  let opened: OpenStore;
  let skillId: string;
  beforeAll(async () => {
    opened = await openStore(':memory:');
    skillId = await newSkill(opened.store, 'ann');
    await put(opened.store, 'ann', skillId, content);
  });
  afterAll(() => opened.close());

  test('lets others go on, and ends with its caller', async () => {
    const gone = new AbortController();
    setImmediate(() => gone.abort(new Error('gone')));
    const search = { owner: 'ann', skillId, query: 'w1 w4 w9', limit: 5 };
    await expect(opened.passages.search(search, gone.signal)).rejects.toThrow('gone');
    expect(await opened.passages.search(search, FOREVER)).toHaveLength(5);
  });

  test('finds the same as in a file, whose passages are searched at once', async () => {
    const file = await endlessFile();
    const other = await file.open();
    const others = await newSkill(other.store, 'ann');
    await put(other.store, 'ann', others, content);
    for (const query of ['w1', 'w4 w9 w16', 'w25 w1 w36 w49 w64 w81 w100 w121 w144', 'w996', 'none']) {
      const search = { owner: 'ann', query, limit: 5 };
      const found = await other.passages.search({ ...search, skillId: others }, FOREVER);
      expect(await opened.passages.search({ ...search, skillId }, FOREVER)).toEqual(found);
    }
    await other.close();
    await file.remove();
  });
});

test('closing does not wait for a database that is silent', async () => {
  const closed: string[] = [];
  const search = new PassageSearch({
    find: () => new Promise(() => {}),
    close: async () => {
      closed.push('finder');
    },
  });
  const asked = search.search({ owner: 'ann', skillId: 's', query: 'one', limit: 1 }, FOREVER);
  const refused = expect(asked).rejects.toThrow('is stopping');
  await search.close();
  await refused;
  expect(closed).toEqual(['finder']);
});

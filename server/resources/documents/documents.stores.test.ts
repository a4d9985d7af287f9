import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testedStore } from '../../../contract-tests/tested-store.js';
import { anyText } from '../../../testkit/any-text.js';
import type { OwnStore } from '../../../testkit/store/own-store.js';
import { ProblemError } from '../../problems/problem.js';
import { createProject } from '../../projects/projects.js';
import { sweepUntaken } from '../../store/forget-rows.js';
import { Store } from '../../store/index.js';
import { createSkill, skills } from '../skills.js';
import { discardTexts, listDocuments, putDocument, readText, removeDocument, storeText, TEXTS } from './documents.js';
import { openPassageSearch } from './passage-search.js';
import { preparePassages } from './split-text.js';

const DEFAULT_LIMITS = { resources: 3, stored: 100_000 };

let database: OwnStore;
beforeAll(async () => {
  database = await testedStore();
});
afterAll(() => database.remove());

describe('the documents of a skill', () => {
  let store: Store;
  let projectId: string;
  let skillId: string;
  beforeEach(async () => {
    store = await Store.open(await database.empty(), { limits: DEFAULT_LIMITS });
    ({ id: projectId } = await createProject(store, 'ann', 'shop'));
    skillId = await newSkill(projectId, 'care');
  });
  afterEach(() => store.close());

  async function newSkill(projectId: string, name: string): Promise<string> {
    const skill = { name, type: 'retrieval', params: { source: name } };
    return (await store.transaction((store) => createSkill(store, projectId, skill))).id;
  }

  async function keep(text: string, owner = 'ann', skill = skillId) {
    const passages = await preparePassages(text, true);
    return storeText(store, owner, skill, { bytes: Buffer.byteLength(text), passages });
  }

  async function put(name: string, sent: string, to = { owner: 'ann', skillId }) {
    const text = await keep(sent, to.owner, to.skillId);
    return store.transaction((tx) => putDocument(tx, { id: to.skillId, name: 'care' }, name, 'text/markdown', text));
  }

  const remove = (name: string) => store.transaction((tx) => removeDocument(tx, skillId, name));
  const sweep = async () => {
    while (await sweepUntaken(store, TEXTS));
  };
  const search = (query: string, skill = skillId) =>
    openPassageSearch(store).search({ owner: 'ann', skillId: skill, query, limit: 5 }, new AbortController().signal);
  const found = async (query: string, skill = skillId) => (await search(query, skill)).map(({ document }) => document);
  const textOf = async (name: string) => (await readText(store, skillId, name))?.pieces.join('');
  /** Fills what the owner may store, and returns how much that was. */
  const room = async () => {
    let [low, high] = [0, DEFAULT_LIMITS.stored];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const refused = await store
        .transaction(async (store) => {
          const params = { source: 'x'.repeat(middle) };
          await createSkill(store, projectId, { name: 'filler', type: 'retrieval', params });
          throw new RangeError('only tried');
        })
        .catch((error) => error);
      if (refused instanceof ProblemError) high = middle - 1;
      else low = middle;
    }
    return low;
  };

  test('come back as they were sent, whatever they contain', async () => {
    const part = fc.oneof(anyText(), fc.constantFrom('\n\n', '# a\n', '😀'.repeat(900)));
    const texts = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('').replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        await put('any.md', text);
        expect(await textOf('any.md')).toBe(text);
        // The text before it counts until then.
        await sweep();
      }),
      { numRuns: 20 },
    );
  });

  test('are created, replaced, listed in order of creation, and deleted', async () => {
    const first = await put('b.md', 'Warm water.');
    expect(first).toMatchObject({ isNew: true, document: { name: 'b.md', bytes: 11, passages: 1 } });
    await put('a.md', '');
    const again = await put('b.md', `Cold water. ${'More. '.repeat(500)}`);
    expect(again).toMatchObject({
      isNew: false,
      document: { id: first.document.id, created_at: first.document.created_at, passages: 3 },
    });
    const list = await listDocuments(store, skillId, {});
    expect(list.map(({ name }) => name)).toEqual(['b.md', 'a.md']);
    expect(list[0]).toEqual(again.document);
    expect(await textOf('a.md')).toBe('');
    expect(await remove('b.md')).toBe(true);
    expect(await remove('b.md')).toBe(false);
    expect(await textOf('b.md')).toBeUndefined();
    expect(await found('water')).toEqual([]);
  });

  test('are limited in number, but those that are there can be replaced', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, 'Text.');
    await expect(put('d', 'Text.')).rejects.toMatchObject({ detail: expect.stringContaining('holds 3 documents') });
    await put('c', 'Other text.');
    await remove('a');
    await put('d', 'Text.');
  });

  test('count towards what their owner stores until they are swept', async () => {
    const before = await room();
    await put('a', 'x '.repeat(20_000));
    expect(before - (await room())).toBeGreaterThanOrEqual(40_000);
    await expect(put('b', 'x '.repeat(40_000))).rejects.toMatchObject({ type: '/problems/limit-reached' });
    expect(await textOf('b')).toBeUndefined();
    await put('a', 'x '.repeat(10_000));
    expect(before - (await room())).toBeGreaterThanOrEqual(60_000);
    await sweep();
    expect(before - (await room())).toBeLessThan(21_000);
    await remove('a');
    await sweep();
    expect(await room()).toBe(before);
  });

  test('go with their skill, and leave those of other skills', async () => {
    const other = await newSkill(projectId, 'other');
    const before = await room();
    await put('kept', 'Diamonds.');
    const withOne = await room();
    for (const name of ['a', 'b']) await put(name, 'Diamonds.', { owner: 'ann', skillId: other });
    await store.transaction(async (store) => {
      const row = await skills.find(store, projectId, 'other');
      if (row) await skills.remove(store, row);
    });
    expect(await found('diamonds', other)).toEqual([]);
    expect(await listDocuments(store, other, {})).toEqual([]);
    await sweep();
    expect(await found('diamonds')).toEqual(['kept']);
    // The params of the deleted skill are given back too.
    expect(await room()).toBeGreaterThan(withOne);
    expect(before).toBeGreaterThan(withOne);
  });

  test('do not have a text before they take it, nor one that was given up', async () => {
    const kept = await keep('Diamonds.');
    await sweep();
    expect(await found('diamonds')).toEqual([]);
    await store.transaction((tx) => putDocument(tx, { id: skillId, name: 'care' }, 'a', 'text/plain', kept));
    expect(await found('diamonds')).toEqual(['a']);
    await discardTexts(store, [kept]);
    await sweep();
    expect(await textOf('a')).toBe('Diamonds.');
    const given = await keep('Emeralds.');
    await discardTexts(store, [given]);
    await expect(
      store.transaction((tx) => putDocument(tx, { id: skillId, name: 'care' }, 'a', 'text/plain', given)),
    ).rejects.toThrow('discarded');
    expect(await textOf('a')).toBe('Diamonds.');
  });

  test('are found by their words and the stems of English ones, in any script', async () => {
    await put('en.md', '# Cleaning\nHow to clean a diamond: warm water.');
    await put('de.md', 'Größe und Straße: zehn Karat.');
    await put('ja.md', 'ダイヤモンドの洗い方。ぬるま湯を使います。');
    expect(await found('cleaned DIAMONDS')).toEqual(['en.md']);
    expect(await found('GROSSE strasse')).toEqual(['de.md']);
    expect(await found('ダイヤモンド')).toEqual(['ja.md']);
    expect(await found('ぬるま湯')).toEqual(['ja.md']);
    expect(await found('emerald')).toEqual([]);
  });

  test('rank passages with rare words, and words in headings, before others', async () => {
    await put('often.md', 'Water, water, water, water everywhere. The ring is in the water.');
    await put('both.md', 'The sapphire is in the water.');
    await put('heading.md', `# Sapphire\n\n${'Something else about it. '.repeat(10)}`);
    expect((await found('sapphire water'))[0]).toBe('both.md');
    expect((await found('sapphire')).sort()).toEqual(['both.md', 'heading.md']);
    expect(await found('water')).toEqual(['often.md', 'both.md']);
  });

  test('have numbered passages, each with the headings above it', async () => {
    await put('long.md', `# Care\n\n${'Filler words. '.repeat(100)}\n\nThe sapphire.`);
    expect(await search('sapphire')).toEqual([
      { document: 'long.md', number: 2, headings: 'Care', content: expect.stringMatching(/sapphire\.$/) },
    ]);
  });

  test('are never found by the skills of others', async () => {
    const { id: bobs } = await createProject(store, 'bob', 'shop');
    const other = await newSkill(bobs, 'care');
    await put('ann.md', 'Secret diamonds.');
    await put('bob.md', 'Public diamonds.', { owner: 'bob', skillId: other });
    expect(await found('diamonds secret')).toEqual(['ann.md']);
    expect(await found('diamonds secret', other)).toEqual(['bob.md']);
    expect(await found(`secret skill:"${skillId.replaceAll('-', '')}"`, other)).toEqual([]);
    expect(await found(`" OR skill : "${skillId.replaceAll('-', '')}`, other)).toEqual([]);
  });

  test('take the operators of either database in a query for words', async () => {
    await put('a.md', 'Diamond, water.');
    for (const query of [
      "water'); drop table documents; --",
      'NEAR(diamond water, 5)',
      'headings : diamond',
      'diamond AND NOT (water',
      '-diamond ^water +x',
      'diamond & !water | <-> :*',
    ]) {
      expect(await found(query)).toEqual(['a.md']);
    }
    for (const query of ['"', '*', '!?…', '\\ \' "" % _', 'NOT', 'b\0c']) {
      expect(await found(query)).toEqual([]);
    }
    const anything = anyText({ maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(anything, async (query) => {
        expect(await found(`${query} diamond`)).toEqual(['a.md']);
      }),
      { numRuns: 50 },
    );
  });

  test('are whole in every read while they are replaced', async () => {
    const versions = ['north ', 'south '].map((word) => word.repeat(2000));
    await put('a.md', versions[0] ?? '');
    let isDone = false;
    const writing = (async () => {
      for (let round = 0; round < 6; round += 1) await put('a.md', versions[round % 2] ?? '');
      isDone = true;
    })();
    while (!isDone) {
      expect(versions).toContain(await textOf('a.md'));
      // SQLite reads without a turn of the event loop, in which the writes go on.
      await nextTurn();
      expect(await found('north south')).toEqual(Array.from({ length: 5 }, () => 'a.md'));
    }
    await writing;
  });
});

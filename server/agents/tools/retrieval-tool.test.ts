import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProject } from '../../projects/projects.js';
import { putDocument, storeText } from '../../resources/documents/documents.js';
import { openPassageSearch } from '../../resources/documents/passage-search.js';
import { preparePassages } from '../../resources/documents/split-text.js';
import { createSkill } from '../../resources/skills.js';
import { Store } from '../../store/index.js';
import { retrievalTool } from './retrieval-tool.js';
import { ToolError, toolFailure } from './tool.js';

let store: Store;
let id: string;
beforeEach(async () => {
  store = await Store.open(':memory:');
  const project = await createProject(store, 'ann', 'shop');
  const skill = { name: 'care.v2', type: 'retrieval', params: {} };
  ({ id } = await store.transaction((store) => createSkill(store, project.id, skill)));
});
afterEach(() => store.close());

const SKILL = { name: 'care.v2', type: 'retrieval' };
const tool = (params = {}, limits = {}) =>
  retrievalTool({ ...SKILL, id, params }, openPassageSearch(store, limits), 'ann');
const search = (query: unknown) => tool().run({ query }, new AbortController().signal);

async function put(name: string, text: string): Promise<void> {
  const sent = { bytes: Buffer.byteLength(text), passages: await preparePassages(text, true) };
  const kept = await storeText(store, 'ann', id, sent);
  await store.transaction((tx) => putDocument(tx, { id, name: 'care.v2' }, name, 'text/markdown', kept));
}

test('gives passages with their document, number and headings, as passages and as data', async () => {
  await put('care.md', `# Care\n\n${'Filler words. '.repeat(100)}\n\nThe sapphire.\n`);
  const result = await search('sapphire?');
  const cited = { document: 'care.md', passage: 2, content: expect.stringMatching(/^Care\n\n.*sapphire\.$/s) };
  expect(result.passages).toEqual([{ skill: 'care.v2', ...cited }]);
  expect(result.data).toEqual({ passages: [cited] });
});

test('gives at most five passages, of at most 6,000 characters', async () => {
  for (let number = 0; number < 8; number += 1) await put(`${number}`, 'diamond '.repeat(170));
  expect((await search('diamond')).passages).toHaveLength(4);
  for (let number = 0; number < 8; number += 1) await put(`${number}`, 'A diamond.');
  expect((await search('diamond')).passages).toHaveLength(5);
});

test.each(['emerald', '"*"', 'the'])('says that nothing is found by %j', async (query) => {
  await put('care.md', 'A diamond.');
  const { data, passages } = await search(query);
  expect(passages).toEqual([]);
  expect(data).toMatchObject({ note: expect.stringContaining('No passage has any of these words') });
});

test.each([undefined, 7, '', '  ', 'x'.repeat(1001)])('refuses the query %j', async (query) => {
  await expect(search(query)).rejects.toThrow(ToolError);
});

test.each([null, 'diamond', []])('refuses the input %j', async (input) => {
  await expect(tool().run(input, new AbortController().signal)).rejects.toThrow(ToolError);
});

test('does not search for a caller who has gone', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(tool().run({ query: 'diamond' }, gone)).rejects.toThrow('gone');
});

test('says what to do when there is no turn for the search', async () => {
  const { run } = tool({}, { slots: 0, maxWaiting: 0 });
  const refused = run({ query: 'diamond' }, new AbortController().signal);
  const reason = await refused.catch(toolFailure);
  expect(reason).toContain('rarer words');
});

test('describes its documents', () => {
  expect(tool({ source: 'the care of diamonds' }).description).toContain('the care of diamonds');
  const both = tool({ source: 'care.md', description: 'How to clean diamonds.' });
  expect(both.description).toContain('How to clean diamonds.');
});

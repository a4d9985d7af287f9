import { expect, test } from 'vitest';
import { compareProject } from './compare.js';
import { makeEntry, readEntries } from './entries.js';

test('other requests are served while the largest manifest is compared', async () => {
  const skill = (at: number, source: string) => {
    return { name: `skill_${at}`, type: 'knowledge_base', params: { source } };
  };
  const numbers = Array.from({ length: 5000 }, (_, at) => at);
  const stored = numbers.map((at) => makeEntry('skill', skill(at, 'stored '.repeat(300))));
  const none = new Map<string, never>();
  const state = {
    entries: new Map(stored.map((entry) => [entry.key, entry])),
    skills: none,
    agents: none,
    chatbots: none,
    models: none,
  };
  const sent = numbers.map((at) => ({ skill: skill(at, 'sent '.repeat(300)) }));
  const wanted = await readEntries(sent);
  let isServed = false;
  setImmediate(() => {
    isServed = true;
  });
  expect(await compareProject(state, wanted, false)).toHaveLength(5000);
  expect(isServed).toBe(true);
});

import { describe, expect, test } from 'vitest';
import { partsOf } from '../store/page.js';
import { agentJson, chatbotJson, skillJson } from './written-json.js';

const text = 'a "quoted" \u2028 text\n';
const common = {
  id: '019a1111-0000-7000-8000-000000000000',
  project_id: 'p',
  name: 'n',
  created_at: '2026-11-22T00:00:00.000Z',
  updated_at: '2026-11-22T00:00:01.000Z',
};
const open = { 2: -1.5e-9, k: [text, null], ['__proto__']: {} };
const { project_id: _, created_at, updated_at, ...identity } = common;
const times = { created_at, updated_at };

describe('the JSON of a resource is that of JSON.stringify', () => {
  test.each([[null, []] as const, ['a1","a2', ['a1', 'a2']] as const])(
    'for a skill with the agents %s',
    (agents, agent_ids) => {
      const row = { ...common, type: text, params: JSON.stringify(open) };
      expect(skillJson(row, agents)).toBe(
        JSON.stringify({ ...identity, type: text, params: open, agent_ids, ...times }),
      );
    },
  );

  test('for an agent', () => {
    const own = { model_name: null, provider: 'p', prompt_template: text };
    const row = {
      ...common,
      ...own,
      model: null,
      data: '{"tables":["t"]}',
      settings: JSON.stringify(open),
    };
    const rest = { settings: open, params: open, ...times };
    expect(agentJson(row, ['{"s":1}', '{"s":2}']).join('')).toBe(
      JSON.stringify({
        ...identity,
        ...own,
        model: null,
        data: { tables: ['t'] },
        skills: [{ s: 1 }, { s: 2 }],
        ...rest,
      }),
    );
  });

  test('for a chatbot', () => {
    const own = { agent_id: 'a', agent_name: 'b', model_name: null, database_name: text };
    expect(chatbotJson({ ...common, ...own, settings: JSON.stringify(open) })).toBe(
      JSON.stringify({ ...identity, ...own, settings: open, params: open, ...times }),
    );
  });
});

describe('a list is read in parts', () => {
  const entries = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, index) => ({ id: String(index), bytes }));

  test('of at most 128 small resources', () => {
    expect([...partsOf(entries(300, 10))].map(({ length }) => length)).toEqual([128, 128, 44]);
  });

  test('of at most 256 KiB, or one resource that is larger', () => {
    expect([...partsOf(entries(5, 100_000))].map(({ length }) => length)).toEqual([2, 2, 1]);
    expect([...partsOf(entries(2, 1_000_000))].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('without any, if it is empty', () => {
    expect([...partsOf([])]).toEqual([]);
  });
});

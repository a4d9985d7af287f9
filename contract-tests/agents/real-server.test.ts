import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readField, readText } from '../../testkit/json.js';
import { AgentService, type Completion } from './agent-service.js';

/**
 * Asks the chat server at CHAT_URL, as a service would that is configured by the same variables. Wording
 * is free; the shape of answers and the use of tools are not.
 */
const { CHAT_URL, CHAT_MODEL, CHAT_KEY, CHAT_MODELS } = process.env;

/** Makes the language model say the same again, as far as its server can. */
const settings = { temperature: 0 };

describe('a real chat server', () => {
  let service: AgentService | undefined;
  beforeAll(async () => {
    if (!CHAT_URL) return;
    service = await AgentService.open({ CHAT_URL, CHAT_MODEL, CHAT_KEY, CHAT_MODELS });
  });
  beforeEach(({ skip }) => skip(!CHAT_URL, 'CHAT_URL names no chat server'));
  afterAll(() => service?.close());

  test('answers a plain question, without steps', async () => {
    const agent = await running(service).agent({ settings });
    const answer = await running(service).answer(agent, 'What is two plus three?');
    expect(answer.message).toMatchObject({ role: 'assistant', trace_id: expect.any(String) });
    expect(answer.message.content).toMatch(/\b(5|five)\b/i);
    expect(answer).toMatchObject({ steps: [], usage: { requests: 1 } });
  });

  test('asks the model for a price, and answers with it', async () => {
    const skills = [{ type: 'model', params: { model: 'prices' } }];
    const agent = await running(service).agent({ settings, skills });
    const question = 'What does a diamond of 0.7 carat with the cut Ideal and the color G cost?';
    const answer = await running(service).answer(agent, question);
    const interval = readField(JSON.parse(resultOf(answer)), 'interval');
    const [min, max] = [Number(readField(interval, 'min')), Number(readField(interval, 'max'))];
    const isOfTool = (number: number) => number >= min && number <= max;
    expect(numbersIn(answer.message.content)).toSatisfy((numbers) => numbers.some(isOfTool));
  });

  test('counts in a table with SQL', async () => {
    const skills = [{ type: 'sql', params: { database: 'sales', tables: ['orders'] } }];
    const agent = await running(service).agent({ settings, skills });
    const answer = await running(service).answer(agent, 'How many orders have the cut Ideal?');
    expect(JSON.parse(resultOf(answer))).toMatchObject({ truncated: false });
    expect(answer.steps.map(({ input }) => readText(input, 'sql')).join()).toMatch(/\bselect\b/i);
    expect(answer.message.content).toMatch(/\b(2|two)\b/i);
  });

  test('streams what it says, and ends with the end', async () => {
    const agent = await running(service).agent({ settings });
    const events = await running(service).events(agent, 'Name three colors of diamonds.');
    const types = events.map((event) => readField(event, 'type') ?? Object.keys(event)[0]);
    expect(types).toEqual(['start', ...types.filter((type) => type === 'delta'), 'output', 'end']);
    const said = events.map((event) => (readField(event, 'type') === 'delta' ? readText(event, 'content') : ''));
    expect(said.join('')).not.toBe('');
    expect(events.at(-2)).toMatchObject({ output: said.join('') });
    expect(new Set(events.map(({ trace_id }) => trace_id)).size).toBe(1);
  });
});

function running(service: AgentService | undefined): AgentService {
  if (service) return service;
  throw new Error('The service does not run');
}

/** Returns the result of the last use of a tool that did not fail. */
function resultOf({ steps }: Completion): string {
  const result = steps.findLast(({ error }) => error === null)?.result;
  if (result) return result;
  throw new Error(`No tool was used with success: ${JSON.stringify(steps)}`);
}

/** Returns the numbers of a text, which may have commas: `2,694.5`. */
function numbersIn(text: string): number[] {
  const found = text.match(/\d[\d,]*(\.\d+)?/g) ?? [];
  return found.map((number) => Number(number.replaceAll(',', '')));
}

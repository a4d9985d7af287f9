import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls, chunk, DONE, endless, says, stream, usageChunk } from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';
import { slowTable } from '../../testkit/data/diamonds.js';
import { type AgentEvent, AgentService } from './agent-service.js';

let service: AgentService;
beforeAll(async () => {
  service = await AgentService.open({ CHAT_MODELS: 'large, small' });
  await service.trainPrices();
});
afterAll(() => service.close());

const MODEL = { type: 'model', params: { model: 'prices' } };
const SQL = { type: 'sql', params: { database: 'sales', tables: ['orders'] } };

/** Uses the first tool with an input, then says a text. */
function uses(input: unknown, text = 'Done.'): ChatScript {
  return ({ body }, number) => (number === 0 ? calls({ name: nameOfTool(body.tools), arguments: input }) : says(text));
}

function nameOfTool(tools: readonly { function: { name: string } }[] = []): string {
  return tools[0]?.function.name ?? 'none';
}

describe('an agent', () => {
  test('answers with a prediction, its interval and the names that did not fit', async () => {
    const agent = await service.agent({ skills: [MODEL] });
    service.chat.play(uses({ carat: 0.7, cut: 'Ideal', colour: 'G' }, 'About 2,700 dollars.'));
    const { message, steps, usage } = await service.answer(agent, 'What does 0.7 carat cost?');
    expect(message).toMatchObject({ role: 'assistant', content: 'About 2,700 dollars.' });
    expect(steps).toMatchObject([{ input: { carat: 0.7, colour: 'G' }, error: null }]);
    const result = JSON.parse(steps[0]?.result ?? '');
    expect(result).toMatchObject({ target: 'price', not_given: ['color'] });
    expect(result.interval.min).toBeLessThanOrEqual(result.value);
    expect(result.interval.max).toBeGreaterThanOrEqual(result.value);
    expect(result.did_not_fit).toEqual([{ kind: 'unknown-name', name: 'colour', nearest: 'color' }]);
    expect(usage).toMatchObject({ requests: 2, total_tokens: 15 });
  });

  test('answers with the version of its skill, though another model has the name of that version', async () => {
    const rows = Array.from({ length: 60 }, (_, carat) => ({ carat, weight: carat * 2 }));
    await service.train('prices.1?target=weight&effort=fast', rows);
    const agent = await service.agent({ skills: [{ type: 'model', params: { model: 'prices', version: 1 } }] });
    service.chat.play(uses({ carat: 0.7, cut: 'Ideal' }));
    const { steps } = await service.answer(agent, 'What does 0.7 carat cost?');
    expect(JSON.parse(steps[0]?.result ?? '')).toMatchObject({ target: 'price' });
  });

  test('says why a customer is predicted to leave, by the columns that contribute most', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => {
      const months = (index * 37) % 60;
      const plan = ['monthly', 'yearly'][(index * 7) % 2];
      const leaves = months < 20 && plan === 'monthly' && index % 11 !== 0;
      return { months, plan, city: `City ${(index * 13) % 5}`, age: 20 + (index % 40), churn: leaves ? 'yes' : 'no' };
    });
    await service.train('churn?target=churn&effort=fast', rows);
    const agent = await service.agent({ skills: [{ type: 'model', params: { model: 'churn' } }] });
    service.chat.play(({ body }, number) => {
      const customer = { months: 3, plan: 'monthly', city: 'City 1', age: 33, explain: true };
      if (number === 0) return calls({ name: nameOfTool(body.tools), arguments: customer });
      const said = String(body.messages.at(-1)?.content);
      const { class: answer, contributions } = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1));
      const because = contributions.map(({ column }: { column: string }) => column).slice(0, 2);
      return says(`It is ${answer}, because of ${because.join(' and ')}.`);
    });
    const { message, steps } = await service.answer(agent, 'Why is this customer predicted to leave?');
    expect(message.content).toMatch(/^It is yes, because of (months and plan|plan and months)\.$/);
    const result = JSON.parse(steps[0]?.result ?? '');
    expect(result.contributions).toHaveLength(3);
    expect(result.before_any_column.probability).toBeLessThan(result.probability);
  });

  test('forecasts a series, each step in words with its interval', async () => {
    const rows = ['A', 'B'].flatMap((store, place) =>
      Array.from({ length: 48 }, (_, index) => ({
        month: `${2020 + Math.floor(index / 12)}-${String(1 + (index % 12)).padStart(2, '0')}`,
        store,
        sales: 100 * (place + 1) + ((index * 7) % 12),
      })),
    );
    await service.train('store_sales?target=sales&order_by=month&group_by=store&horizon=3', rows);
    const skills = [{ type: 'model', params: { model: 'store_sales' } }];
    const agent = await service.agent({ skills });
    service.chat.play(uses({ series: { store: 'B' }, steps: 2 }));
    const { steps } = await service.answer(agent, 'How will B do?');
    expect(JSON.parse(steps[0]?.result ?? '')).toMatchObject({
      target: 'sales',
      series: { store: 'B' },
      forecasts: [
        {
          month: '2024-01',
          step: 1,
          interval: { confidence: 0.9 },
          words: expect.stringMatching(/^2024-01: [\d.]+, and with a confidence of 0.9 from/),
        },
        { month: '2024-02', step: 2 },
      ],
    });
    const { parameters } = service.chat.sent()[0]?.tools?.[0]?.function ?? {};
    expect(Object(parameters).properties.series.properties.store.enum).toEqual(['A', 'B']);
    service.chat.play(uses({ series: { store: 'Z' }, steps: 2 }));
    const failed = await service.answer(agent, 'How will Z do?');
    expect(failed.steps[0]?.error).toContain('"store" "Z"');
    service.chat.play(uses({ steps: 2 }));
    const unnamed = await service.answer(agent, 'How will they do?');
    expect(unnamed.steps[0]?.error).toContain('Name the series by "store"');
  });

  test('offers the columns of a model, with its categories as choices', async () => {
    const agent = await service.agent({ skills: [MODEL] });
    service.chat.play([says('Hello.')]);
    await service.answer(agent, 'Hello?');
    const { properties } = Object(service.chat.sent().at(-1)?.tools?.[0]?.function.parameters);
    expect(properties.carat).toMatchObject({ type: 'number' });
    expect(properties.cut.enum).toContain('Ideal');
  });

  test('answers from a table, and shows the statement', async () => {
    const agent = await service.agent({ skills: [SQL] });
    service.chat.play(uses({ sql: 'select cut, sum(price) as sum from orders group by cut order by cut' }));
    const { steps } = await service.answer(agent, 'How much did we sell?');
    expect(JSON.parse(steps[0]?.result ?? '')).toEqual({
      columns: ['cut', 'sum'],
      rows: [
        ['Fair', 300],
        ['Ideal', 4000],
      ],
      truncated: false,
    });
    expect(service.chat.sent()[0]?.tools?.[0]?.function.description).toContain('orders(id INTEGER, cut TEXT');
    expect(service.chat.sent()[0]?.tools?.[0]?.function.description).toContain('with one SELECT of SQLite.');
  });

  test('takes both forms of messages, and sends the history in order', async () => {
    const agent = await service.agent();
    service.chat.play([says('Yes.')]);
    await service.answer(agent, {
      messages: [{ question: 'One?', answer: '1' }, { question: 'Two?' }, { question: 'Three?' }],
    });
    const questions = service.chat.sent().at(-1)?.messages.slice(1);
    await service.answer(agent, {
      messages: [
        { role: 'user', content: 'One?' },
        { role: 'assistant', content: '1' },
        { role: 'user', content: 'Two?' },
        { role: 'user', content: 'Three?' },
      ],
    });
    expect(service.chat.sent().at(-1)?.messages.slice(1)).toEqual(questions);
    expect(questions?.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'One?'],
      ['assistant', '1'],
      ['user', 'Two?\n\nThree?'],
    ]);
  });

  test('chooses among the chat models, and refuses another', async () => {
    service.chat.play([says('Yes.')]);
    await service.answer(await service.agent({ model_name: 'small' }), 'Yes?');
    expect(service.chat.sent().at(-1)?.model).toBe('small');
    await service.answer(await service.agent({ settings: { temperature: 0.3 } }), 'Yes?');
    expect(service.chat.sent().at(-1)).toMatchObject({ model: 'scripted', temperature: 0.3 });
    const refused = await service.ask(await service.agent({ model_name: 'gpt-4o' }), 'Yes?');
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      type: '/problems/unknown-chat-model',
      detail: expect.stringContaining('scripted or large or small'),
    });
  });

  test('reports skills that are gone or cannot be used, and answers with the others', async () => {
    const agent = await service.agent({ skills: [MODEL, SQL] });
    await service.remove(`/projects/default/skills/model_${agent.split('_')[1]}_0`);
    service.chat.play([says('Hello.')]);
    const { steps } = await service.answer(agent, 'Hello?');
    expect(steps).toEqual([]);
    expect(service.chat.sent().at(-1)?.tools).toHaveLength(1);
  });

  test('says that a model is still training, and answers without it', async () => {
    const at = '/api/projects/default/models/slow';
    const init = { body: slowTable(), headers: { 'Content-Type': 'text/csv' } };
    const accepted = await service.send('PUT', `${at}?target=price`, undefined, init);
    expect(accepted.status).toBe(202);
    const agent = await service.agent({ skills: [{ type: 'model', params: { model: 'slow' } }] });
    service.chat.play([says('Not yet.')]);
    const { message, steps } = await service.answer(agent, 'What does it cost?');
    expect(message.content).toBe('Not yet.');
    expect(steps).toMatchObject([{ result: null, error: expect.stringContaining('still training') }]);
    expect(service.chat.sent()[0]?.messages[0]?.content).toContain('is still training');
    await service.remove(at);
  });

  test('has at most 64 tools, and says how it left out the others', async () => {
    const skills = Array.from({ length: 66 }, () => SQL);
    const agent = await service.agent({ skills });
    service.chat.play([says('Hello.')]);
    const { steps } = await service.answer(agent, 'Hello?');
    expect(service.chat.sent().at(-1)?.tools).toHaveLength(64);
    expect(steps).toMatchObject([{ error: expect.stringContaining('at most 64 tools') }]);
  });

  test('predicts nothing for a key without the scope', async () => {
    const agent = await service.agent({ skills: [MODEL] });
    const key = await service.createKey({ scopes: ['ask', 'read'] });
    const headers = { Authorization: `Bearer ${key}` };
    service.chat.play(uses({ carat: 1 }, 'I cannot.'));
    const { steps } = await service.answer(agent, 'What does it cost?', { headers });
    expect(service.chat.sent()[0]?.tools).toBeUndefined();
    expect(steps[0]).toMatchObject({ result: null, error: expect.stringContaining("'predict'") });
    expect(steps.every(({ result }) => result === null)).toBe(true);
  });

  test('needs the scope to ask', async () => {
    const key = await service.createKey({ scopes: ['read', 'write', 'predict'] });
    const response = await service.ask('any', 'Hello?', { headers: { Authorization: `Bearer ${key}` } });
    expect(response.status).toBe(403);
  });
});

describe('the use of tools', () => {
  test('fails with a reason when the agent does not have the tool', async () => {
    const agent = await service.agent({ skills: [SQL] });
    service.chat.play([calls({ name: 'drop_everything', arguments: {} }), says('I cannot.')]);
    const { message, steps } = await service.answer(agent, 'Drop it.');
    expect(message.content).toBe('I cannot.');
    expect(steps).toMatchObject([{ skill: null, error: expect.stringContaining('no tool named') }]);
    expect(JSON.stringify(service.chat.sent()[1]?.messages.at(-1))).toContain('The tool failed');
  });

  test('goes on after arguments that are not JSON, and without tools after a second time', async () => {
    const agent = await service.agent({ skills: [SQL] });
    const broken = stream(
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'sql', arguments: '{"sql": sel' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    );
    service.chat.play([broken, broken, says('I give up.')]);
    const { message, steps } = await service.answer(agent, 'Count.');
    expect(message.content).toBe('I give up.');
    expect(steps).toHaveLength(2);
    expect(service.chat.sent().at(-1)?.tools).toBeUndefined();
  });

  test('ends, however often the language model asks for tools', async () => {
    const agent = await service.agent({ skills: [SQL] });
    const script: ChatScript = ({ body }) =>
      body.tools
        ? calls({ name: nameOfTool(body.tools), arguments: { sql: 'select 1 from orders' } })
        : says('Enough.');
    service.chat.play(script);
    const { message, steps, usage } = await service.answer(agent, 'Count.');
    expect(message.content).toBe('Enough.');
    expect(steps).toHaveLength(10);
    expect(usage.requests).toBe(11);
  });

  test('ends with a problem if the language model never answers in words', async () => {
    const agent = await service.agent({ skills: [SQL] });
    service.chat.play([calls({ name: 'sql', arguments: {} })]);
    const response = await service.ask(agent, 'Count.');
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('never answered in words');
  });

  test('is no more than one answer may have', async () => {
    const agent = await service.agent({ skills: [SQL] });
    const call = { name: 'sql', arguments: { sql: 'select 1 from orders' } };
    const many = Array.from({ length: 40 }, (_, index) => ({ ...call, id: `call_${index}` }));
    service.chat.play([calls(...many), says('Done.')]);
    const { steps } = await service.answer(agent, 'Count.');
    expect(steps).toHaveLength(32);
  });

  test('gives the language model the beginning of a long result', async () => {
    const agent = await service.agent({ skills: [SQL] });
    const sql =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select group_concat(i, 'xxxxxxxxxx') as long from n";
    service.chat.play(({ body }, number) =>
      number === 0 ? calls({ name: nameOfTool(body.tools), arguments: { sql } }) : says('Long.'),
    );
    const { steps } = await service.answer(agent, 'Long?');
    expect(steps[0]?.result?.length).toBeLessThanOrEqual(4000);
    const resultText = String(service.chat.sent()[1]?.messages.at(-1)?.content);
    expect(resultText.length).toBeLessThan(17_000);
    expect(resultText).toContain('The rest is left out');
  });
});

test('answers hold the passages that were found, if the agent says so', async () => {
  const search = { type: 'retrieval', params: { source: 'care of rings' } };
  const agent = await service.agent({ skills: [search], settings: { return_context: true } });
  const skill = `retrieval_${agent.split('_')[1]}_0`;
  await service.sendText(
    `/projects/default/skills/${skill}/documents/care.md`,
    '# Cleaning\n\nClean a ring in warm water.',
  );
  service.chat.play(uses({ query: 'clean ring' }, 'In warm water (care.md, passage 1).'));
  const { message } = await service.answer(agent, 'How do I clean it?');
  expect(message.context).toMatchObject([
    { skill, document: 'care.md', passage: 1, content: expect.stringContaining('warm water') },
  ]);
  service.chat.play(uses({ query: 'clean ring' }, 'In warm water.'));
  const events = await service.events(agent, 'How do I clean it?');
  expect(events.map(kindOf)).toContain('context');
});

describe('the stream', () => {
  test('has events for the start, each use, the text, the whole answer and the end', async () => {
    const agent = await service.agent({ skills: [SQL] });
    service.chat.play(uses({ sql: 'select count(*) as n from orders' }, 'Three.'));
    const events = await service.events(agent, 'How many?');
    expect(events.map(kindOf)).toEqual(['start', 'actions', 'steps', 'delta', 'output', 'end']);
    expect(events[0]).toMatchObject({ prompt: 'How many?' });
    expect(events.at(-2)).toMatchObject({ output: 'Three.', messages: [{ content: 'Three.' }] });
    expect(new Set(events.map(({ trace_id }) => trace_id)).size).toBe(1);
  });

  test('ends with an error and the end when the answer fails', async () => {
    const agent = await service.agent();
    service.chat.play([{ status: 429, headers: { 'Retry-After': '7' } }]);
    const events = await service.events(agent, 'Hello?');
    expect(events.map(kindOf)).toEqual(['start', 'error', 'end']);
    expect(events[1]).toMatchObject({ error_type: 'rate_limit' });
  });

  test('has no more than 64 KiB of text', async () => {
    const agent = await service.agent();
    service.chat.play([endless(chunk({ content: 'x'.repeat(1000) }))]);
    const events = await service.events(agent, 'Hello?');
    expect(events.map(kindOf).slice(-2)).toEqual(['error', 'end']);
    expect(events.filter((event) => kindOf(event) === 'delta').length).toBeLessThan(80);
  });
});

function kindOf(event: AgentEvent): string {
  if ('type' in event) return event.type;
  return Object.keys(event)[0] ?? '';
}

test('counts the tokens of all requests', async () => {
  const agent = await service.agent({ skills: [SQL] });
  const tokens = usageChunk({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 });
  const first = calls({ name: 'sql', arguments: {} });
  service.chat.play([{ body: [...(first.body as Iterable<string>)].toSpliced(-1, 0, tokens) }, says('Done.')]);
  const { usage } = await service.answer(agent, 'Count.');
  expect(usage).toEqual({ requests: 2, prompt_tokens: 17, completion_tokens: 5, total_tokens: 22 });
});

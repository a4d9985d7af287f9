import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { says } from '../../testkit/chat/reply.js';
import type { AgentService } from '../agents/agent-service.js';
import { type McpHost, openWithHosts } from './mcp-host.js';

let service: AgentService;
let host: McpHost;
let older: McpHost;
beforeAll(async () => {
  ({ service, host, older } = await openWithHosts());
  await service.create('skill', { name: 'care', type: 'retrieval', params: { source: 'the care of diamonds' } });
  await service.sendText('/projects/default/skills/care/documents/care.md', '# Care\n\nClean a sapphire with water.');
  await service.create('skill', { name: 'sales', type: 'sql', params: { database: 'sales', tables: ['orders'] } });
  await service.create('agent', { name: 'analyst', skills: [] });
});
afterAll(() => service.close());

const ALL = ['predict_prices', 'ask_analyst', 'search_care', 'query_sales'];

async function namesFor(key?: string): Promise<string[]> {
  return (await host.tools({ ...(key && { key }) })).map(({ name }) => name);
}

describe('the list of tools', () => {
  test('has models, agents, documents and tables, in the same order for all hosts', async () => {
    expect(await namesFor()).toEqual(ALL);
    expect((await older.tools()).map(({ name }) => name)).toEqual(ALL);
    expect(await namesFor()).toEqual(ALL);
  });

  test('describes a model by its columns, and by how its intervals did', async () => {
    const [model] = await host.tools();
    expect(model?.description).toMatch(
      /^Predicts "price" for one row, with the model "prices"\. Leave out what is not known\. Of [\d,]+ rows that it had not seen, [\d,]+ were inside the interval at \d+ %\.$/,
    );
    expect(model?.inputSchema.properties).toMatchObject({
      carat: { type: 'number', description: expect.stringMatching(/^[\d.]+ to [\d.]+$/) },
      cut: { type: 'string', enum: expect.arrayContaining(['Ideal']) },
    });
    expect(model?.inputSchema.properties).toHaveProperty('explain.type', 'boolean');
    expect(model?.inputSchema.properties).not.toHaveProperty('price');
    expect(model?.outputSchema).toMatchObject({ required: expect.arrayContaining(['interval']) });
  });

  test('costs at most 4,000 tokens, of four characters each', async () => {
    const { body } = await host.ask('tools/list');
    expect(JSON.stringify(body.result).length / 4).toBeLessThan(4000);
  });

  test.each([
    [['read'], ['search_care']],
    [['predict'], ['predict_prices']],
    [['ask'], ['ask_analyst', 'query_sales']],
    [['write'], []],
  ] as const)('has for the scopes %j no more than %j', async (scopes, names) => {
    expect(await namesFor(await service.createKey({ scopes: [...scopes] }))).toEqual(names);
  });

  test('is what the address chooses', async () => {
    const chosen = { path: '/mcp/default?tools=search_care,predict_prices,predict_nothing' };
    const tools = await host.tools(chosen);
    expect(tools.map(({ name }) => name)).toEqual(['search_care', 'predict_prices']);
    expect((await host.call('query_sales', {}, chosen)).body.error?.code).toBe(-32602);
  });
});

describe('a call', () => {
  test.each([() => host, () => older])('predicts a row with its interval', async (speaker) => {
    const { body } = await speaker().call('predict_prices', { carat: 0.7, cut: 'Ideal' });
    const { structuredContent, content, isError } = body.result ?? {};
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({
      target: 'price',
      value: expect.any(Number),
      interval: { min: expect.any(Number), max: expect.any(Number), confidence: expect.any(Number) },
      not_given: expect.arrayContaining(['color']),
      did_not_fit: [],
    });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  });

  test('predicts what the same row gets elsewhere', async () => {
    const row = { carat: 1.1, cut: 'Good', color: 'G' };
    const path = '/api/projects/default/models/prices/predict?confidence=0.9';
    const [expected] = JSON.parse(await (await service.send('POST', path, [row])).text());
    const { body } = await host.call('predict_prices', row);
    expect(body.result?.structuredContent).toMatchObject({
      value: expected.price,
      interval: { min: expected.price_min, max: expected.price_max },
    });
  });

  test('predicts the same at the address of the project', async () => {
    const row = { carat: 0.7 };
    const named = await older.call('predict_prices', row, { path: '/mcp/default' });
    const unnamed = await older.call('predict_prices', row);
    expect(named.body.result).toEqual(unnamed.body.result);
  });

  test('reports a column that the model does not know', async () => {
    const { body } = await host.call('predict_prices', { carats: 0.7 });
    expect(body.result?.structuredContent).toMatchObject({
      did_not_fit: expect.arrayContaining([expect.objectContaining({ name: 'carats', nearest: 'carat' })]),
    });
  });

  test.each(['heavy', true, [0.7], { unit: 0.7 }])(
    'reports the value %j, which the model cannot read',
    async (carat) => {
      const { body } = await host.call('predict_prices', { carat, cut: 'Ideal' });
      expect(body.result?.structuredContent).toMatchObject({
        not_given: ['color'],
        did_not_fit: [{ kind: 'unreadable', name: 'carat', nearest: null }],
      });
    },
  );

  test('takes null as not given, and a number as its text', async () => {
    const { body } = await host.call('predict_prices', { carat: '0.7', cut: null, color: 'G' });
    expect(body.result?.structuredContent).toMatchObject({ not_given: ['cut'], did_not_fit: [] });
  });

  test('says why only where it is asked, and predicts the same', async () => {
    const row = { carat: 0.7, cut: 'Ideal' };
    const answers = await Promise.all(
      [row, { ...row, explain: false }, { ...row, explain: null }, { ...row, explain: true }].map(
        async (input) => (await host.call('predict_prices', input)).body.result?.structuredContent,
      ),
    );
    const [plain, no, none, explained] = answers;
    expect(plain).not.toHaveProperty('contributions');
    expect([no, none]).toEqual([plain, plain]);
    expect(explained).toEqual({
      ...(plain as object),
      before_any_column: { value: expect.any(Number) },
      contributions: expect.arrayContaining([{ column: 'carat', adds: expect.any(Number) }]),
    });
    const { body } = await host.call('predict_prices', { ...row, explain: 'why' });
    expect(body.result).toMatchObject({ isError: true, content: [{ text: 'explain must be true or false.' }] });
  });

  test('finds passages', async () => {
    const { body } = await host.call('search_care', { query: 'sapphire' });
    expect(body.result?.structuredContent).toMatchObject({
      passages: [{ document: 'care.md', content: expect.stringContaining('water') }],
    });
  });

  test('reads tables, and no others', async () => {
    const query = (sql: string) => host.call('query_sales', { sql });
    const { body } = await query('SELECT count(*) AS n FROM orders');
    expect(body.result?.structuredContent).toMatchObject({ columns: ['n'], truncated: false });
    for (const sql of ['SELECT * FROM customers', 'DELETE FROM orders', 'SELECT 1; SELECT 2']) {
      const refused = await query(sql);
      expect(refused.body.result?.isError).toBe(true);
      const next = await query('SELECT count(*) AS n FROM orders');
      expect(next.body.result?.structuredContent).toEqual(body.result?.structuredContent);
    }
  });

  test('asks an agent', async () => {
    service.chat.play([says('About 2,742 dollars.')]);
    const { body } = await host.call('ask_analyst', { question: 'What does it cost?' });
    expect(body.result?.structuredContent).toEqual({ answer: 'About 2,742 dollars.' });
  });

  test.each([
    ['search_care', { query: 7 }, 'query'],
    ['query_sales', {}, 'sql'],
    ['ask_analyst', { question: ' ' }, 'question'],
    ['ask_nobody', { question: 'Who?' }, 'There is no agent with the name or identifier "nobody"'],
    ['predict_nothing', {}, 'There is no model with the name "nothing"'],
    ['search_sales', { query: 'x' }, 'is not of the type'],
  ])('of %s with %j is a result that says what is wrong', async (name, input, says) => {
    for (const speaker of [host, older]) {
      const { status, body } = await speaker.call(name, input);
      expect(status).toBe(200);
      expect(body.result?.isError).toBe(true);
      expect(body.result?.content?.[0]?.text).toContain(says);
    }
  });

  test.each(['nothing', 'predict', 'train_prices', '__proto__'])(
    'of the unknown tool %s is an error of the protocol',
    async (name) => {
      const { status, body } = await host.call(name);
      expect([status, body.error?.code]).toEqual([200, -32602]);
    },
  );

  test.each([
    ['U+0000', 'predict_a\0b'],
    ['60,000 characters', `ask_${'x'.repeat(60_000)}_12345678`],
  ])('of a name with %s, which no tool has, is one, too', async (_, name) => {
    const { status, body } = await older.call(name);
    expect([status, body.error?.code]).toEqual([200, -32602]);
  });

  test.each(['{"carat": 0.7}', [{ carat: 0.7 }], 0.7])(
    'with the arguments %j, which are no object, says so',
    async (sent) => {
      const { body } = await older.ask('tools/call', { name: 'predict_prices', arguments: sent });
      expect(body.result?.isError).toBe(true);
      expect(body.result?.content?.[0]?.text).toContain('The arguments must be an object');
    },
  );

  test('needs the scope of the tool', async () => {
    const key = await service.createKey({ scopes: ['read', 'write', 'ask'] });
    expect((await host.call('predict_prices', {}, { key })).status).toBe(403);
    expect((await host.call('call_tool', { name: 'predict_prices' }, { key })).status).toBe(403);
  });

  test('of another owner finds nothing of this one', async () => {
    const key = await service.createKey({ owner: 'acme' });
    expect(await namesFor(key)).toEqual([]);
    const { body } = await host.call('predict_prices', { carat: 1 }, { key });
    expect(body.result?.isError).toBe(true);
    expect((await host.ask('tools/list', {}, { key, path: '/mcp/default' })).body.result?.tools).toEqual([]);
  });
});

describe('the tools of another project', () => {
  const options = { path: '/mcp/series' };

  beforeAll(async () => {
    await service.send('POST', '/projects', { project: { name: 'series' } });
  });

  test('forecast the next steps of a series in words', async () => {
    const rows = ['A', 'B', null].flatMap((store, place) =>
      Array.from({ length: 48 }, (_, index) => ({
        month: `${2020 + Math.floor(index / 12)}-${String(1 + (index % 12)).padStart(2, '0')}`,
        store,
        sales: 100 * (place + 1) + ((index * 7) % 12),
      })),
    );
    await service.train('store_sales?target=sales&order_by=month&group_by=store&horizon=3', rows, 'series');
    const [tool] = await host.tools(options);
    expect(tool?.description).toContain('up to 3 steps of 1 month after 2023-12');
    const input = { series: { store: 'B' }, steps: 2 };
    const { body } = await host.call('predict_store_sales', input, options);
    expect(body.result?.structuredContent).toMatchObject({
      series: { store: 'B' },
      forecasts: [{ step: 1, words: expect.stringMatching(/^2024-01: /) }, { step: 2 }],
      seasons: expect.stringMatching(
        /^On the last values of the series, forecasts were off by .* the best naive forecast/,
      ),
    });
    const unnamed = await host.call('predict_store_sales', { ...input, series: { store: null } }, options);
    expect(unnamed.body.result?.structuredContent).toMatchObject({ series: { store: null } });
    for (const faulty of [{}, { steps: 2 }, { ...input, steps: 0 }, { ...input, steps: 99 }]) {
      const refused = await host.call('predict_store_sales', faulty, options);
      expect(refused.body.result?.isError).toBe(true);
    }
  });

  test('predict a class with the set of those that may be', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      size: index % 50,
      explain: index % 3,
      kind: index % 50 < 25 ? 'small' : 'large',
    }));
    const address = await service.train('kinds?target=kind&effort=fast', rows, 'series');
    const { body } = await host.call('predict_kinds', { size: 3, explain: 2 }, options);
    expect(body.result?.structuredContent).toMatchObject({ not_given: [], did_not_fit: [] });
    // A column has the name of the argument that asks for reasons.
    const explained = await host.call('predict_kinds', { size: 3, explain: 2, explain_: true }, options);
    expect(explained.body.result?.structuredContent).toHaveProperty('contributions');
    expect(body.result?.structuredContent).toMatchObject({
      class: 'small',
      probability: expect.any(Number),
      may_be: { classes: expect.arrayContaining(['small']), confidence: 0.9 },
    });
    const tools = await host.tools(options);
    expect(tools.find(({ name }) => name === 'predict_kinds')?.description).toMatch(
      /Of [\d,]+ rows that it had not seen, [\d,]+ were inside the set at/,
    );
    await service.remove(address);
    const gone = await host.call('predict_kinds', { size: 3 }, options);
    expect(gone.body.result?.content?.[0]?.text).toContain('There is no model');
    expect(gone.body.result?.isError).toBe(true);
  });
});

describe('of more than twelve tools', () => {
  beforeAll(async () => {
    for (let number = 0; number < 10; number += 1) {
      await service.create('agent', { name: `helper.${number}`, skills: [] });
    }
  });

  test('three are listed, which find, describe and call the others', async () => {
    expect(await namesFor()).toEqual(['find_tools', 'describe_tool', 'call_tool']);
    const found = await host.call('find_tools', { query: 'PRICE nothing' });
    expect(found.body.result?.structuredContent).toEqual({
      tools: [{ name: 'predict_prices', target: 'price' }],
      more: false,
    });
    const described = await host.call('describe_tool', { name: 'predict_prices' });
    expect(described.body.result?.structuredContent).toMatchObject({
      name: 'predict_prices',
      inputSchema: { type: 'object' },
    });
    const called = await host.call('call_tool', { name: 'predict_prices', arguments: { carat: 0.7 } });
    expect(called.body.result?.structuredContent).toMatchObject({ target: 'price' });
    const unknown = await host.call('call_tool', { name: 'nothing', arguments: {} });
    expect(unknown.body.error?.code).toBe(-32602);
  });

  test.each([
    ['find_tools', { query: 'x'.repeat(60_000) }, 'at most 1000 characters'],
    ['find_tools', { query: ['price'] }, 'must be a text'],
    ['describe_tool', {}, 'must be the name of a tool'],
    ['call_tool', { name: 'predict_prices', arguments: '{}' }, 'must be an object'],
  ])('%s says what is wrong with its arguments: %#', async (name, input, says) => {
    const { body } = await host.call(name, input);
    expect(body.result?.isError).toBe(true);
    expect(body.result?.content?.[0]?.text).toContain(says);
  });

  test('each may be called by its own name, which has no dots', async () => {
    const { body } = await host.call('find_tools', { query: 'helper.3' });
    const { tools = [] } = (body.result?.structuredContent ?? {}) as { tools?: { name: string }[] };
    const [tool] = tools;
    expect(tool?.name).toMatch(/^ask_helper_3_[0-9a-f]{8}$/);
    service.chat.play([says('Yes.')]);
    const called = await host.call(tool?.name ?? '', { question: 'Are you there?' });
    expect(called.body.result?.structuredContent).toEqual({ answer: 'Yes.' });
    const other = await host.call('ask_helper_3_00000000', { question: 'Are you there?' });
    expect(other.body.result?.isError).toBe(true);
  });
});

describe('resources', () => {
  test('are the quality of each model, and documents', async () => {
    const { body } = await host.ask('resources/list');
    expect(body.result).toMatchObject({ ttlMs: expect.any(Number), cacheScope: 'private' });
    expect(body.result?.['resources']).toEqual([
      expect.objectContaining({ uri: 'roster://default/models/prices', mimeType: 'application/json' }),
      expect.objectContaining({ uri: 'roster://default/models/prices/report' }),
      expect.objectContaining({ uri: 'roster://default/skills/care/documents/care.md', size: 36 }),
    ]);
    const templates = await older.ask('resources/templates/list');
    expect(templates.body.result?.['resourceTemplates']).toHaveLength(3);
  });

  const read = async (uri: string, options = {}) => {
    const { body } = await host.ask('resources/read', { uri }, options);
    const contents = (body.result?.['contents'] ?? []) as { text: string }[];
    return contents[0]?.text ?? body.error?.code;
  };

  test('are read as JSON, as Markdown, and as they were sent', async () => {
    const json = JSON.parse(String(await read('roster://default/models/prices')));
    expect(json).toMatchObject({ name: 'prices', target: 'price', metrics: expect.any(Object) });
    expect(json.record).toMatch(/inside the interval at/);
    const report = String(await read('roster://default/models/prices/report'));
    expect(report).toMatch(/^# prices, version 1\n\nA regression of `price`/);
    expect(report).toContain('| carat | number |');
    expect(await read('roster://default/skills/care/documents/care.md')).toBe('# Care\n\nClean a sapphire with water.');
  });

  test('that are long arrive whole', async () => {
    const text = `${'Cut 💎 and "clear" \\ stones.\n\n'.repeat(12_000)}The end.`;
    await service.sendText('/projects/default/skills/care/documents/long.md', text);
    expect(await read('roster://default/skills/care/documents/long.md')).toBe(text);
    await service.remove('/projects/default/skills/care/documents/long.md');
  });

  test.each([
    'roster://default/models/nothing',
    'roster://default/models/prices/x',
    'roster://default/skills/care/documents/none.md',
    'roster://other/models/prices',
    'file:///etc/passwd',
    '',
  ])('that do not exist have an error: %s', async (uri) => {
    expect(await read(uri)).toBe(-32602);
    expect((await older.ask('resources/read', { uri })).body.error?.code).toBe(-32002);
  });

  test('need the scope read', async () => {
    const key = await service.createKey({ scopes: ['predict'] });
    expect((await host.ask('resources/read', { uri: 'roster://default/models/prices' }, { key })).status).toBe(403);
    expect((await host.ask('resources/list', {}, { key })).body.result?.['resources']).toEqual([]);
  });

  test('come in pages', async () => {
    await service.create('skill', { name: 'many', type: 'knowledge_base' });
    for (let number = 0; number < 110; number += 1) {
      await service.sendText(`/projects/default/skills/many/documents/${number}`, 'x');
    }
    const uris: string[] = [];
    for (let cursor: unknown; ; ) {
      const { body } = await host.ask('resources/list', { ...(cursor !== undefined && { cursor }) });
      const page = (body.result?.['resources'] ?? []) as { uri: string }[];
      uris.push(...page.map(({ uri }) => uri));
      cursor = body.result?.['nextCursor'];
      if (cursor === undefined) break;
    }
    expect(new Set(uris).size).toBe(113);
    expect(uris).toHaveLength(113);
  });
});

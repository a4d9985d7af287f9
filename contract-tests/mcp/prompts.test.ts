/** Hosts show prompts to people as commands, and complete what people type. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentService } from '../agents/agent-service.js';
import { type McpHost, openWithHosts } from './mcp-host.js';

let service: AgentService;
let host: McpHost;
let older: McpHost;
beforeAll(async () => {
  ({ service, host, older } = await openWithHosts());
  const days = Array.from({ length: 120 }, (_, day) => day);
  const table = ['Harbour', 'Old Town', 'Hill'].flatMap((shop, level) =>
    days.map((day) => ({ day, shop, sold: 10 * level + (day % 7) })),
  );
  await service.train('sales?target=sold&order_by=day&group_by=shop&horizon=7', table);
  for (const name of ['care', 'rings']) {
    await service.create('skill', { name, type: 'retrieval', params: { source: 'diamonds' } });
  }
  await service.sendText('/projects/default/skills/care/documents/Cleaning.md', '# Cleaning');
  await service.sendText('/projects/default/skills/care/documents/storing.md', '# Storing');
});
afterAll(() => service.close());

const SERIES = ['Harbour', 'Hill', 'Old Town'];
const DOCUMENT = 'roster://default/skills/{skill}/documents/{document}';

async function complete(ref: object, name: string, value: string, known?: object): Promise<unknown> {
  const context = known && { context: { arguments: known } };
  const { body } = await host.ask('completion/complete', { ref, argument: { name, value }, ...context });
  return body.error ?? body.result?.['completion'];
}

const prompt = (name: string) => ({ type: 'ref/prompt', name });
const template = (uri: string) => ({ type: 'ref/resource', uri });

describe('prompts', () => {
  test('are said to be there, with completions', async () => {
    const capabilities = { prompts: {}, completions: {} };
    expect((await host.ask('server/discover')).body.result).toMatchObject({ capabilities });
    const opened = await older.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    expect(opened.body.result).toMatchObject({ capabilities });
  });

  test('are one for each model, with the arguments that matter', async () => {
    const { body } = await host.ask('prompts/list');
    expect(body.result).toMatchObject({
      prompts: [
        { name: 'predict_prices', description: 'Predict "price"' },
        {
          name: 'predict_sales',
          description: 'Forecast "sold" of a series',
          arguments: [
            { name: 'shop', description: expect.stringContaining('Harbour'), required: true },
            { name: 'steps', description: 'A number of steps, 1 to 7', required: true },
          ],
        },
      ],
      ttlMs: expect.any(Number),
      cacheScope: 'private',
    });
    const [prices] = (body.result?.['prompts'] ?? []) as { arguments: { name: string }[] }[];
    expect(prices?.arguments).toContainEqual({
      name: 'carat',
      description: expect.stringMatching(/^A number, /),
      required: false,
    });
    expect((await older.ask('prompts/list')).body.result?.['prompts']).toEqual(body.result?.['prompts']);
  });

  test('become what a person would ask', async () => {
    const row = await host.ask('prompts/get', { name: 'predict_prices', arguments: { carat: '0.7', cut: '' } });
    const ask = 'Tell the interval or the classes that may be, too, and what did not fit.';
    const text = `Predict "price" with the tool predict_prices, for {"carat":"0.7"}. ${ask}`;
    expect(row.body.result).toMatchObject({ messages: [{ role: 'user', content: { type: 'text', text } }] });
    const none = await older.ask('prompts/get', { name: 'predict_prices' });
    expect(JSON.stringify(none.body.result)).toContain('Ask me first for what I know of the row.');
    const input = { shop: 'Hill', steps: '3' };
    const series = await older.ask('prompts/get', { name: 'predict_sales', arguments: input });
    expect(JSON.stringify(series.body.result)).toContain('Forecast \\"sold\\" of a series');
  });

  test.each([
    ['predict_nothing', {}, 'There is no prompt "predict_nothing"'],
    ['ask_analyst', {}, 'There is no prompt'],
    ['predict_prices', { weight: '1' }, 'has no argument "weight"'],
    ['predict_prices', { carat: 0.7 }, 'must be a text'],
    ['predict_prices', { cut: 'x'.repeat(1001) }, 'at most 1000 characters'],
    ['predict_sales', { shop: 'Hill' }, 'needs the argument "steps"'],
  ])('of %s with %j is an error of the protocol', async (name, input, reason) => {
    const { body } = await host.ask('prompts/get', { name, arguments: input });
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining(reason) });
  });

  test('need the scope of predictions, and are those that the address chooses', async () => {
    const key = await service.createKey({ scopes: ['read'] });
    expect((await host.ask('prompts/list', {}, { key })).body.result?.['prompts']).toEqual([]);
    expect((await host.ask('prompts/get', { name: 'predict_prices' }, { key })).status).toBe(403);
    const path = '/mcp/default?tools=predict_sales,predict_nothing';
    const listed = (await host.ask('prompts/list', {}, { path })).body.result?.['prompts'];
    expect(listed).toEqual([expect.objectContaining({ name: 'predict_sales' })]);
    const left = await host.ask('prompts/get', { name: 'predict_prices' }, { path });
    expect(left.body.error?.code).toBe(-32602);
  });
});

describe('a completion', () => {
  test('has the series of a forecast, those that begin with the text first', async () => {
    expect(await complete(prompt('predict_sales'), 'shop', '')).toMatchObject({
      values: expect.arrayContaining(SERIES),
    });
    expect(await complete(prompt('predict_sales'), 'shop', 'h')).toEqual({
      values: expect.arrayContaining(['Harbour', 'Hill']),
      hasMore: false,
    });
    expect(await complete(prompt('predict_sales'), 'shop', 'TOWN')).toEqual({ values: ['Old Town'], hasMore: false });
    expect(await complete(prompt('predict_sales'), 'steps', '1')).toEqual({ values: [], hasMore: false });
  });

  test('has the categories of a column, and nothing of numbers', async () => {
    expect(await complete(prompt('predict_prices'), 'cut', 'ide')).toEqual({ values: ['Ideal'], hasMore: false });
    expect(await complete(prompt('predict_prices'), 'carat', '0')).toEqual({ values: [], hasMore: false });
  });

  test('has the names in addresses of resources', async () => {
    const models = { values: ['prices', 'sales'], hasMore: false };
    expect(await complete(template('roster://default/models/{name}'), 'name', '')).toEqual(models);
    expect(await complete(template('roster://default/models/{name}/report'), 'name', 'PRI')).toMatchObject({
      values: ['prices'],
    });
    expect(await complete(template(DOCUMENT), 'skill', 'r')).toMatchObject({ values: ['rings', 'care'] });
    const documents = await complete(template(DOCUMENT), 'document', 'c', { skill: 'care' });
    expect(documents).toEqual({ values: ['Cleaning.md'], hasMore: false });
    expect(await complete(template(DOCUMENT), 'skill', '\0%')).toEqual({ values: [], hasMore: false });
  });

  test.each([
    [{}, { name: 'cut', value: '' }, 'must have a "ref"'],
    [{ ref: { type: 'ref/prompt' } }, { name: 'cut', value: '' }, 'a text "name"'],
    [{ ref: prompt('predict_prices') }, { name: 'cut' }, 'must have an "argument"'],
    [{ ref: prompt('predict_prices') }, { name: 'weight', value: '' }, 'has no argument "weight"'],
    [{ ref: prompt('predict_nothing') }, { name: 'cut', value: '' }, 'There is no prompt'],
    [{ ref: template('roster://default/{x}') }, { name: 'x', value: '' }, 'There is no template'],
    [{ ref: template(DOCUMENT) }, { name: 'name', value: '' }, 'has no part "name"'],
    [{ ref: template(DOCUMENT) }, { name: 'document', value: '' }, 'has no part "document"'],
  ])('of %j for %j is an error of the protocol', async (params, argument, reason) => {
    const { body } = await host.ask('completion/complete', { ...params, argument });
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining(reason) });
  });

  test('needs the scope of what it completes', async () => {
    const [reads, predicts] = [
      await service.createKey({ scopes: ['read'] }),
      await service.createKey({ scopes: ['predict'] }),
    ];
    const argument = { name: 'skill', value: '' };
    const ofNames = { ref: template(DOCUMENT), argument };
    const ofCategories = { ref: prompt('predict_prices'), argument: { name: 'cut', value: '' } };
    expect((await host.ask('completion/complete', ofNames, { key: predicts })).status).toBe(403);
    expect((await host.ask('completion/complete', ofNames, { key: reads })).status).toBe(200);
    expect((await host.ask('completion/complete', ofCategories, { key: reads })).status).toBe(403);
    expect((await host.ask('completion/complete', ofCategories, { key: predicts })).status).toBe(200);
  });
});

test.each([
  ['resources/subscribe', 'cannot be subscribed to'],
  ['resources/unsubscribe', 'no subscriptions to end'],
  ['subscriptions/listen', 'nothing to listen to'],
  ['logging/setLevel', 'nothing is logged'],
])('%s is refused with the reason', async (method, reason) => {
  for (const [one, status] of [
    [older, 200],
    [host, 404],
  ] as const) {
    const refused = await one.ask(method, { uri: 'roster://default/models/prices' });
    expect(refused.status).toBe(status);
    expect(refused.body.error).toMatchObject({ code: -32601, message: expect.stringContaining(reason) });
  }
});

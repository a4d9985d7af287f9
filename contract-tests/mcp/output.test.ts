/** Programs read results by the schema that the list of tools gives. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FINDERS } from '../../server/mcp/finders.js';
import { type ChatReply, calls, says } from '../../testkit/chat/reply.js';
import type { AgentService } from '../agents/agent-service.js';
import { type McpHost, openWithHosts } from './mcp-host.js';

let service: AgentService;
let host: McpHost;
beforeAll(async () => {
  ({ service, host } = await openWithHosts());
  const cuts = Array.from({ length: 200 }, (_, row) => ({ carat: row % 7, cut: row % 7 > 3 ? 'Ideal' : 'Good' }));
  const days = Array.from({ length: 120 }, (_, day) => ({ day, shop: 'Hill', sold: day % 7 }));
  await service.train('cuts?target=cut&effort=fast', cuts);
  await service.train('sales?target=sold&order_by=day&group_by=shop&horizon=7', days);
  await service.create('skill', { name: 'care', type: 'retrieval', params: { source: 'the care of diamonds' } });
  await service.sendText('/projects/default/skills/care/documents/care.md', '# Care\n\nClean a sapphire with water.');
  await service.create('skill', { name: 'sales', type: 'sql', params: { database: 'sales', tables: ['orders'] } });
  await service.create('agent', { name: 'analyst', skills: [] });
  await service.create('agent', { name: 'librarian', skills: ['care'], params: { return_context: true } });
});
afterAll(() => service.close());

const WITH_PASSAGES: readonly ChatReply[] = [
  calls({ name: 'care', arguments: { query: 'sapphire' } }),
  says('With water.'),
];

test.each<[string, object, readonly ChatReply[]]>([
  ['predict_prices', { carat: 0.7, cut: 'Ideal' }, []],
  ['predict_prices', { carat: 0.7, explain: true }, []],
  ['predict_prices', { carat: 'heavy', weight: 1 }, []],
  ['predict_cuts', { carat: 5, explain: true }, []],
  ['predict_sales', { series: { shop: 'Hill' }, steps: 2 }, []],
  ['ask_analyst', { question: 'What does it cost?' }, [says('Much.')]],
  ['ask_librarian', { question: 'How do I clean a sapphire?' }, WITH_PASSAGES],
  ['search_care', { query: 'sapphire' }, []],
  ['search_care', { query: 'nothing' }, []],
  ['query_sales', { sql: 'SELECT count(*) AS n FROM orders' }, []],
  ['find_tools', { query: 'prices care' }, []],
  ['describe_tool', { name: 'predict_prices' }, []],
])('%s with %j answers as its schema says', async (name, input, replies) => {
  service.chat.play([...replies]);
  const tools = [...(await host.tools()), ...FINDERS];
  const schema = tools.find((tool) => tool.name === name)?.outputSchema ?? {};
  expect(schema).toHaveProperty('properties');
  const { structuredContent, isError } = (await host.call(name, input)).body.result ?? {};
  expect(isError).toBeUndefined();
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  const validate = ajv.compile(closed(schema));
  validate(structuredContent);
  expect(validate.errors).toBeNull();
});

/** Returns a schema that allows no properties but those that it names, so that none is without a type. */
function closed(schema: unknown): object {
  return JSON.parse(
    JSON.stringify(schema, (_, value) =>
      value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value,
    ),
  );
}

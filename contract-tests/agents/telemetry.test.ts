import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { calls, refuses, says } from '../../testkit/chat/reply.js';
import { listen } from '../../testkit/http/listen.js';
import { AgentService } from './agent-service.js';

test('metrics count answers, uses of tools and tokens, and spans show them without texts', async () => {
  const bodies: string[] = [];
  const collector = await listen(async (req, res) => {
    bodies.push(await text(req));
    res.setHeader('Content-Type', 'application/json').end('{}');
  });
  const service = await AgentService.open({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  onTestFinished(() => service.close());
  const agent = await service.agent({
    skills: [{ type: 'sql', params: { database: 'sales', tables: ['orders'] } }],
  });
  service.chat.play([calls({ name: 'marzipan', arguments: {} }), says('Nougat.')]);
  await service.answer(agent, 'Truffle?');
  service.chat.play([refuses(500)]);
  await service.ask(agent, 'Truffle?');
  const metrics = await (await service.send('GET', '/metrics')).text();
  expect(metrics).toContain('roster_answers_total{outcome="answered"} 1\n');
  expect(metrics).toContain('roster_answers_total{outcome="failed"} 1\n');
  expect(metrics).toContain('roster_tool_uses_total{outcome="failed"} 1\n');
  expect(metrics).toContain('roster_answer_tokens_total 15\n');
  expect(metrics).toContain('roster_answers_in_progress 0\n');
  const spans = () => bodies.join('\n');
  await expect.poll(() => spans().match(/"name":"answer"/g)?.length).toBe(2);
  expect(spans()).toContain('gen_ai.request.model');
  expect(spans()).not.toMatch(/Truffle|Nougat/);
});

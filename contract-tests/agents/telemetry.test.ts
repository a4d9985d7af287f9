import { expect, onTestFinished, test } from 'vitest';
import { calls, refuses, says } from '../../testkit/chat/reply.js';
import { AgentService } from './agent-service.js';

test('metrics count answers, uses of tools and tokens', async () => {
  const service = await AgentService.open();
  onTestFinished(() => service.close());
  const agent = await service.agent({ skills: [{ type: 'sql', params: { database: 'sales', tables: ['orders'] } }] });
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
});

import { mkdir, rm, symlink } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { calls, refuses, says } from '../../testkit/chat/reply.js';
import { listen } from '../../testkit/http/listen.js';
import { root } from '../../testkit/root.js';
import { startServer } from '../../testkit/service/server-process.js';
import { AgentService } from './agent-service.js';

/** Where the built service finds OpenTelemetry, as if it were installed beside it. */
const BESIDE = fileURLToPath(new URL('dist/node_modules', root));
const INSTALLED = fileURLToPath(new URL('tools/on-demand/opentelemetry/node_modules', root));
beforeAll(async () => {
  await mkdir(BESIDE, { recursive: true });
  await symlink(`${INSTALLED}/@opentelemetry`, `${BESIDE}/@opentelemetry`, 'junction');
});
afterAll(() => rm(`${BESIDE}/@opentelemetry`));

/** Starts a collector of spans, and keeps the bodies that it gets. */
async function collect() {
  const sent: string[] = [];
  const collector = await listen(async (req, res) => {
    sent.push(await text(req));
    res.setHeader('Content-Type', 'application/json').end('{}');
  });
  return { collector, sent };
}

test('a service with a collector sends it a span of each request', async () => {
  const { collector, sent } = await collect();
  const server = await startServer({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
  });
  expect((await fetch(`${server.url}/projects`)).status).toBe(200);
  await server.stop();
  expect(sent.join()).toContain('"listProjects"');
});

test('spans show answers without their texts', async () => {
  const { collector, sent } = await collect();
  const service = await AgentService.open({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  onTestFinished(() => service.close());
  const agent = await service.agent({ skills: [{ type: 'sql', params: { database: 'sales', tables: ['orders'] } }] });
  service.chat.play([calls({ name: 'marzipan', arguments: {} }), says('Nougat.')]);
  await service.answer(agent, 'Truffle?');
  service.chat.play([refuses(500)]);
  await service.ask(agent, 'Truffle?');
  const spans = () => sent.join('\n');
  await expect.poll(() => spans().match(/"name":"answer"/g)?.length).toBe(2);
  expect(spans()).toContain('gen_ai.request.model');
  expect(spans()).not.toMatch(/Truffle|Nougat/);
});

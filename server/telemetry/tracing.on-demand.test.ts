import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { metrics } from '@opentelemetry/api';
import express, { type Express, type Response } from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readContract } from '../../contract/document.js';
import { listen } from '../../testkit/http/listen.js';
import type { Tracing } from './spans.js';
import { startTracing } from './tracing.js';

const { operations } = readContract(new URL('../../openapi.yaml', import.meta.url));

/** Sets the context as the contract's router does. */
function setOperation(res: Response, operationId: string): void {
  const operation = operations.find(({ id }) => id === operationId);
  if (operation) res.locals.operation = operation;
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const SECRET = `roster_0123456789abcdef_${'s'.repeat(43)}`;

let tracing: Tracing | undefined;
let answers: Promise<unknown>[] = [];
afterEach(async () => {
  await tracing?.stop();
  tracing = undefined;
  answers = [];
  vi.unstubAllEnvs();
});

/** A span as OTLP's JSON has it (opentelemetry-proto, trace/v1/trace.proto). */
interface SentSpan {
  traceId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code: number };
  attributes: Attribute[];
}
interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}
interface Sent {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

const SERVER = 2;
const ERROR = 2;

/** A collector that takes OTLP, and keeps all that it was sent. */
class Collector {
  readonly requests: { path: string; body: string }[] = [];

  async start(): Promise<string> {
    return listen(async (req, res) => {
      this.requests.push({ path: req.url ?? '', body: await text(req) });
      res.setHeader('Content-Type', 'application/json').end('{}');
    });
  }

  get sent(): Sent['resourceSpans'] {
    return this.requests.flatMap(({ body }) => (JSON.parse(body) as Sent).resourceSpans);
  }

  get spans(): SentSpan[] {
    return this.sent.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }
}

const valuesOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

/** The SDK reads the environment of the process; so the test sets that. */
async function startWith(env: Record<string, string>, log = pino({ level: 'silent' })) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  tracing = await startTracing(process.env, log);
  return tracing;
}

async function startTowards(collector: Collector, env: Record<string, string> = {}) {
  return startWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: await collector.start(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...env,
  });
}

/** A service in which each request has its trace id. */
async function startService(routes: (app: Express) => void = () => {}): Promise<string> {
  const app = express();
  if (tracing) app.use(tracing.traceRequests);
  app.use((_req, res, next) => {
    answers.push(once(res, 'close'));
    res.set('X-Trace-Id', res.locals.traceId ?? 'none');
    next();
  });
  app.get('/projects/:project_name/skills', (_req, res) => {
    setOperation(res, 'listSkills');
    res.json([]);
  });
  app.post('/predict', express.text({ type: '*/*' }), (_req, res) => {
    setOperation(res, 'predict');
    res.status(500).end();
  });
  routes(app);
  return listen(app);
}

/** Waits for what was asked to end, and ends the tracing, which sends what there is. */
async function spansOf(collector: Collector): Promise<SentSpan[]> {
  await Promise.all(answers);
  await tracing?.stop();
  return collector.spans;
}

const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@opentelemetry/sdk-node'));

// First in the file: what was loaded once stays loaded.
describe('without being asked for', () => {
  test.each([
    ['no variable is set', {}],
    ['they are empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: '' }],
    ['the SDK is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }],
    ['the exporter is none', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' }],
  ])('nothing is loaded and nothing is traced when %s', async (_case, env) => {
    expect(await startWith(env)).toBeUndefined();
    expect(loaded()).toBe(false);
    const url = await startService();
    const answer = await fetch(`${url}/projects/default/skills`, {
      headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('X-Trace-Id')).toBe('none');
  });
});

describe('a request', () => {
  test('becomes a span of the server, named as the operation', async () => {
    const collector = new Collector();
    await startTowards(collector);
    expect(loaded()).toBe(true);
    const url = await startService();
    const answer = await fetch(`${url}/projects/default/skills?limit=3`);

    const spans = await spansOf(collector);
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      name: 'listSkills',
      kind: SERVER,
      traceId: answer.headers.get('X-Trace-Id'),
      status: { code: 0 },
    });
    expect(spans[0]?.parentSpanId).toBeUndefined();
    expect(valuesOf(spans[0]?.attributes ?? [])).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/projects/{project_name}/skills',
      'network.protocol.version': '1.1',
      'url.path': '/projects/default/skills',
      'url.scheme': 'http',
    });
  });

  test('goes on with the trace of its caller', async () => {
    const collector = new Collector();
    await startTowards(collector);
    const url = await startService();
    const answer = await fetch(`${url}/projects/default/skills`, {
      headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` },
    });
    expect(answer.headers.get('X-Trace-Id')).toBe(TRACE_ID);
    expect(await spansOf(collector)).toMatchObject([{ traceId: TRACE_ID, parentSpanId: PARENT_ID }]);
  });

  test('is not sent when its caller decided so, and still names the trace', async () => {
    const collector = new Collector();
    await startTowards(collector);
    const url = await startService();
    const answer = await fetch(`${url}/projects/default/skills`, {
      headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` },
    });
    expect(answer.headers.get('X-Trace-Id')).toBe(TRACE_ID);
    expect(await spansOf(collector)).toEqual([]);
  });

  test('begins a new trace when the traceparent is malformed', async () => {
    const collector = new Collector();
    await startTowards(collector);
    const url = await startService();
    await fetch(`${url}/projects/default/skills`, { headers: { traceparent: 'garbage' } });
    const [span] = await spansOf(collector);
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.parentSpanId).toBeUndefined();
  });

  test('that failed on the side of the service is an error; one that was refused is none', async () => {
    const collector = new Collector();
    await startTowards(collector);
    const url = await startService();
    await fetch(`${url}/predict`, { method: 'POST' });
    await fetch(`${url}/nowhere`);
    const spans = await spansOf(collector);
    expect(spans).toMatchObject([
      { name: 'predict', status: { code: ERROR } },
      { name: 'GET', status: { code: 0 } },
    ]);
    expect(spans.map(({ attributes }) => valuesOf(attributes))).toMatchObject([
      { 'http.response.status_code': 500, 'error.type': '500' },
      { 'http.response.status_code': 404 },
    ]);
  });

  test('whose caller left ends its span too', async () => {
    const collector = new Collector();
    await startTowards(collector);
    const url = await startService((app) => {
      app.get('/slow', (_req, res) => void res.write('['));
    });
    const caller = connect(Number(new URL(url).port), '127.0.0.1');
    caller.write('GET /slow HTTP/1.1\r\nHost: roster\r\n\r\n');
    await once(caller, 'data');
    caller.destroy();
    const [span] = await spansOf(collector);
    expect(valuesOf(span?.attributes ?? [])).toMatchObject({ 'error.type': 'aborted' });
  });

  test('leaves no secret in what is sent', async () => {
    const collector = new Collector();
    await startTowards(collector);
    const url = await startService();
    await fetch(`${url}/predict/${SECRET}?api_key=${SECRET}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${SECRET}`, Cookie: SECRET, 'User-Agent': SECRET },
      body: SECRET,
    });
    expect(await spansOf(collector)).toHaveLength(1);
    expect(JSON.stringify(collector.requests)).not.toContain(SECRET);
  });
});

describe('what is sent', () => {
  test('is of the service roster, unless the environment names it', async () => {
    const names: unknown[] = [];
    for (const env of [{}, { OTEL_SERVICE_NAME: 'roster-eu' }]) {
      const collector = new Collector();
      await startTowards(collector, env);
      const url = await startService();
      await fetch(`${url}/projects/default/skills`);
      await spansOf(collector);
      names.push(valuesOf(collector.sent[0]?.resource.attributes ?? [])['service.name']);
    }
    expect(names).toEqual(['roster', 'roster-eu']);
  });

  test('is traces alone: the numbers are scraped, and the log stays where it is', async () => {
    const collector = new Collector();
    // Of two that would take the numbers the first is kept; an earlier test's must not hide this one's.
    metrics.disable();
    await startTowards(collector);
    const url = await startService();
    await fetch(`${url}/projects/default/skills`);
    // Counts that a library may add.
    metrics.getMeter('library').createCounter('calls').add(1);
    await spansOf(collector);
    expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
  });
});

test('a collector that is away takes nothing from the service but a line of its log', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  await startWith(
    {
      // Nobody listens on the port of the discard protocol.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
    log,
  );
  const url = await startService();
  const ask = async () => (await fetch(`${url}/projects/default/skills`)).status;
  expect(await ask()).toBe(200);
  await expect.poll(() => lines.length, { timeout: 60_000 }).toBe(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, msg: 'spans are not sent' });
  expect(await ask()).toBe(200);
  await tracing?.stop();
  expect(await ask()).toBe(200);
});

import { once } from 'node:events';
import { connect } from 'node:net';
import express, { type Express, type RequestHandler } from 'express';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { readContract } from '../../contract/document.js';
import { listen } from '../../testkit/http/listen.js';
import { Metrics } from './metrics.js';
import { observeRequests } from './request-log.js';

const { operations } = readContract(new URL('../../openapi.yaml', import.meta.url));

async function start(metrics: Metrics, routes: (app: Express) => void): Promise<string> {
  const app = express();
  const observe = observeRequests(pino({ level: 'silent' }), metrics.requests);
  app.use((req, res, next) => {
    observe(req, res);
    next();
  });
  routes(app);
  return listen(app);
}

/** Sets the context as the contract's router does. */
const takenBy =
  (operationId: string): RequestHandler =>
  (_req, res, next) => {
    const operation = operations.find(({ id }) => id === operationId);
    if (operation) res.locals.operation = operation;
    next();
  };

/** Returns the value of one series in a scrape. */
async function value(metrics: Metrics, series: string): Promise<number | undefined> {
  const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** A request is counted when its response has closed, which the caller may see slightly earlier. */
const counted = (metrics: Metrics, series: string) => expect.poll(() => value(metrics, series));

describe('a request', () => {
  test('is counted by its operation and its status, and timed', async () => {
    const metrics = new Metrics('0.2.0');
    const url = await start(metrics, (app) => {
      app.get('/skills', takenBy('listSkills'), (_req, res) => void res.json([]));
      app.post('/skills', takenBy('createSkill'), (_req, res) => void res.status(409).end());
    });
    await fetch(`${url}/skills`);
    await fetch(`${url}/skills`);
    await fetch(`${url}/skills`, { method: 'POST' });

    const requests = 'roster_requests_total';
    await counted(metrics, `${requests}{operation="listSkills",status="200"}`).toBe(2);
    await counted(metrics, `${requests}{operation="createSkill",status="409"}`).toBe(1);
    const duration = 'roster_request_duration_seconds';
    expect(await value(metrics, `${duration}_count{operation="listSkills"}`)).toBe(2);
    expect(await value(metrics, `${duration}_bucket{le="30",operation="listSkills"}`)).toBe(2);
    expect(await value(metrics, `${duration}_sum{operation="listSkills"}`)).toBeGreaterThan(0);
  });

  test('to an unknown address creates no series', async () => {
    const metrics = new Metrics('0.2.0');
    const url = await start(metrics, () => {});
    for (const address of ['/a', '/b', '/c?d=e']) await fetch(url + address);

    await counted(metrics, 'roster_requests_total{operation="none",status="404"}').toBe(3);
    const text = await metrics.text();
    expect(text.match(/^roster_requests_total\{/gm)).toHaveLength(1);
  });

  test('is in progress until its answer has ended', async () => {
    const metrics = new Metrics('0.2.0');
    let answer = () => {};
    const url = await start(metrics, (app) => {
      app.get('/slow', (_req, res) => {
        answer = () => res.end();
      });
    });
    const asked = fetch(`${url}/slow`);
    await counted(metrics, 'roster_requests_in_progress').toBe(1);
    answer();
    await asked;
    await counted(metrics, 'roster_requests_in_progress').toBe(0);
  });

  test('whose caller disconnected is counted as aborted, for any response', async () => {
    const metrics = new Metrics('0.2.0');
    const url = await start(metrics, (app) => {
      app.get('/slow', takenBy('predict'), (_req, res) => void res.write('['));
    });
    const caller = connect(Number(new URL(url).port), '127.0.0.1');
    caller.write('GET /slow HTTP/1.1\r\nHost: roster\r\n\r\n');
    await once(caller, 'data');
    caller.destroy();

    await counted(metrics, 'roster_requests_total{operation="predict",status="aborted"}').toBe(1);
    await counted(metrics, 'roster_requests_in_progress').toBe(0);
  });

  test('that was queued is counted once, with its response', async () => {
    const metrics = new Metrics('0.2.0');
    const url = await start(metrics, (app) => {
      app.get('/', takenBy('listSkills'), (_req, res) => void setImmediate(() => res.json([])));
    });
    const caller = connect(Number(new URL(url).port), '127.0.0.1');
    const request = (connection: string) => `GET / HTTP/1.1\r\nHost: roster\r\nConnection: ${connection}\r\n\r\n`;
    caller.write(request('keep-alive').repeat(3) + request('close'));
    caller.resume();
    await once(caller, 'close');

    const answered = 'roster_requests_total{operation="listSkills",status="200"}';
    await counted(metrics, answered).toBe(4);
    expect(await metrics.text()).not.toContain('status="aborted"');
    expect(await value(metrics, 'roster_requests_in_progress')).toBe(0);
  });
});

describe('other metrics', () => {
  test('count refusals by problem, rows, and trainings by outcome', async () => {
    const metrics = new Metrics('0.2.0');
    metrics.refused('/problems/body-too-large');
    metrics.predicted(3);
    metrics.predicted(4);
    metrics.trainingEnded('ready');

    expect(await value(metrics, 'roster_refused_total{reason="body-too-large"}')).toBe(1);
    expect(await value(metrics, 'roster_rows_predicted_total')).toBe(7);
    expect(await value(metrics, 'roster_trainings_total{outcome="ready"}')).toBe(1);
  });

  test('count requests that use something deprecated, by operation', async () => {
    const metrics = new Metrics('0.2.0');
    const sunset = { deprecated: '2026-11-23', sunset: '2027-11-23' };
    const url = await start(metrics, (app) => {
      app.put('/agents/:name', takenBy('updateAgent'), (req, res) => {
        if (req.params.name === 'old') res.locals.sunset = sunset;
        res.end();
      });
    });
    for (const name of ['old', 'new', 'old']) await fetch(`${url}/agents/${name}`, { method: 'PUT' });
    const name = 'roster_deprecated_requests_total{operation="updateAgent"}';
    await expect.poll(() => value(metrics, name)).toBe(2);
  });

  test('report zero for an outcome that no training has had', async () => {
    expect(await value(new Metrics('0.2.0'), 'roster_trainings_total{outcome="failed"}')).toBe(0);
  });

  test('cover the process: event loop, memory, garbage collection', async () => {
    const text = await new Metrics('0.2.0').text();
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'nodejs_gc_duration_seconds',
    ]) {
      expect(text).toContain(`# TYPE ${name} `);
    }
  });

  test('are separate for two services in one process', async () => {
    const [one, other] = [new Metrics('0.2.0'), new Metrics('0.2.0')];
    one.predicted(5);
    expect(await value(other, 'roster_rows_predicted_total')).toBe(0);
  });
});

describe('the gauges of the service', () => {
  const NONE = {
    storeReady: () => 1,
    trainingsRunning: () => 1,
    trainingsWaiting: () => 0,
    storeBytes: () => 4096,
    alarms: () => 0,
  };
  const RUNNING = 'roster_trainings_running';
  const WAITING = 'roster_trainings_waiting';

  test('are read at each scrape', async () => {
    const metrics = new Metrics('0.2.0');
    let waiting = 2;
    metrics.watch({ ...NONE, trainingsWaiting: async () => waiting });
    expect(await value(metrics, RUNNING)).toBe(1);
    expect(await value(metrics, WAITING)).toBe(2);
    waiting = 0;
    expect(await value(metrics, WAITING)).toBe(0);
  });

  test('have no value before a source is set', async () => {
    const metrics = new Metrics('0.2.0');
    expect(await value(metrics, RUNNING)).toBeUndefined();
    expect(await value(metrics, WAITING)).toBeUndefined();
  });

  test('that fail are left out of a scrape, which has all other values', async () => {
    const metrics = new Metrics('0.2.0');
    let away = false;
    metrics.watch({ ...NONE, trainingsWaiting: () => (away ? Promise.reject(new Error('The store is away')) : 2) });
    expect(await value(metrics, WAITING)).toBe(2);
    away = true;
    expect(await value(metrics, WAITING)).toBeUndefined();
    expect(await value(metrics, RUNNING)).toBe(1);
    expect(await value(metrics, 'roster_rows_predicted_total')).toBe(0);
  });

  test('that throw at once, or never settle, are left out too', async () => {
    const metrics = new Metrics('0.2.0');
    metrics.watch({
      ...NONE,
      trainingsRunning: () => {
        throw new Error('Not known');
      },
      trainingsWaiting: () => new Promise(() => {}),
    });
    const text = await metrics.text();
    expect(text).toContain('\nroster_rows_predicted_total 0\n');
    expect(text).not.toMatch(/^roster_trainings_(running|waiting) /m);
  });
});

test('a scrape names the release of the service', async () => {
  expect(await value(new Metrics('0.2.0'), 'roster_build_info{version="0.2.0"}')).toBe(1);
});

test('a scrape states its media type with the version of the format', () => {
  expect(new Metrics('0.2.0').contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
});

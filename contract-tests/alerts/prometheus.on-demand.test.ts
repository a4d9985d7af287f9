/** Tests what a real Prometheus sees of three instances while PostgreSQL is away: one alert, the right one. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { asRecord } from '../../contract/json-record.js';
import { freePort } from '../../testkit/http/free-port.js';
import { findProgram } from '../../testkit/programs.js';
import { root } from '../../testkit/root.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';

const program = findProgram('PROMETHEUS_BIN', ['prometheus'], []);

/** Longer than the alert of an instance that is down waits, and than a failover usually takes. */
const OUTAGE_MS = 100_000;

let folder: string;
let database: PostgresDatabase;
let instances: ServerProcess[];
let key: string;
let prometheus: Child;
let origin: string;
beforeAll(async () => {
  if (program === undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'roster-prometheus-'));
  database = await startPostgres();
  key = await makeKey(database.url, { name: 'prometheus', scopes: ['operate', 'read'] });
  const env = { DATABASE_URL: database.url, RATE_LIMIT: '0' };
  instances = await Promise.all([startServer({ env }), startServer({ env }), startServer({ env })]);
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, 'key'), key);
  await writeFile(join(folder, 'alerts.yml'), await readFile(new URL('examples/prometheus/alerts.yml', root), 'utf8'));
  const targets = instances.map(({ url }) => new URL(url).host);
  const config = {
    global: { scrape_interval: '5s', evaluation_interval: '5s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'roster', authorization: { credentials_file: 'key' }, static_configs: [{ targets }] }],
  };
  // YAML has all of JSON.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const flags = [`--web.listen-address=127.0.0.1:${port}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const args = [`--config.file=${join(folder, 'prometheus.yml')}`, ...flags];
  prometheus = await startChild(program, args, process.env, (line) =>
    /ready to receive web requests/.test(line) ? line : undefined,
  );
});
beforeEach(({ skip }) =>
  skip(program === undefined, "there is no prometheus on this machine; Debian's package `prometheus` has it"),
);
afterAll(async () => {
  if (program === undefined) return;
  await prometheus?.stop();
  await Promise.all((instances ?? []).map((instance) => instance.kill()));
  await database.remove();
  await rm(folder, { recursive: true });
});

async function ask(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${origin}/api/v1/${path}`);
  return asRecord(asRecord(await response.json())['data']);
}

/** Returns the names of the alerts that fire. */
async function firing(): Promise<string[]> {
  const { alerts } = await ask('alerts');
  return (Array.isArray(alerts) ? alerts : [])
    .filter(({ state }) => state === 'firing')
    .map(({ labels }) => String(labels.alertname));
}

async function query(text: string): Promise<string[]> {
  const { result } = await ask(`query?query=${encodeURIComponent(text)}`);
  return (Array.isArray(result) ? result : []).map(({ value }) => String(value[1]));
}

test('an outage of the store fires one alert, which ends with it, and each instance stays up', async () => {
  await expect.poll(() => query('roster_store_ready{job="roster"}')).toEqual(['1', '1', '1']);
  expect(await firing()).toEqual([]);
  await database.stop();
  const seen = new Set<string>();
  const end = performance.now() + OUTAGE_MS;
  while (performance.now() < end) {
    for (const { url } of instances) {
      const { status } = await fetch(`${url}/projects`, { headers: { Authorization: `Bearer ${key}` } });
      expect(status).toBe(503);
    }
    for (const name of await firing()) seen.add(name);
    await pause(1000);
  }
  expect([...seen]).toEqual(['RosterUnavailable']);
  expect(await query('up{job="roster"}')).toEqual(['1', '1', '1']);
  await database.start();
  await expect.poll(firing).toEqual([]);
  expect(await query('sum(roster_requests_total{status="500"})')).toEqual(['0']);
  expect(Number((await query('sum(roster_requests_total{status="503"})'))[0])).toBeGreaterThan(0);
});

import { readdirSync, readFileSync } from 'node:fs';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../contract/document.js';
import { asRecord } from '../contract/json-record.js';
import { SETTINGS } from '../server/settings.js';
import { root } from '../testkit/root.js';
import { type ServerProcess, startServer } from '../testkit/service/server-process.js';

const read = (path: string) => readFileSync(new URL(`examples/${path}`, root), 'utf8');
const contract = readContract(new URL('openapi.yaml', root));

let server: ServerProcess;
let metrics: string;
beforeAll(async () => {
  server = await startServer();
  await fetch(`${server.url}/projects/default/skills/nobody`);
  metrics = await (await fetch(`${server.url}/metrics`)).text();
});
afterAll(() => server.stop());

/** Returns the names of metrics in a query, without what Prometheus adds to those of histograms. */
const namesIn = (query: string) =>
  [...query.matchAll(/\b(?:roster|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));

describe.each([
  ['alerts', () => JSON.stringify(load(read('prometheus/alerts.yml')))],
  ['the dashboard', () => JSON.stringify(JSON.parse(read('grafana/roster.json')))],
])('%s', (_, text) => {
  test('ask for metrics that the service has', () => {
    const names = new Set(namesIn(text()));
    expect(names.size).toBeGreaterThan(5);
    const missing = [...names].filter((name) => !metrics.includes(`\n# TYPE ${name} `));
    expect(missing).toEqual([]);
  });
});

test('the manifests of Kubernetes use settings and addresses that there are', () => {
  const text = read('kubernetes/roster.yaml');
  expect(loadAll(text)).toHaveLength(4);
  const settings = [...text.matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name]) => name);
  expect(SETTINGS).toEqual(expect.arrayContaining(settings));
  expect(settings).toContain('DATABASE_URL_FILE');
  const probes = [...text.matchAll(/httpGet: \{ path: ([^,]+),/g)].map(([, path]) => path);
  expect(probes).toHaveLength(3);
  expect(Object.keys(contract.document.paths)).toEqual(expect.arrayContaining(probes));
});

test('the file of Compose has the instances, the port and the drain of the others', () => {
  const text = readFileSync(new URL('compose.yaml', root), 'utf8');
  const { services } = asRecord(load(text));
  const { proxy, ...others } = asRecord(services);
  const instances = Object.entries(others).filter(([name]) => name.startsWith('roster-'));
  const site = read('nginx/roster.conf');
  const upstream = [...site.matchAll(/^ +server (roster-\d):4000 /gm)].map(([, name]) => name);
  expect(instances.map(([name]) => name)).toEqual(upstream);
  expect(Object.keys(asRecord(asRecord(proxy)['depends_on']))).toEqual(upstream);
  const port = /listen (\d+);/.exec(site)?.[1];
  expect(proxy).toMatchObject({
    ports: [`127.0.0.1:${port}:${port}`],
    volumes: ['./examples/nginx/roster.conf:/etc/nginx/conf.d/default.conf:ro'],
  });
  for (const [, instance] of instances) expect(instance).toMatchObject({ '<<': { stop_grace_period: '20s' } });
});

test('the proxy takes the largest body of each operation', () => {
  // Each limit stands behind the place that it is for.
  const written = read('nginx/roster.conf').matchAll(/^ {4}location (?:~ )?(\S+) \{|client_max_body_size (\d+)/gm);
  let here = '';
  const limits = [...written].flatMap(([, place, mebibytes]) => {
    here = place ?? here;
    return mebibytes === undefined
      ? []
      : [{ place: here, bytes: Number(mebibytes) * 1024 * 1024 || Number.POSITIVE_INFINITY }];
  });
  expect(limits.length).toBeGreaterThan(3);
  const findLimit = (path: string) =>
    (
      limits.find(({ place }) => place !== '/' && new RegExp(place).test(path)) ??
      limits.find(({ place }) => place === '/')
    )?.bytes ?? 0;
  const tooLarge = contract.operations.filter(({ path, consumes, maxBody }) => {
    return consumes.length > 0 && maxBody > findLimit(path.replaceAll(/\{\w+\}/g, 'x'));
  });
  expect(tooLarge.map(({ id }) => id)).toEqual([]);
});

test('the unit of systemd uses settings that there are', () => {
  const names = [...read('systemd/roster.service').matchAll(/(?<=Environment=.*)\b([A-Z_]+)=/g)];
  expect(names.length).toBeGreaterThan(3);
  for (const [, name] of names) expect(SETTINGS).toContain(name);
});

test('each file of operators is named in docs/operation.md', () => {
  const docs = readFileSync(new URL('docs/operation.md', root), 'utf8');
  for (const folder of ['systemd', 'kubernetes', 'prometheus', 'grafana', 'nginx']) {
    for (const file of readdirSync(new URL(`examples/${folder}`, root))) {
      expect(docs).toContain(`examples/${folder}/${file}`);
    }
  }
});

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { diamonds, diamondTable } from '../../testkit/data/diamonds.js';
import { ask } from '../../testkit/http/client.js';
import { wire } from '../../testkit/http/load.js';
import { readField } from '../../testkit/json.js';
import { median } from '../../testkit/numbers.js';
import { processorTime, residentMemory, type Service } from '../../testkit/service/measured-service.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type Comparison, compareRates, measureRate } from '../load.js';
import { type Finding, runScenarios, type Scenario } from '../scenarios.js';
import { ENVIRONMENT, pin, separateCores, train, withService } from '../services.js';
import { copyWithoutMcp, RUN } from './without-mcp.js';

const OFFICIAL = fileURLToPath(new URL('./official-server.js', import.meta.url));

const CONNECTIONS = 16;
const MODEL = '/api/projects/default/models/prices';
const [ROW] = diamondTable(1).rows;

/** The cores of this machine: one for the servers, and one for the load. */
const cores = separateCores();

type Revision = '2026-07-28' | '2025-11-25';

/** Returns a call of a tool, as a host of a revision sends it. */
function writeCall(url: string, revision: Revision, name: string, input: object, key?: string): Buffer {
  const params = { name, arguments: input };
  const headers = {
    Accept: 'application/json, text/event-stream',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    'MCP-Protocol-Version': revision,
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  if (revision === '2025-11-25') return wire(url, 'POST', '/mcp', { ...message, params }, headers);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = { ...headers, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
  return wire(url, 'POST', '/mcp', { ...message, params: { ...params, _meta } }, named);
}

/** A service with a key and a model of diamonds' prices. */
interface Measured {
  readonly service: Service;
  readonly key: string;
}

/** Runs the service as shipped, without effective limits, and on a separate core if there are two. */
async function withModel<T>(folder: string, use: (measured: Measured) => Promise<T>): Promise<T> {
  pin(process.pid, cores?.load);
  const databaseUrl = `file:${join(folder, 'roster.db')}`;
  const key = await makeKey(databaseUrl, { name: 'bench' });
  const headers = { Authorization: `Bearer ${key}` };
  const run = async (service: Service) => {
    await train(`${service.url}${MODEL}?target=price`, diamonds, headers);
    await requirePrediction(service, headers);
    pin(service.pid, cores?.servers);
    return use({ service, key });
  };
  return withService(folder, run, { databaseUrl, env: ENVIRONMENT });
}

/** @throws if a call is not answered with a prediction: the load looks at the status alone */
async function requirePrediction({ url }: Service, headers: Record<string, string>): Promise<void> {
  const params = { name: 'predict_prices', arguments: ROW };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answer = await ask('POST', `${url}/mcp`, message, headers);
  const content = readField(readField(answer, 'result'), 'structuredContent');
  if (typeof readField(content, 'value') !== 'number') throw new Error(JSON.stringify(answer));
}

/** Counted by calls, not by time: processor time is counted in steps of 10 ms. */
function rate(service: Service, request: Buffer, isShort: boolean) {
  const count = isShort ? 200 : 5000;
  return () => measureRate({ service, request, connections: CONNECTIONS, seconds: 0, count });
}

/** A call that predicts a row, beside the same row by `predict`. */
async function oneRow({ service, key }: Measured, isShort: boolean): Promise<Finding[]> {
  const headers = { Authorization: `Bearer ${key}` };
  const predict = wire(service.url, 'POST', `${MODEL}/predict`, [ROW], headers);
  const compare = (revision: Revision) =>
    compareRates({
      asked: `a call of revision ${revision} that predicts a row: at most 1.3 of the processor of the same row by predict`,
      first: rate(service, writeCall(service.url, revision, 'predict_prices', ROW ?? {}, key), isShort),
      second: rate(service, predict, isShort),
      ...chooseRounds(isShort),
      what: 'cost',
      most: 1.3,
    });
  return [await compare('2026-07-28'), await compare('2025-11-25')];
}

/** The first 15,000 calls of each server do not count: they compile the code that is used. */
function chooseRounds(isShort: boolean): Pick<Comparison, 'rounds' | 'warmUps'> {
  return isShort ? { rounds: 1, warmUps: 0 } : { rounds: 9, warmUps: 3 };
}

/** A call that predicts a row, beside one of a tool that does nothing on the official server. */
async function official(measured: Measured, isShort: boolean, folder: string): Promise<Finding[]> {
  const { service, key } = measured;
  const compare = (server: Service, revision: Revision) =>
    compareRates({
      asked: `a call of revision ${revision} that predicts a row: at most a quarter of the processor of an empty tool of the official server`,
      first: rate(service, writeCall(service.url, revision, 'predict_prices', ROW ?? {}, key), isShort),
      second: rate(server, writeCall(server.url, revision, 'nothing', {}), isShort),
      ...chooseRounds(isShort),
      what: 'cost',
      most: 0.25,
    });
  const use = async (server: Service) => {
    pin(server.pid, cores?.servers);
    return [await compare(server, '2026-07-28'), await compare(server, '2025-11-25')];
  };
  return withService(join(folder, 'official'), use, { main: OFFICIAL, env: ENVIRONMENT });
}

const MAX_GROWTH = 16;

/** The memory of the service while it answers many calls. */
async function memory({ service, key }: Measured, isShort: boolean): Promise<Finding[]> {
  const request = writeCall(service.url, '2026-07-28', 'predict_prices', ROW ?? {}, key);
  const steps = 10;
  const count = isShort ? 500 : 20_000;
  const readings: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    await measureRate({ service, request, connections: CONNECTIONS, seconds: 0, count });
    readings.push(residentMemory(service.pid));
  }
  // The first fifth compiles the code that is used, and lets the heap reach its size.
  const [before, after] = [readings.slice(1, 3), readings.slice(-2)].map((few) => median(few));
  const grown = (after ?? 0) - (before ?? 0);
  return [
    {
      asked: `over ${(steps * count).toLocaleString('en')} calls the memory stays: at most ${MAX_GROWTH} MiB more at their end than after a fifth`,
      measured: `${grown.toFixed(1)} MiB: ${readings.map((reading) => reading.toFixed(0)).join(', ')} MiB`,
      passed: grown <= MAX_GROWTH,
    },
  ];
}

const IDLE_MS = 3000;

/** The start and the memory of an idle service, beside one without the operations and the code of MCP. */
async function idle(folder: string, isShort: boolean): Promise<Finding[]> {
  const without = await copyWithoutMcp(join(folder, 'without'));
  const start = (main: string) =>
    withService(
      join(folder, 'store'),
      async ({ pid }) => {
        const started = processorTime(pid);
        await delay(IDLE_MS);
        return { started, memory: residentMemory(pid) };
      },
      { main },
    );
  await start(RUN); // Creates the store.
  const more: Record<'started' | 'memory', number>[] = [];
  for (let round = 0; round < (isShort ? 1 : 15); round += 1) {
    const [one, other] = [await start(RUN), await start(without)];
    more.push({ started: one.started - other.started, memory: one.memory - other.memory });
  }
  const added = (what: 'started' | 'memory') => median(more.map((figures) => figures[what]));
  return [
    {
      asked: 'MCP adds at most 20 ms of processor to the start of the service',
      measured: `${added('started').toFixed(0)} ms (median of ${more.length})`,
      passed: added('started') <= 20,
    },
    {
      asked: 'MCP adds at most 5 MiB to the memory of the idle service',
      measured: `${added('memory').toFixed(1)} MiB (median of ${more.length})`,
      passed: added('memory') <= 5,
    },
  ];
}

function onModel(
  name: string,
  measure: (measured: Measured, isShort: boolean, folder: string) => Promise<Finding[]>,
): Scenario {
  return {
    name,
    hasShort: true,
    run: ({ folder, isShort }) => withModel(folder, (measured) => measure(measured, isShort, folder)),
  };
}

await runScenarios({
  name: 'bench:mcp',
  description:
    'Measure what a call of a tool by MCP costs, beside a prediction and the official server, and what MCP adds to the service.',
  file: 'mcp',
  scenarios: [
    onModel('one-row', oneRow),
    onModel('official-server', official),
    onModel('memory', memory),
    { name: 'idle', hasShort: true, run: ({ folder, isShort }) => idle(folder, isShort) },
  ],
  ...(cores && { placing: 'the servers on a separate core, the load on another' }),
});

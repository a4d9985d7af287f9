import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '../../testkit/http/client.js';
import { type Operation, operations } from '../../testkit/openapi/document.js';
import { type ExampleRequest, tableOf } from '../../testkit/openapi/example-requests.js';
import { root } from '../../testkit/root.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { ENOUGH, makeKey } from '../../testkit/store/keys.js';
import { openChatServer } from '../mock/chat-server.js';
import { loadExamples } from '../mock/load-examples.js';
import type { CoveredFile } from './coverage.js';
import { type Names, repeatableRequest } from './repeatable-request.js';
import { type RanFile, sourceFiles } from './source-files.js';

/** The service from its separate files: `main.js` is a bundle. */
const RUN = fileURLToPath(new URL('dist/server/run.js', root));
const COVERAGE = new URL('dist/tools/way/coverage.js', root);

/** The requests after which what is loaded, compiled or cached on demand is there. */
const WARM_UP = 3;
/** The requests that are recorded. What timers call runs beside some of them; what runs for each is the request's. */
const SAMPLES = 8;
/** The time that a request gets to end after its answer, in milliseconds: it is logged and counted. */
const AFTERMATH_MS = 20;

/** What one request runs on the main thread. */
export interface Way {
  readonly operationId: string;
  readonly request: string;
  readonly status: number;
  readonly files: readonly RanFile[];
}

/**
 * Starts the service on an empty store, creates the resources of the contract's examples, and finds out which
 * functions the example request of each operation runs.
 * @throws if the contract has no such operation, or if the service does not answer
 */
export async function traceOperations(operationIds: readonly string[]): Promise<Way[]> {
  const wanted = operationIds.map(operationNamed);
  const folder = await mkdtemp(join(tmpdir(), 'roster-way-'));
  const chat = await openChatServer();
  try {
    const store = `file:${join(folder, 'roster.db')}`;
    const key = await makeKey(store, { name: 'way' });
    const env = { RATE_LIMIT: ENOUGH, CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
    const service = await startService(folder, store, env, { preload: COVERAGE, main: RUN });
    try {
      const headers = { Authorization: `Bearer ${key}` };
      const made = await loadExamples(service.url, { headers, completeTable: tableOf });
      const names = givenNames(made);
      const ways: Way[] = [];
      for (const operation of wanted) ways.push(await trace(service, operation, names, headers));
      return ways;
    } finally {
      await service.kill();
    }
  } finally {
    await chat.close();
    await rm(folder, { recursive: true });
  }
}

function operationNamed(operationId: string): Operation {
  const found = operations.find(({ id }) => id === operationId);
  if (found) return found;
  const all = operations.map(({ id }) => id).join(', ');
  throw new Error(`openapi.yaml has no operation ${operationId}; it has ${all}`);
}

/** Returns the identifiers that the service gave: a conversation has no name. */
function givenNames(addresses: readonly string[]): Names {
  const conversation = addresses.find((address) => address.includes('/conversations/'));
  return { conversation_id: conversation?.split('/').at(-1) ?? '' };
}

async function trace(
  service: Service,
  operation: Operation,
  names: Names,
  key: Readonly<Record<string, string>>,
): Promise<Way> {
  const client = new Client();
  const send = ({ method, path, body, headers }: ExampleRequest) =>
    client.send(method, service.url + path, body, { ...headers, ...key });
  const create = async (request: ExampleRequest) =>
    String((await send(request)).headers['location'])
      .split('/')
      .at(-1) ?? '';
  try {
    let status = 0;
    let request = '';
    const samples: CoveredFile[][] = [];
    for (let sample = -WARM_UP; sample < SAMPLES; sample++) {
      const next = await repeatableRequest(operation, names, create);
      await pause(AFTERMATH_MS);
      await takeFunctions(service);
      ({ status } = await send(next));
      await pause(AFTERMATH_MS);
      const ran = await takeFunctions(service);
      if (sample >= 0) samples.push(ran);
      request = `${next.method} ${next.path}`;
    }
    return {
      operationId: operation.id,
      request,
      status,
      files: sourceFiles(commonFunctions(samples)),
    };
  } finally {
    client.close();
  }
}

/** Returns the functions that ran since the last call. */
async function takeFunctions(service: Service): Promise<CoveredFile[]> {
  const taken: CoveredFile[] = JSON.parse(String(await service.ask('functions')));
  return taken;
}

/** Returns the functions that ran in each sample. */
function commonFunctions([first = [], ...others]: readonly CoveredFile[][]): CoveredFile[] {
  const keys = others.map(
    (files) =>
      new Set(
        files.flatMap(({ file, functions }) => functions.map(({ offset }) => `${file} ${offset}`)),
      ),
  );
  return first.flatMap(({ file, functions }) => {
    const ran = functions.filter(({ offset }) => keys.every((has) => has.has(`${file} ${offset}`)));
    return ran.length === 0 ? [] : { file, functions: ran };
  });
}

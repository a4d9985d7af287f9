import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { Client } from '../../testkit/http/client.js';
import { type Operation, operations } from '../../testkit/openapi/document.js';
import { type ExampleRequest, makeTable } from '../../testkit/openapi/example-requests.js';
import { root } from '../../testkit/root.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { ENOUGH, makeKey } from '../../testkit/store/keys.js';
import { openChatServer } from '../mock/chat-server.js';
import { loadExamples } from '../mock/load-examples.js';
import type { CoveredFile } from './coverage.js';
import { type Names, repeatableRequest } from './repeatable-request.js';

/** The service from its separate files: `main.js` is a bundle. */
const RUN = fileURLToPath(new URL('dist/server/run.js', root));
const COVERAGE = new URL('dist/tools/way/coverage.js', root);

/** The rounds that are recorded, after one in which what is loaded, compiled or cached on demand gets there. */
const ROUNDS = 4;
/** The requests of a round. A function that is called less often is not part of each: a timer may have called it. */
const REQUESTS = 5;

/** A source file, and its functions that ran, in their order in it. */
export interface RanFile {
  /** Relative to the root of the project, such as `server/app.ts`. */
  readonly file: string;
  readonly functions: readonly {
    /** Empty for a function without a name. */
    readonly name: string;
    readonly line: number;
  }[];
}

/** The code that one request runs on the main thread. */
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
      const made = await loadExamples(service.url, { headers, completeTable: makeTable });
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
    const rounds: CoveredFile[][] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const requests: ExampleRequest[] = [];
      while (requests.length < REQUESTS) {
        requests.push(await repeatableRequest(operation, names, create));
      }
      await takeFunctions(service);
      for (const next of requests) {
        ({ status } = await send(next));
        request = `${next.method} ${next.path}`;
      }
      const called = await takeFunctions(service);
      if (round > 0) rounds.push(called);
    }
    const files = sourceFiles(calledInEach(rounds));
    return { operationId: operation.id, request, status, files };
  } finally {
    client.close();
  }
}

/** Returns the functions that were called since the last time. */
async function takeFunctions(service: Service): Promise<CoveredFile[]> {
  const taken: CoveredFile[] = JSON.parse(String(await service.ask('functions')));
  return taken;
}

/** Returns the functions that each request of each round has called. */
function calledInEach(rounds: readonly CoveredFile[][]): CoveredFile[] {
  const perRound = rounds.map((files) => {
    const often = files.flatMap(({ file, functions }) =>
      functions.filter(({ count }) => count >= REQUESTS).map(({ offset }) => `${file}:${offset}`),
    );
    return new Set(often);
  });
  return (rounds[0] ?? []).flatMap(({ file, functions }) => {
    const called = functions.filter(({ offset }) => perRound.every((often) => often.has(`${file}:${offset}`)));
    return called.length === 0 ? [] : { file, functions: called };
  });
}

/** The rooms of the server, as `server/README.md` lists them: in the order of a request. */
const ROOMS = readFileSync(new URL('server/README.md', root), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+\/)`/g)].map(([, room = '']) => `server/${room}`));

/** Returns the sources of compiled files, in the order of the pipeline. */
function sourceFiles(covered: readonly CoveredFile[]): RanFile[] {
  return covered
    .map(sourceFile)
    .sort(
      (a, b) =>
        findStep(a) - findStep(b) || dirname(a.file).localeCompare(dirname(b.file)) || a.file.localeCompare(b.file),
    );
}

/** Returns the place of a file's room; files beside the rooms come first, and other folders, such as `contract/`, last. */
function findStep({ file }: RanFile): number {
  return file.startsWith('server/') ? ROOMS.findIndex((room) => file.startsWith(room)) : ROOMS.length;
}

function sourceFile({ file, functions }: CoveredFile): RanFile {
  const compiled = new URL(file, root);
  const code = readFileSync(compiled, 'utf8');
  const payload: SourceMapPayload = JSON.parse(readFileSync(`${fileURLToPath(compiled)}.map`, 'utf8'));
  const map = new SourceMap(payload);
  const lineAt = (offset: number) => {
    const before = code.slice(0, offset).split('\n');
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
    return 'originalLine' in entry ? entry.originalLine + 1 : 0;
  };
  return {
    file: new URL(payload.sources[0] ?? '', compiled).href.slice(root.href.length),
    functions: functions.map(({ name, offset }) => ({ name, line: lineAt(offset) })),
  };
}

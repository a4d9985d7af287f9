/** The methods of the protocol, by the era of the revision. */

import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { META, WITH_INITIALIZE } from '../agents/mcp/wire.js';
import { METHOD_NOT_FOUND } from '../api/reply/json-rpc.js';
import { MAX_COMPLETIONS } from './completion.js';
import { CALL, INITIALIZE, READ, REVISIONS } from './revision.js';
import { type CallContext, type Completable, invalidParams, type McpServer, type Result, RpcError } from './server.js';

type Run = (server: McpServer, params: JsonRecord, context: CallContext) => Result | Promise<Result>;

const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** The time in milliseconds that clients may keep a list: its content changes with every training. */
const TTL_MS = 60_000;

/** The lists and reads of all revisions, which clients may keep. */
const KEPT: readonly (readonly [string, Run])[] = [
  ['tools/list', (server, params) => ofOnePage(params, () => server.listTools())],
  ['resources/list', (server, params) => server.listResources(readCursor(params))],
  ['resources/templates/list', (server) => server.listResourceTemplates()],
  [READ, (server, params) => server.readResource(readText(params, 'uri'))],
  ['prompts/list', (server, params) => ofOnePage(params, () => server.listPrompts())],
];

/** Methods whose answers clients must not keep. */
const DONE_ANEW: readonly (readonly [string, Run])[] = [
  [CALL, (server, params, context) => server.callTool(readText(params, 'name'), params['arguments'] ?? {}, context)],
  ['prompts/get', (server, params) => server.getPrompt(readText(params, 'name'), asRecord(params['arguments'] ?? {}))],
  ['completion/complete', async (server, params) => writeCompletion(await server.complete(readCompletable(params)))],
];

const METHODS: ReadonlyMap<string, Run> = new Map([
  ...KEPT,
  ...DONE_ANEW,
  [
    INITIALIZE,
    ({ version, instructions }, { protocolVersion }) => ({
      protocolVersion: WITH_INITIALIZE.find((revision) => revision === protocolVersion) ?? WITH_INITIALIZE[0],
      capabilities: CAPABILITIES,
      serverInfo: identify(version),
      instructions,
    }),
  ],
  ['ping', () => ({})],
]);

const STATELESS_METHODS: ReadonlyMap<string, Run> = new Map([
  ...KEPT.map(([name, run]): [string, Run] => [name, keepable(run)]),
  ...DONE_ANEW,
  [
    'server/discover',
    keepable(({ instructions }) => ({ supportedVersions: [...REVISIONS], capabilities: CAPABILITIES, instructions })),
  ],
]);

/** Why the service does not have methods that hosts may ask for. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'resources/subscribe': 'resources cannot be subscribed to, as nothing is kept between two messages; read them again.',
  'resources/unsubscribe': 'there are no subscriptions to end.',
  'subscriptions/listen': `there is nothing to listen to, as nothing is kept between two messages; lists may be kept for ${TTL_MS / 1000} s.`,
  'logging/setLevel': 'nothing is logged to clients.',
};

/** @throws {RpcError} if the revision has no such method */
export function findMethod(name: string, isStateless: boolean): Run {
  const methods = isStateless ? STATELESS_METHODS : METHODS;
  const run = methods.get(name);
  if (run) return run;
  const known = `there are ${[...methods.keys()].join(', ')}.`;
  const advice = Object.hasOwn(LEFT_OUT, name) ? LEFT_OUT[name] : known;
  throw new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(name)}; ${advice}`, 404);
}

/** Adds the time for which clients may keep the result of a method. Each depends on the key. */
function keepable(run: Run): Run {
  return async (server, params, context) => ({
    ...(await run(server, params, context)),
    ttlMs: TTL_MS,
    cacheScope: 'private',
  });
}

/** Adds what a result of revision 2026-07-28 says about itself and the server. */
export function describeItself(result: Result, { version }: McpServer): Result {
  const _meta = { [`${META}serverInfo`]: identify(version) };
  return { resultType: 'complete', ...result, _meta };
}

function identify(version: string) {
  return { name: 'roster', title: 'Roster', version };
}

function ofOnePage(params: JsonRecord, list: () => Promise<Result>): Promise<Result> {
  if (readCursor(params) !== undefined) throw invalidParams('The cursor is none of this list.');
  return list();
}

function readCursor(params: JsonRecord): string | undefined {
  return (params['cursor'] ?? undefined) === undefined ? undefined : readText(params, 'cursor');
}

function readText(params: JsonRecord, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw invalidParams(`The params must have a text "${name}".`);
}

/** @throws {RpcError} if it names no prompt and no template, or no argument with its text */
function readCompletable(params: JsonRecord): Completable {
  const ref = asRecord(params['ref']);
  const { name: argument, value } = asRecord(params['argument']);
  if (typeof argument !== 'string' || typeof value !== 'string') {
    throw invalidParams('The params must have an "argument" with the texts "name" and "value".');
  }
  const known = asRecord(asRecord(params['context'])['arguments']);
  const type = ref['type'];
  if (type === 'ref/prompt') return { of: { prompt: readText(ref, 'name') }, argument, value, known };
  if (type === 'ref/resource') return { of: { uriTemplate: readText(ref, 'uri') }, argument, value, known };
  throw invalidParams('The params must have a "ref" with the type "ref/prompt" or "ref/resource".');
}

function writeCompletion(values: readonly string[]): Result {
  const sent = values.slice(0, MAX_COMPLETIONS);
  return { completion: { values: sent, hasMore: values.length > sent.length } };
}

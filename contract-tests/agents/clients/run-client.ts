/** Runs clients of OpenAI's API as their packages are, and reads what they sent. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { calls, says } from '../../../testkit/chat/reply.js';
import type { ChatScript } from '../../../testkit/chat/scripted-chat-server.js';
import { root } from '../../../testkit/root.js';
import type { AgentService } from '../agent-service.js';

/** The features of each client, in a module of its name. */
export const CLIENTS = ['openai', 'ai', 'langchain', 'agents'] as const;

/** The folders in `tools/on-demand/` that have the packages, of today and of November 2025. */
export const AGES = ['openai-clients', 'openai-clients-older'] as const;

/** A request of a client. The last one of a feature has the longest history. */
export interface SentRequest {
  readonly feature: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Record<string, unknown>;
}

interface Line extends SentRequest {
  readonly status?: number;
  readonly error?: string;
  readonly failure?: string;
  /** The client's value of an answer in a form. */
  readonly value?: unknown;
}

/** The values of the form that clients ask for. */
export const FILLED = { price: 2700, currency: 'USD' };

/**
 * Uses the agent's model for a price, calls the client's tool for the stock, fills in a form or the tool that is one,
 * and else says a number.
 */
export const ASSISTING: ChatScript = ({ body: { messages, tool_choice: forced } }) => {
  const last = messages.at(-1);
  const asked = last?.role === 'user' ? `${last.content}` : '';
  if (typeof forced === 'object') return calls({ name: forced.function.name, arguments: FILLED });
  if (/form/.test(asked)) return says('{"price":2700,', '"currency":"USD"}');
  if (/stock/.test(asked)) return calls({ name: 'stock', arguments: { carat: 0.7 } });
  if (/cost/.test(asked)) return calls({ name: 'prices', arguments: { carat: 0.7 } });
  return says('About ', '2,700.');
};

/** Creates the agent that all clients ask, with a model for prices. */
export async function createJeweller(service: AgentService): Promise<void> {
  await service.trainPrices();
  await service.create('skill', { name: 'prices', type: 'model', params: { model: 'prices' } });
  await service.create('agent', { name: 'jeweller', skills: ['prices'] });
}

/**
 * Runs all features of a client.
 * @param age a folder of packages in `tools/on-demand/`
 * @returns the last request of each feature, what failed, and what each structured feature read
 */
export async function runClient(
  client: string,
  age: string,
  service: AgentService,
): Promise<{ requests: SentRequest[]; failures: string[]; filled: Map<string, unknown> }> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-client-'));
  try {
    await cp(fileURLToPath(new URL('.', import.meta.url)), folder, { recursive: true });
    await symlink(fileURLToPath(new URL(`tools/on-demand/${age}/node_modules`, root)), join(folder, 'node_modules'));
    const env = { ...process.env, ROSTER_KEY: service.key, ROSTER_URL: `${service.server.url}/v1` };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [join(folder, `${client}.mjs`)], { env, maxBuffer: 2 ** 26 });
    const lines: Line[] = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    const last = new Map<string, SentRequest>();
    for (const { feature, method, path, body } of lines) {
      if (path !== undefined) last.set(feature, { feature, method, path, ...(body && { body }) });
    }
    const failures = lines.flatMap(({ feature, failure, error }) => {
      const why = failure ?? error;
      return why === undefined ? [] : [`${feature}: ${why}`];
    });
    const filled = lines.filter(({ feature, value }) => feature.startsWith('structured') && value !== undefined);
    return {
      requests: [...last.values()].map(withSameIds),
      failures,
      filled: new Map(filled.map(({ feature, value }) => [feature, value])),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Replaces the identifiers of the service, which differ in each run. */
function withSameIds(request: SentRequest): SentRequest {
  const text = JSON.stringify(request);
  const same = text.replace(/\b(resp|msg|fc|tool)_[0-9a-f]{32}/g, `$1_${'0'.repeat(32)}`);
  return JSON.parse(same.replace(/"milliseconds":\d+/g, '"milliseconds":1'));
}

/** The file of the requests of a client, a line each. */
export function recordedFile(client: string, age: string): URL {
  return new URL(`recorded/${client}${age === AGES[0] ? '' : '-older'}.jsonl`, import.meta.url);
}

export function writeRecorded(requests: readonly SentRequest[]): string {
  return requests.map((request) => `${JSON.stringify(request)}\n`).join('');
}

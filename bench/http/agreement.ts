import { isDeepStrictEqual } from 'node:util';
import { Client } from '../../testkit/http/client.js';
import { type Contender, has } from './contenders.js';
import { createSkill, getSkill, listSkills, type Operation, updateAgent } from './operations.js';
import type { Running } from './running.js';

/**
 * Verifies that all servers with a store do the same work: they give the same answers.
 * @throws naming the operation and the two servers that differ
 */
export async function assertSameAnswers(
  servers: readonly (readonly [Contender, Running])[],
  key: string,
): Promise<void> {
  for (const operation of [getSkill, listSkills, createSkill, updateAgent]) {
    const answers: (readonly [string, unknown])[] = [];
    for (const [contender, { url }] of servers) {
      if (!has(contender, operation)) continue;
      answers.push([contender.name, await answer(url, operation, key)]);
    }
    const [first, ...others] = answers;
    for (const other of others) {
      if (isDeepStrictEqual(first?.[1], other[1])) continue;
      const both = [first, other].map((one) => JSON.stringify(one)).join(' and ');
      throw new Error(`${operation.name} is answered in two ways: ${both}`);
    }
  }
}

async function answer(url: string, operation: Operation, key: string): Promise<unknown> {
  const client = new Client();
  const { name, method, path, body, statuses } = operation;
  const sent: unknown = body && JSON.parse(body.replaceAll('[<id>]', 'probe'));
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await client.send(method, url + path, sent, headers);
  client.close();
  if (statuses.includes(answer.status)) return lasting(answer.body);
  throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Returns a resource without its timestamps. */
function lasting(resource: unknown): unknown {
  return JSON.parse(JSON.stringify(resource), (field, value) =>
    WRITTEN.has(field) ? null : value,
  );
}

const WRITTEN = new Set(['id', 'created_at', 'updated_at']);

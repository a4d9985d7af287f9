/** Checks that a created resource is at its address until it is deleted. */
import { isDeepStrictEqual } from 'node:util';
import { recordOf } from '../../../testkit/json.js';
import { sentValue, targetOf } from '../case.js';
import type { Exchange } from '../fixture.js';
import { type Link, pathOfLink } from '../kinds.js';
import { onlyKey } from '../requests.js';
import { KEPT } from '../values/edge-values.js';

/**
 * Returns whether the answer is that of an earlier request with the same `Idempotency-Key`, whose resource may be gone.
 */
export function isReplay({ made, answer, fixture }: Exchange): boolean {
  const key = sentValue(made, 'header', 'Idempotency-Key');
  return key !== undefined && !fixture.isNew(String(key), recordOf(answer.json)['id']);
}

/** Checks the promises about a created resource, and deletes it. Returns those that are broken. */
export async function afterCreation(exchange: Exchange, links: readonly Link[]): Promise<string[]> {
  const { made, filled, answer, fixture, request } = exchange;
  const body = recordOf(answer.json);
  const key = sentValue(made, 'header', 'Idempotency-Key');
  const faults: string[] = [];
  if (key !== undefined) {
    const again = await fixture.send(request, made.operationId);
    if (again.status !== answer.status || again.text !== answer.text) {
      faults.push(
        `the same request again, with its Idempotency-Key, was answered with ${again.status}`,
      );
    }
  }
  const location = answer.headers.get('Location') ?? '';
  const reading = links.find(({ target }) => target.method === 'GET');
  const shown = await fixture.send(
    {
      ...request,
      method: 'GET',
      path: location,
      headers: onlyKey(request.headers),
      body: undefined,
    },
    reading?.target.id ?? 'Location',
  );
  // The text of a document is read, and its facts are listed.
  const isText = reading?.target.produces.every((type) => type !== 'application/json');
  if (shown.status !== 200 || (!isText && recordOf(shown.json)['id'] !== body['id'])) {
    faults.push(`what was created is not at its Location ${location}: ${shown.status}`);
  }
  if (answer.status === 201 && !isText && !isDeepStrictEqual(shown.json, answer.json)) {
    faults.push('what was created is shown otherwise than when it was created');
  }
  fixture.forget(targetOf(made));
  // The permanent resource was trained again; it stays.
  if (Object.values(filled.path).includes(KEPT)) return faults;
  return [...faults, ...(await walk(exchange, links))];
}

/** Follows the links of a created resource: they lead to it until it is deleted, and then to 404. */
async function walk(
  { fixture, answer, filled }: Exchange,
  links: readonly Link[],
): Promise<string[]> {
  const faults: string[] = [];
  const ask = async (link: Link, ...expected: number[]) => {
    const path = pathOfLink(link, filled.path, answer.json);
    const { status, text } = await fixture.call(link.target, path, bodyOf(link));
    if (!expected.includes(status)) {
      faults.push(
        `the link ${link.target.id} of what was created: ${status} ${text.slice(0, 300)}`,
      );
    }
  };
  const reading = links.filter(({ target }) => target.method === 'GET');
  const deleting = links.filter(({ target }) => target.method === 'DELETE');
  const isReady = answer.status === 201;
  for (const link of links.filter(
    ({ target }) => target.method === 'PUT' || target.method === 'POST',
  )) {
    await ask(link, 200, ...(isReady ? [] : [409]));
  }
  for (const link of reading) await ask(link, 200);
  for (const link of deleting) await ask(link, 204);
  for (const link of [...reading, ...deleting]) await ask(link, 404);
  return faults;
}

function bodyOf({ target }: Link): unknown {
  if (target.method === 'POST') return [];
  const wrapper = target.bodies[0]?.[1].entries('required')[0]?.[1].value;
  return { [String(wrapper)]: {} };
}

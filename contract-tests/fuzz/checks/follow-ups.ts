/**
 * Checks the state after an answer: created resources exist, refused requests changed nothing, deleted
 * resources are gone.
 */
import { isDeepStrictEqual } from 'node:util';
import { recordOf } from '../../../testkit/json.js';
import { targetOf } from '../case.js';
import type { Exchange } from '../fixture.js';
import { kinds, kindsWithin, pathOfLink } from '../kinds.js';
import { pathParametersOf } from '../operations.js';
import { onlyKey } from '../requests.js';
import { afterCreation, isReplay } from './after-creation.js';

/** Returns the violations of the promises about the state after an answer. */
export async function faultsAfter(exchange: Exchange): Promise<string[]> {
  const { made, answer, fixture } = exchange;
  const target = targetOf(made);
  if (made.method !== target.method || made.key !== 'own') return [];
  if (answer.status >= 400) return afterRefusal(exchange);
  if (target.method === 'GET') return afterReading(exchange);
  if (target.method === 'DELETE') {
    fixture.forget(target);
    return afterDeletion(exchange);
  }
  const links = kinds.find(({ creator }) => creator === target)?.links;
  const isNew = answer.status === 201 || answer.status === 202;
  if (links !== undefined && isNew) return isReplay(exchange) ? [] : afterCreation(exchange, links);
  if (target.method === 'PUT') return afterChange(exchange);
  return [];
}

/**
 * Checks that a changed resource is shown as the change answered, under its new name. Deletes it afterwards.
 */
async function afterChange(exchange: Exchange): Promise<string[]> {
  const { filled, answer, fixture, made } = exchange;
  const target = targetOf(made);
  const kind = kindsWithin(target).at(-1);
  fixture.forget(target);
  if (kind === undefined) return [];
  const faults: string[] = [];
  for (const method of ['GET', 'DELETE']) {
    const link = kind.links.find((candidate) => candidate.target.method === method);
    if (link === undefined) continue;
    const found = await fixture.call(link.target, pathOfLink(link, filled.path, answer.json));
    if (found.status >= 300) faults.push(`${link.target.id} after the change: ${found.status}`);
    const isText = !link.target.produces.includes('application/json');
    if (method === 'GET' && !isText && !isDeepStrictEqual(found.json, answer.json)) {
      faults.push('what was changed is shown otherwise than the change answered');
    }
  }
  return faults;
}

async function afterDeletion({ request, made, fixture }: Exchange): Promise<string[]> {
  const again = await fixture.send(
    { ...request, headers: onlyKey(request.headers) },
    made.operationId,
  );
  return again.status === 404 ? [] : [`deleted a second time: ${again.status}, not 404`];
}

/** Checks that a refused change has changed nothing: the resource still exists, under its name. */
async function afterRefusal({ made, filled, fixture }: Exchange): Promise<string[]> {
  const target = targetOf(made);
  const spare = fixture.spareOf(target);
  const name = pathParametersOf(target).at(-1) ?? '';
  if (
    !['PUT', 'DELETE'].includes(target.method) ||
    spare === undefined ||
    filled.path[name] !== spare.name
  )
    return [];
  const kind = kindsWithin(target).at(-1);
  const link = kind?.links.find((candidate) => candidate.target.method === 'GET');
  if (link === undefined || !filled.isThere) return [];
  const names = pathParametersOf(link.target);
  const values = Object.values(filled.path);
  const found = await fixture.call(
    link.target,
    Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])),
  );
  if (found.status !== 200) {
    fixture.forget(target);
    return [`after a refusal, the resource is not there: ${found.status}`];
  }
  if (!link.target.produces.includes('application/json')) return [];
  const { id, version } = recordOf(found.json);
  if (id === spare.id && (version ?? 1) === 1) return [];
  return ['after a refusal, the resource is another one'];
}

/** Checks that a caller with the current tag gets 304. */
async function afterReading({ request, answer, made, fixture }: Exchange): Promise<string[]> {
  const tag = answer.headers.get('ETag');
  if (tag === null || answer.status !== 200) return [];
  const headers = { ...onlyKey(request.headers), 'If-None-Match': tag };
  const again = await fixture.send({ ...request, headers }, made.operationId);
  return again.status === 304
    ? []
    : [`with its own ETag as If-None-Match: ${again.status}, not 304`];
}

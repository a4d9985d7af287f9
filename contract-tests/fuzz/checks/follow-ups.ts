/**
 * Checks the state after an answer: created resources exist, refused requests changed nothing, deleted
 * resources are gone.
 */
import { isDeepStrictEqual } from 'node:util';
import { asRecord } from '../../../contract/json-record.js';
import { findTarget, onlyKey, sentValue } from '../case.js';
import type { Exchange } from '../fixture.js';
import { kindAt, kinds, type Link, linksBy, pathOfLink } from '../kinds.js';
import { isChange, listPathParameters } from '../operations.js';
import { KEPT } from '../values/edge-values.js';

/** Returns the violations of the promises about the state after an answer. */
export async function faultsAfter(exchange: Exchange): Promise<string[]> {
  const { made, answer, fixture } = exchange;
  const target = findTarget(made);
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
 * Returns whether the answer is that of an earlier request with the same `Idempotency-Key`, whose resource may be gone.
 */
function isReplay({ made, answer, fixture }: Exchange): boolean {
  const key = sentValue(made, 'header', 'Idempotency-Key');
  return key !== undefined && !fixture.isNew(String(key), asRecord(answer.json)['id']);
}

/** The secret of a key is shown once, and another one to who repeats the request. */
function withoutSecret(json: string): string {
  return json.replace(/,"secret":"[^"]*"/, '');
}

/** Checks the promises about a created resource, and deletes it. Returns those that are broken. */
async function afterCreation(exchange: Exchange, links: readonly Link[]): Promise<string[]> {
  const { made, filled, answer, fixture, request } = exchange;
  const body = asRecord(answer.json);
  const key = sentValue(made, 'header', 'Idempotency-Key');
  const faults: string[] = [];
  if (key !== undefined) {
    const again = await fixture.send(request, made.operationId);
    if (again.status !== answer.status || withoutSecret(again.text) !== withoutSecret(answer.text)) {
      faults.push(`the same request again, with its Idempotency-Key, was answered with ${again.status}`);
    }
  }
  const location = answer.headers.get('Location') ?? '';
  const [reading] = linksBy(links, 'GET');
  const headers = onlyKey(request.headers);
  const shown = await fixture.send(
    { ...request, method: 'GET', path: location, headers, body: undefined },
    reading?.target.id ?? 'Location',
  );
  const isText = reading !== undefined && readsText(reading);
  if (shown.status !== 200 || (!isText && asRecord(shown.json)['id'] !== body['id'])) {
    faults.push(`what was created is not at its Location ${location}: ${shown.status}`);
  }
  if (answer.status === 201 && !isText && shown.text !== withoutSecret(answer.text)) {
    faults.push('what was created is shown otherwise than when it was created');
  }
  fixture.forget(findTarget(made));
  // The permanent resource was trained again; it stays.
  if (Object.values(filled.path).includes(KEPT)) return faults;
  return [...faults, ...(await walk(exchange, links))];
}

/** Follows the links of a created resource: they lead to it until it is deleted, and then to 404. */
async function walk({ fixture, answer, filled }: Exchange, links: readonly Link[]): Promise<string[]> {
  const faults: string[] = [];
  const ask = async (link: Link, ...expected: number[]) => {
    const path = pathOfLink(link, filled.path, answer.json);
    const { status, text } = await fixture.call(link.target, path, makeBody(link));
    if (!expected.includes(status)) {
      faults.push(`the link ${link.target.id} of what was created: ${status} ${text.slice(0, 300)}`);
    }
  };
  const reading = linksBy(links, 'GET');
  const deleting = linksBy(links, 'DELETE');
  const isReady = answer.status === 201;
  for (const link of linksBy(links, 'PUT', 'POST')) await ask(link, 200, ...(isReady ? [] : [409]));
  for (const link of reading) await ask(link, 200);
  for (const link of deleting) await ask(link, 204);
  for (const link of [...reading, ...deleting]) await ask(link, 404);
  return faults;
}

function makeBody({ target }: Link): unknown {
  if (target.method === 'POST') return [];
  const wrapper = target.bodies[0]?.[1].entries('required')[0]?.[1].value;
  return { [String(wrapper)]: {} };
}

/**
 * Checks that a changed resource is shown as the change answered, under its new name. Deletes it afterwards.
 */
async function afterChange(exchange: Exchange): Promise<string[]> {
  const { filled, answer, fixture, made } = exchange;
  const target = findTarget(made);
  const kind = kindAt(target);
  fixture.forget(target);
  // A manifest changes what is in a project, and not the project.
  if (target.id === 'applyManifest') return [];
  if (kind === undefined) return [];
  const faults: string[] = [];
  const [reading, deleting] = [linksBy(kind.links, 'GET')[0], linksBy(kind.links, 'DELETE')[0]];
  for (const link of [reading, deleting]) {
    if (link === undefined) continue;
    const found = await fixture.call(link.target, pathOfLink(link, filled.path, answer.json));
    if (found.status >= 300) faults.push(`${link.target.id} after the change: ${found.status}`);
    if (link !== reading || readsText(link)) continue;
    // A model that is trained meanwhile shows its progress.
    const isTraining = asRecord(answer.json)['status'] === 'training';
    if (!isTraining && !isDeepStrictEqual(found.json, answer.json)) {
      faults.push('what was changed is shown otherwise than the change answered');
    }
  }
  return faults;
}

async function afterDeletion({ request, made, fixture }: Exchange): Promise<string[]> {
  const again = await fixture.send({ ...request, headers: onlyKey(request.headers) }, made.operationId);
  // A training that has ended stays as it is.
  const wanted = made.operationId === 'cancelTraining' ? 200 : 404;
  return again.status === wanted ? [] : [`deleted a second time: ${again.status}, not ${wanted}`];
}

/** Checks that a refused change has changed nothing: the resource still exists, under its name. */
async function afterRefusal({ made, filled, fixture }: Exchange): Promise<string[]> {
  const target = findTarget(made);
  const spare = fixture.findSpare(target);
  const name = listPathParameters(target).at(-1) ?? '';
  if (!isChange(target) || spare === undefined || filled.path[name] !== spare.name) return [];
  const kind = kindAt(target);
  const [link] = linksBy(kind?.links ?? [], 'GET');
  if (link === undefined || !filled.isThere) return [];
  const names = listPathParameters(link.target);
  const values = Object.values(filled.path);
  const found = await fixture.call(link.target, Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])));
  if (found.status !== 200) {
    fixture.forget(target);
    return [`after a refusal, the resource is not there: ${found.status}`];
  }
  if (readsText(link)) return [];
  const { id, version } = asRecord(found.json);
  if (id === spare.id && (version ?? 1) === 1) return [];
  return ['after a refusal, the resource is another one'];
}

/** Checks that a caller with the current tag gets 304. */
async function afterReading({ request, answer, made, fixture }: Exchange): Promise<string[]> {
  const tag = answer.headers.get('ETag');
  if (tag === null || answer.status !== 200) return [];
  const headers = { ...onlyKey(request.headers), 'If-None-Match': tag };
  const again = await fixture.send({ ...request, headers }, made.operationId);
  return again.status === 304 ? [] : [`with its own ETag as If-None-Match: ${again.status}, not 304`];
}

/** Returns whether a link leads to a text: that of a document is read, and its facts are listed. */
function readsText({ target }: Link): boolean {
  return !target.produces.includes('application/json');
}

import { setTimeout as pause } from 'node:timers/promises';
import { asRecord } from '../../contract/json-record.js';
import { Client } from '../../testkit/http/client.js';
import type { Keys } from '../../testkit/store/keys.js';
import {
  bodyNamed,
  type Case,
  FIRST_VERSION,
  type Filled,
  findTarget,
  type KeyName,
  PLACEHOLDERS,
  type Sent,
  sentValue,
  simpleCase,
  writeRequest,
} from './case.js';
import type { Tally } from './findings.js';
import { type Answer, answerTo, type HttpRequest } from './http.js';
import { type Kind, kindAt, kinds, kindsWithin } from './kinds.js';
import { isChange, isFoundById, listPathParameters, type Target } from './operations.js';
import { KEPT } from './values/edge-values.js';

export interface Resource {
  name: string;
  id: string;
}

/** The timeout of an answer, in milliseconds. */
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * The resources that exist during a run: a project with one permanent resource of each kind, an empty project,
 * and for each change a spare resource. Its owner has no other fixture.
 */
export class Fixture {
  readonly #kept = new Map<Kind, Resource>();
  readonly #spares = new Map<Kind, Resource>();
  readonly #created = new Set<string>();
  readonly #sentKeys = new Map<string, number>();
  /** The addresses under which a request has put something. */
  readonly #put = new Set<string>();
  /** Those of them that a later request has deleted. */
  readonly #deleted = new Set<string>();
  readonly #client = new Client({ deadline: ANSWER_TIMEOUT_MS });
  #made = 0;
  project = '';
  other = '';

  /** @param name prefix of the names of its projects, different from that of other fixtures */
  constructor(
    readonly url: string,
    readonly keys: Keys,
    readonly tally: Tally,
    private readonly name: string,
  ) {}

  /** Creates the permanent resources. */
  async prepare(): Promise<void> {
    for (const kind of kinds) {
      const { creator } = kind;
      const isRoot = listPathParameters(creator).length === 0;
      // Made by another operation already.
      const known = [...this.#kept.keys()].flatMap(({ links }) => links);
      if (kind.links.some(({ target }) => known.some((link) => link.target === target))) continue;
      const name = isRoot ? `${this.name}-kept` : KEPT;
      this.#kept.set(kind, await this.#create(kind, name));
      if (!isRoot) continue;
      this.project = name;
      this.other = (await this.#create(kind, `${this.name}-other`)).name;
    }
    for (const [{ links }, { name }] of this.#kept) {
      if (links[0] !== undefined) await this.#settle(links[0].target, name);
    }
  }

  /** Replaces the placeholders of a case with names and identifiers. Creates missing spare resources. */
  async fill(made: Case): Promise<Filled> {
    const target = findTarget(made);
    const names = listPathParameters(target);
    const ofAddress = kindsWithin(target);
    const path: Record<string, string> = {};
    let isThere = true;
    let isProjectThere = true;
    for (const [at, name] of names.entries()) {
      const asked = String(sentValue(made, 'path', name));
      const kind = ofAddress[at];
      const resource = await this.#resolve({ asked, name }, kind, target);
      isThere &&= resource !== undefined && (at === 0 || path[names[0] ?? ''] === this.project);
      if (at === 0) isProjectThere = resource !== undefined;
      // An identifier of what is found only by name leads to nothing.
      const kept = kind && this.#kept.get(kind);
      path[name] = resource ?? (asked === PLACEHOLDERS.keptId ? kept?.id : asked) ?? asked;
    }
    return { path, isThere, isProjectThere, authorization: this.#authorize(made.key) };
  }

  async send(request: HttpRequest, operationId: string): Promise<Answer> {
    const answer = await answerTo(this.#client, this.url, request);
    this.tally.count(operationId, answer.status);
    if (answer.status < 300) this.#notePut(request);
    return answer;
  }

  /** Returns the address of a resource, of which a request may have another form. */
  #readAddress({ path }: HttpRequest): string {
    // The same resource is there with and without the prefix, and with a slash at the end.
    const address = path
      .replace(/\?.*/s, '')
      .replace(/^\/api(?=\/)/, '')
      .replace(/\/$/, '');
    // It is found by the identifiers of the permanent resources, too.
    return [...this.#kept.values()].reduce((text, { id, name }) => text.replaceAll(`/${id}`, `/${name}`), address);
  }

  /** Returns whether an earlier request has put something under the address of this one, which may have deleted it. */
  wasPut(request: HttpRequest): boolean {
    const address = this.#readAddress(request);
    return this.#put.has(address) || (request.method === 'DELETE' && this.#deleted.has(address));
  }

  #notePut(request: HttpRequest): void {
    const address = this.#readAddress(request);
    if (request.method === 'PUT') this.#put.add(address);
    if (request.method === 'DELETE' && this.#put.delete(address)) this.#deleted.add(address);
  }

  /** Sends a valid request to an operation. */
  call(target: Target, path: Record<string, string>, body?: unknown): Promise<Answer> {
    return this.send(this.requestTo(target, path, body), target.id);
  }

  requestTo(target: Target, path: Record<string, string>, body?: unknown, query?: readonly Sent[]): HttpRequest {
    const authorization = this.#authorize('own');
    return writeRequest(simpleCase(target, body, query), { path, authorization });
  }

  /** Drops the spare resource that was changed or deleted; the next change gets a new one. */
  forget(target: Target): void {
    const kind = kindAt(target);
    if (kind !== undefined) this.#spares.delete(kind);
  }

  findSpare(target: Target): Resource | undefined {
    const kind = kindAt(target);
    return kind && this.#spares.get(kind);
  }

  close(): void {
    this.#client.close();
  }

  async #resolve(
    { asked, name }: { asked: string; name: string },
    kind: Kind | undefined,
    target: Target,
  ): Promise<string | undefined> {
    if (kind === undefined) {
      return name === 'version' && asked === FIRST_VERSION ? asked : undefined;
    }
    // It may delete all that a project has.
    const isPruned = target.id === 'applyManifest' && asked === PLACEHOLDERS.project;
    if (asked === PLACEHOLDERS.project && !isPruned) return this.project;
    if (asked === PLACEHOLDERS.other) return this.other;
    const kept = this.#kept.get(kind);
    if (asked === PLACEHOLDERS.keptId) return isFoundById(target, name) ? kept?.id : undefined;
    const innermost = kindsWithin(target).findLast((one) => one !== undefined);
    const isChanged = isChange(target) && innermost === kind;
    if (asked === PLACEHOLDERS.spare || isPruned || (asked === KEPT && isChanged)) {
      const spare = this.#spares.get(kind) ?? (await this.#create(kind, this.freshName()));
      this.#spares.set(kind, spare);
      return spare.name;
    }
    return asked === KEPT || asked === kept?.name ? kept?.name : undefined;
  }

  /** Counts the requests with a key, under which nothing may be created twice. */
  noteIdempotencyKey(key: string | undefined): void {
    if (key !== undefined) this.#sentKeys.set(key, this.timesSent(key) + 1);
  }

  /** Returns whether an identifier is returned for the first time under a key. */
  isNew(key: string, id: unknown): boolean {
    const created = `${key} ${id}`;
    const isNew = !this.#created.has(created);
    this.#created.add(created);
    return isNew;
  }

  timesSent(key: string): number {
    return this.#sentKeys.get(key) ?? 0;
  }

  freshName(): string {
    this.#made += 1;
    return `${this.name}-${this.#made}`;
  }

  async #create({ creator }: Kind, name: string): Promise<Resource> {
    const path = this.#pathTo(creator, name);
    const answer = await this.call(creator, path, bodyNamed(creator, name));
    if (answer.status >= 300) throw new Error(`${creator.id}: ${answer.status} ${answer.text}`);
    const { id, name: own } = asRecord(answer.json);
    // A conversation has no name, and is found by its identifier alone.
    return { name: String(own ?? id), id: String(id) };
  }

  /**
   * Returns the parameters of an address: the project, the permanent resources within it, and a name for the
   * operation's own resource.
   */
  #pathTo(target: Target, name: string): Record<string, string> {
    const path: Record<string, string> = {};
    for (const [at, parameter] of listPathParameters(target).entries()) {
      const isOwn = target.path.endsWith(`{${parameter}}`);
      if (at === 0) path[parameter] = this.project || name;
      else path[parameter] = isOwn ? name : KEPT;
    }
    return path;
  }

  /** Waits until a training in the background has ended. */
  async #settle(target: Target, name: string): Promise<void> {
    const path = this.#pathTo(target, name);
    while (asRecord((await this.call(target, path)).json)['status'] === 'training') await pause(50);
  }

  #authorize(key: KeyName): string | undefined {
    switch (key) {
      case 'none':
        return undefined;
      case 'unknown':
        return `Bearer roster_${'a'.repeat(8)}_${'b'.repeat(32)}`;
      case 'malformed':
        return 'Basic cm9zdGVyOnJvc3Rlcg==';
      default:
        return `Bearer ${this.keys[key]}`;
    }
  }
}

export interface Exchange {
  made: Case;
  filled: Filled;
  request: HttpRequest;
  answer: Answer;
  fixture: Fixture;
}

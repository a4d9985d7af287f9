import { SCOPES, type Scope } from '../../contract/scopes.js';
import type { components } from '../../generated/openapi.js';
import type { Handlers } from '../api/handlers.js';
import { idempotent, keyReused } from '../api/idempotency.js';
import { listPage } from '../api/list-page.js';
import { checkPreconditions, conditionalGet, isConditional } from '../api/preconditions.js';
import { type Caller, isOwnerName, OWNER_FORM } from '../auth/caller.js';
import { callerEnded, missingScope } from '../auth/identify-caller.js';
import { createKey } from '../auth/secrets.js';
import { invalidRequest, problem } from '../problems/problem.js';
import type { Store } from '../store/index.js';
import {
  type ApiKey,
  findKey,
  findManagedKey,
  insertKey,
  type ListedKey,
  listManagedKeys,
  lockKeys,
  makeRoomForKey,
  type NewKey as NewRow,
  replaceKeyHash,
  revokeKey,
} from '../store/keys.js';
import { beginOwner, lockProject, lockProjectRow } from './projects.js';

type Key = components['schemas']['Key'];
type NewKey = components['schemas']['NewKey'];
type AskedKey = components['schemas']['CreateKeyBody']['key'];

/** The properties of a key that those who make it choose. */
type Chosen = Pick<ApiKey, 'name' | 'scopes' | 'limits' | 'expires_at'> & { readonly project: string | null };

/** Returns the faults that a key may not have, independently of its maker. */
export function findKeyFault(chosen: Chosen): { readonly field: keyof Chosen; readonly message: string } | undefined {
  const { name, scopes, project, limits, expires_at } = chosen;
  if (!isOwnerName(name)) return { field: 'name', message: `must be ${OWNER_FORM}` };
  if (project !== null && scopes.includes('operate')) {
    const message = 'cannot go with the scope operate, which is for all owners';
    return { field: 'project', message };
  }
  if (limits !== null && scopes.includes('keys')) {
    const message = 'cannot go with the scope keys, since several keys could use more than the limit of one';
    return { field: 'limits', message };
  }
  if (expires_at !== null && !(Date.parse(expires_at) > Date.now())) {
    return { field: 'expires_at', message: 'must be a time that has not passed' };
  }
  return undefined;
}

/**
 * Keeps a new key, in a transaction. Its owner begins with it, unless there is one by that name.
 * @param project the name of the only project that the key is for
 * @throws if the owner has no such project; {ProblemError} if the owner has too many keys
 */
export function keepKey(store: Store, key: NewRow, project?: string): Promise<void> {
  return store.transaction(async (tx) => {
    await beginOwner(tx, key.owner);
    const only = project === undefined ? undefined : await lockProjectRow(tx, key.owner, project);
    if (project !== undefined && !only) {
      throw new Error(`the owner "${key.owner}" has no project "${project}"; create it first`);
    }
    await lockKeys(tx, key.owner);
    await makeRoomForKey(tx, key.owner);
    await insertKey(tx, { ...key, ...(only && { project_id: only.id }) });
  });
}

/** Returns the operations by which a caller manages the keys of its owner that can do no more than its own. */
export function keyOperations(store: Store): Pick<Handlers, 'listKeys' | 'createKey' | 'getKey' | 'deleteKey'> {
  return {
    listKeys: async ({ caller, query, base, reply }) => {
      const page = await listPage(
        `${base}/keys`,
        query,
        (part) => listManagedKeys(store, caller, part),
        ({ key }) => showKey(key),
      );
      return reply({ status: 200, ...page });
    },

    createKey: async ({ reply, ...request }) => {
      const { caller, body, base } = request;
      const chosen = readChosen(body.key);
      refuseEscalation(caller, chosen.scopes);
      const answer = await idempotent<NewKey>(
        store,
        'createKey',
        request,
        async (tx) => {
          const { text, key } = await makeKey(tx, caller, chosen);
          const shown = showKey(key);
          return {
            chunks: [JSON.stringify(shown)],
            location: `${base}/keys/${key.id}`,
            secret: [JSON.stringify({ ...shown, secret: text })],
          };
        },
        async (tx, kept) => {
          const shown: Key = JSON.parse(kept);
          const { text, hash } = createKey(shown.id);
          await lockAsMaker(tx, caller);
          if (!(await replaceKeyHash(tx, shown.id, hash))) {
            throw keyReused(
              `This Idempotency-Key made the key ${shown.id}, which was used or revoked since, and whose secret is not kept; use a new Idempotency-Key to make another.`,
            );
          }
          return [JSON.stringify({ ...shown, secret: text } satisfies NewKey)];
        },
      );
      return reply(answer);
    },

    getKey: async ({ caller, params, headers, reply }) => {
      const key = await findManagedKey(store, caller, params.key_id);
      if (!key) throw unknownKey(params.key_id);
      return reply(await conditionalGet<Key>(keyJson(key), headers));
    },

    deleteKey: ({ caller, params: { key_id: id }, headers, query, reply }) =>
      store.transaction(
        async (tx) => {
          await lockAsMaker(tx, caller);
          const key = await findManagedKey(tx, caller, id);
          if (!key) throw unknownKey(id);
          refuseEscalation(caller, key.scopes);
          if (isConditional(headers)) await checkPreconditions(headers, keyJson(key));
          if (!(await revokeKey(tx, id, query.keep_made))) throw unknownKey(id);
          return reply({ status: 204 });
        },
        { owner: caller.owner, project: '', act: caller.act },
      ),
  };
}

/** @throws {ProblemError} if no key may be so */
function readChosen({ name, scopes, project, limits, expires_at }: AskedKey): Chosen {
  const hasLimits = Object.keys(limits ?? {}).length > 0;
  const chosen = {
    name,
    project: project ?? null,
    limits: hasLimits ? (limits ?? null) : null,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    expires_at: expires_at ?? null,
  };
  const fault = findKeyFault(chosen);
  if (fault) {
    const { field, message } = fault;
    throw invalidRequest([{ pointer: `/body/key/${field}`, message }]);
  }
  const end = chosen.expires_at;
  return { ...chosen, expires_at: end === null ? null : new Date(end).toISOString() };
}

/** @throws {ProblemError} if scopes go beyond those of the caller */
function refuseEscalation(caller: Caller, scopes: readonly Scope[]): void {
  const more = scopes.find((scope) => !caller.scopes.includes(scope));
  if (more === undefined) return;
  throw missingScope(
    `A caller makes and revokes keys with its own scopes alone, and has not the scope '${more}'; use a key that has it.`,
    more,
  );
}

/**
 * Locks the keys of the caller's owner: from here on, nobody revokes that of the caller, nor those that it has made.
 * @returns the key of the caller; null for an identity
 * @throws {ProblemError} if it was revoked since the request began
 */
async function lockAsMaker(tx: Store, caller: Caller): Promise<ApiKey | null> {
  await lockKeys(tx, caller.owner);
  if (!caller.key) return null;
  const maker = await findKey(tx, caller.key.id);
  if (maker?.revoked_at !== null) throw callerEnded(caller);
  return maker;
}

/**
 * Makes a key that can do no more than the caller, in a transaction.
 * @throws {ProblemError} if it could
 */
async function makeKey(tx: Store, caller: Caller, chosen: Chosen) {
  const { owner } = caller;
  const { project: named, ...own } = chosen;
  const only = named === null ? undefined : await lockProject(tx, caller, named, '/body/key/project');
  const project_id = only?.id ?? caller.projectId;
  const maker = await lockAsMaker(tx, caller);
  const last = maker?.expires_at ?? null;
  if (caller.limits) {
    throw missingScope(
      'A caller that has limits makes no keys, since several could use more than its own; use a key without limits.',
      'keys',
    );
  }
  if (last !== null && own.expires_at !== null && own.expires_at > last) {
    throw missingScope(
      `A key ends no later than the key that makes it, which ends at ${last}; let it end by then.`,
      'keys',
    );
  }
  await makeRoomForKey(tx, owner);
  const { text, id, hash } = createKey();
  await insertKey(tx, {
    ...own,
    id,
    owner,
    hash,
    expires_at: own.expires_at ?? last,
    made_by: caller.id,
    ...(project_id !== undefined && { project_id }),
  });
  const key = await findManagedKey(tx, caller, id);
  if (!key) throw unknownKey(id);
  return { text, key };
}

function showKey({ project, project_id, ...key }: ListedKey): Key {
  const { id, name, owner, scopes, limits, made_by, created_at, expires_at, last_used_at } = key;
  return {
    id,
    name,
    owner,
    scopes: [...scopes],
    ...(project_id !== null && { project }),
    limits,
    made_by,
    created_at,
    expires_at,
    last_used_at,
  };
}

function keyJson(key: ListedKey): readonly string[] {
  return [JSON.stringify(showKey(key))];
}

function unknownKey(id: string) {
  return problem('/problems/key-not-found', `There is no key with the identifier "${id}".`);
}

import { Command } from 'commander';
import { createKey } from '../auth/api-key.js';
import { LOCAL_OWNER } from '../auth/caller.js';
import { OWNER_SCOPES, SCOPES, type Scope } from '../contract/scopes.js';
import { keepKey } from '../projects/projects.js';
import { type ApiKey, findKey, hasKeys, listKeys, revokeKey } from '../store/keys.js';
import { readExpiry, readName, readScopes } from './key-options.js';
import { onStore } from './on-store.js';

interface NewKeyOptions {
  readonly name: string;
  readonly owner: string;
  readonly scope: readonly Scope[];
  readonly expires?: string;
}

/** `keys create`: prints only the key to standard output, and its properties to standard error. */
const createKeyCommand = new Command('create')
  .description('create a key, and print it once')
  .requiredOption('--name <name>', 'the purpose or the holder of the key', readName)
  .option('--owner <owner>', 'the owner of the resources created with it', readName, LOCAL_OWNER)
  .option(
    '--scope <scopes>',
    `its permissions, separated by commas: ${SCOPES.join(', ')} (metrics of all owners)`,
    readScopes,
    [...OWNER_SCOPES],
  )
  .option('--expires <when>', 'its last day (UTC), a time, or days from now: 90d', readExpiry)
  .action(createKeyOfOwner);

async function createKeyOfOwner({ name, owner, scope, expires }: NewKeyOptions): Promise<void> {
  const { text, id, hash } = createKey();
  const isFirst = await onStore((store) =>
    store.transaction(async (store) => {
      const isFirst = !(await hasKeys(store));
      const expires_at = expires ?? null;
      await keepKey(store, { id, name, owner, scopes: scope, expires_at, hash });
      return isFirst;
    }),
  );
  process.stdout.write(`${text}\n`);
  process.stderr.write(
    [
      `Key ${id}, "${name}", of the owner "${owner}": ${scope.join(', ')}; ${expires ? `expires ${expires}` : 'does not expire'}.`,
      'It is shown this once: the store keeps a hash of it. Send it as "Authorization: Bearer KEY".',
      ...(isFirst
        ? ['It is the first key of this store: from now on every request needs one.']
        : []),
      '',
    ].join('\n'),
  );
}

/** `keys list`: lists all keys of all owners, without their secrets, which are not stored. */
const listKeysCommand = new Command('list')
  .description('list the keys')
  .option('--json', 'as JSON')
  .action(printKeys);

async function printKeys({ json }: { readonly json?: boolean }): Promise<void> {
  const keys = await onStore(listKeys);
  const withState = keys.map((key) => ({ ...key, state: stateOf(key) }));
  process.stdout.write(json ? `${JSON.stringify(withState, null, 2)}\n` : tableOf(withState));
}

type State = 'active' | 'revoked' | 'expired';

function stateOf({ revoked_at, expires_at }: ApiKey): State {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}

function tableOf(keys: readonly (ApiKey & { state: State })[]): string {
  const lines = keys.map((key) => [
    key.id,
    key.name,
    key.owner,
    key.scopes.join(','),
    toTheSecond(key.created_at),
    toTheSecond(key.expires_at),
    toTheSecond(key.last_used_at),
    key.state,
  ]);
  return columns([
    ['ID', 'NAME', 'OWNER', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE'],
    ...lines,
  ]);
}

function toTheSecond(moment: string | null): string {
  return moment?.replace(/\.\d+Z$/, 'Z') ?? 'never';
}

function columns(lines: readonly string[][]): string {
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const padded = lines.map((line) => line.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)));
  return padded.map((line) => `${line.join('  ').trimEnd()}\n`).join('');
}

/** `keys revoke`: revokes a key permanently. */
const revokeKeyCommand = new Command('revoke')
  .description('revoke a key permanently')
  .argument('<id>', 'its id: the part between the two _ of the key')
  .action(revoke);

async function revoke(id: string): Promise<void> {
  const said = await onStore((store) =>
    store.transaction(async (store) => {
      const key = await findKey(store, id);
      if (!key) throw new Error(`there is no key with the id ${id}; "keys list" shows all`);
      if (!(await revokeKey(store, id)))
        return `"${key.name}" was revoked before, at ${key.revoked_at}.`;
      return `"${key.name}" is revoked, and refused by every instance within a second.`;
    }),
  );
  process.stdout.write(`${said}\n`);
}

/** `keys`: manages the keys of callers. */
export const keysCommand = new Command('keys')
  .description('create, list and revoke keys in the store at DATABASE_URL')
  .addCommand(createKeyCommand)
  .addCommand(listKeysCommand)
  .addCommand(revokeKeyCommand);

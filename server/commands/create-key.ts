import { Command } from 'commander';
import { createKey } from '../auth/api-key.js';
import { LOCAL_OWNER } from '../auth/caller.js';
import { OWNER_SCOPES, SCOPES, type Scope } from '../contract/scopes.js';
import { keepKey } from '../projects/keep-key.js';
import { hasKeys } from '../store/keys.js';
import { readExpiry, readName, readScopes } from './key-options.js';
import { onStore } from './on-store.js';

interface Options {
  readonly name: string;
  readonly owner: string;
  readonly scope: readonly Scope[];
  readonly expires?: string;
}

/** `keys create`: prints only the key to standard output, and its properties to standard error. */
export const createKeyCommand = new Command('create')
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
  .action(create);

async function create({ name, owner, scope, expires }: Options): Promise<void> {
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

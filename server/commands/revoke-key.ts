import { Command } from 'commander';
import { findKey, revokeKey } from '../store/keys.js';
import { onStore } from './on-store.js';

/** `keys revoke`: revokes a key permanently. */
export const revokeKeyCommand = new Command('revoke')
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

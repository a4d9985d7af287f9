import { Command } from 'commander';
import { createKeyCommand } from './create-key.js';
import { listKeysCommand } from './list-keys.js';
import { revokeKeyCommand } from './revoke-key.js';

/** `keys`: manages the keys of callers. */
export const keysCommand = new Command('keys')
  .description('create, list and revoke keys in the store at DATABASE_URL')
  .addCommand(createKeyCommand)
  .addCommand(listKeysCommand)
  .addCommand(revokeKeyCommand);

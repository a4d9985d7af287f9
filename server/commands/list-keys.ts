import { Command } from 'commander';
import type { ApiKey } from '../store/keys.js';
import { listKeys } from '../store/keys.js';
import { onStore } from './on-store.js';

/** `keys list`: lists all keys of all owners, without their secrets, which are not stored. */
export const listKeysCommand = new Command('list')
  .description('list the keys')
  .option('--json', 'as JSON')
  .action(list);

async function list({ json }: { readonly json?: boolean }): Promise<void> {
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

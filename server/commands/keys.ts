import { Command, InvalidArgumentError } from 'commander';
import { OWNER_SCOPES, SCOPES, type Scope } from '../../contract/scopes.js';
import { isOwnerName, LOCAL_OWNER, OWNER_FORM } from '../auth/caller.js';
import { createKey } from '../auth/secrets.js';
import { findKeyFault, keepKey } from '../projects/keys.js';
import { DAY_MS } from '../store/clock-watch.js';
import { KEY_LIMITS, type KeyLimits, LIMIT_NAMES, MAX_LIMIT } from '../store/key-limits.js';
import { type ApiKey, findKey, hasKeys, type ListedKey, listKeys, revokeKey } from '../store/keys.js';
import { parseDay, parseMoment } from './moments.js';
import { describeCommand, onStore } from './on-store.js';

interface NewKeyOptions {
  readonly name: string;
  readonly owner: string;
  readonly scope: readonly Scope[];
  readonly expires?: string;
  readonly limit?: KeyLimits;
  readonly project?: string;
}

export const keysCommand = new Command('keys').description('create, list and revoke keys in the store at DATABASE_URL');

keysCommand
  .command('create')
  .description('create a key, and print it once')
  .requiredOption('--name <name>', 'the purpose or the holder of the key', readName)
  .option('--owner <owner>', 'the owner of the resources created with it', readName, LOCAL_OWNER)
  .option(
    '--scope <scopes>',
    `its permissions, separated by commas: ${OWNER_SCOPES.join(', ')}, operate (metrics and audit log of all owners), keys (make keys that can do no more)`,
    readScopes,
    [...OWNER_SCOPES],
  )
  .option('--expires <when>', 'its last day (UTC), a time, or days from now: 90d', readExpiry)
  .option('--project <name>', 'the only project that it sees; all of the owner without it')
  .option(
    '--limit <limit>',
    `what it may use in a period, once for each of ${describeLimits()}: requests=60`,
    readLimit,
  )
  .action(createKeyOfOwner);

/** Prints only the key to standard output, and its properties to standard error. */
async function createKeyOfOwner({ name, owner, scope, expires, limit, project }: NewKeyOptions): Promise<void> {
  const expires_at = expires ?? null;
  const limits = limit ?? null;
  const chosen = { name, scopes: scope, project: project ?? null, limits, expires_at };
  const fault = findKeyFault(chosen);
  if (fault) throw new Error(`the ${fault.field} ${fault.message}`);
  const { text, id, hash } = createKey();
  const isFirst = await onStore((store) =>
    store.transaction(
      async (store) => {
        const isFirst = !(await hasKeys(store));
        const key = { id, name, owner, scopes: scope, expires_at, limits, hash };
        await keepKey(store, key, project);
        return isFirst;
      },
      { owner, act: describeCommand(owner, 'createKey', `/keys/${id}`) },
    ),
  );
  process.stdout.write(`${text}\n`);
  process.stderr.write(
    [
      `Key ${id}, "${name}", of the owner "${owner}": ${scope.join(', ')}; ${expires ? `expires ${expires}` : 'does not expire'}.`,
      ...(project === undefined ? [] : [`It sees the project "${project}" alone.`]),
      ...(limit ? [`It is limited to ${formatLimits(limit)}.`] : []),
      'It is shown this once: the store keeps a hash of it. Send it as "Authorization: Bearer KEY".',
      ...(isFirst ? ['It is the first key of this store: from now on every request needs one.'] : []),
      '',
    ].join('\n'),
  );
}

keysCommand.command('list').description('list the keys').option('--json', 'as JSON').action(printKeys);

async function printKeys({ json }: { readonly json?: boolean }): Promise<void> {
  const keys = await onStore(listKeys);
  const withState = keys.map((key) => ({ ...key, state: findState(key) }));
  process.stdout.write(json ? `${JSON.stringify(withState, null, 2)}\n` : formatTable(withState));
}

type State = 'active' | 'revoked' | 'expired';

function findState({ revoked_at, expires_at }: ApiKey): State {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}

function formatTable(keys: readonly (ListedKey & { state: State })[]): string {
  return alignColumns([
    ['ID', 'NAME', 'OWNER', 'SCOPES', 'PROJECT', 'LIMITS'].concat([
      'MADE BY',
      'CREATED',
      'EXPIRES',
      'LAST USED',
      'STATE',
    ]),
    ...keys.map(({ id, name, owner, scopes, limits, state, ...key }) => [
      ...[id, name, owner, scopes.join(',')],
      key.project ?? (key.project_id === null ? 'all' : 'deleted'),
      listLimits(limits ?? {}).join(',') || 'none',
      key.made_by ?? 'command',
      ...[key.created_at, key.expires_at, key.last_used_at].map(formatSecond),
      state,
    ]),
  ]);
}

function formatSecond(moment: string | null): string {
  return moment?.replace(/\.\d+Z$/, 'Z') ?? 'never';
}

function alignColumns(lines: readonly string[][]): string {
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const padded = lines.map((line) => line.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)));
  return padded.map((line) => `${line.join('  ').trimEnd()}\n`).join('');
}

keysCommand
  .command('revoke')
  .description('revoke a key permanently, and the keys that were made with it')
  .argument('<id>', 'its id: the part between the two _ of the key')
  .option('--keep-made', 'keep the keys that were made with it')
  .action(revoke);

async function revoke(id: string, { keepMade }: { readonly keepMade?: boolean }): Promise<void> {
  const message = await onStore(async (store) => {
    const key = await findKey(store, id);
    if (!key) throw new Error(`there is no key with the id ${id}; "keys list" shows all`);
    const { owner, name } = key;
    const act = describeCommand(owner, 'deleteKey', `/keys/${id}`);
    return store.transaction(
      async (tx) => {
        if (await revokeKey(tx, id, keepMade))
          return `"${name}" is revoked, and refused by every instance within a second.`;
        tx.skipEvent();
        return `"${name}" was revoked before, at ${(await findKey(tx, id))?.revoked_at}.`;
      },
      { owner, act },
    );
  });
  process.stdout.write(`${message}\n`);
}

/**
 * Reads the name of a key or of an owner.
 * @throws {InvalidArgumentError}
 */
export function readName(text: string): string {
  if (isOwnerName(text)) return text;
  throw new InvalidArgumentError(`It must be ${OWNER_FORM}.`);
}

/**
 * Reads scopes, separated by commas.
 * @throws {InvalidArgumentError}
 */
export function readScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => SCOPES.some((scope) => scope === name))) {
    throw new InvalidArgumentError(`It must be one or more of ${SCOPES.join(',')}.`);
  }
  return SCOPES.filter((scope) => names.includes(scope));
}

function describeLimits(): string {
  return LIMIT_NAMES.map((name) => `${name} (${KEY_LIMITS[name].period})`).join(', ');
}

/** Returns texts such as `requests=60`. */
function listLimits(limits: KeyLimits): string[] {
  return LIMIT_NAMES.flatMap((name) => (limits[name] === undefined ? [] : `${name}=${limits[name]}`));
}

function formatLimits(limits: KeyLimits): string {
  const texts = LIMIT_NAMES.filter((name) => limits[name] !== undefined).map(
    (name) => `${limits[name]} ${name} ${KEY_LIMITS[name].period}`,
  );
  return texts.join(', ');
}

/**
 * Reads a limit, such as `requests=60`, and adds it to those before it.
 * @throws {InvalidArgumentError}
 */
export function readLimit(text: string, limits: KeyLimits = {}): KeyLimits {
  const [, named = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const name = LIMIT_NAMES.find((known) => known === named);
  if (name === undefined) {
    throw new InvalidArgumentError(`It must be one of ${describeLimits()} with a number, such as requests=60.`);
  }
  if (limits[name] !== undefined) throw new InvalidArgumentError(`The limit of ${name} is named twice.`);
  if (!/^[1-9]\d{0,11}$/.test(value)) {
    throw new InvalidArgumentError(
      `The limit of ${name} must be a whole number from 1 to ${MAX_LIMIT}; leave it out for no limit.`,
    );
  }
  return { ...limits, [name]: Number(value) };
}

/**
 * Reads the expiry of a key: its last valid day (UTC), a time with its UTC offset, or a number of
 * days from now.
 * @returns the time in ISO 8601, UTC
 * @throws {InvalidArgumentError}
 */
export function readExpiry(text: string): string {
  const moment = parseExpiry(text);
  if (moment === undefined) {
    throw new InvalidArgumentError(
      'It must be a day such as 2027-01-31, a moment such as 2027-01-31T12:00:00Z, or a number of days such as 90d.',
    );
  }
  if (moment <= Date.now()) throw new InvalidArgumentError('It has already passed.');
  return new Date(moment).toISOString();
}

function parseExpiry(text: string): number | undefined {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return Date.now() + Number(days) * DAY_MS;
  const lastDay = parseDay(text);
  return lastDay === undefined ? parseMoment(text) : lastDay + DAY_MS;
}
